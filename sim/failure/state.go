package failure

import "musubi/topology"

// state is what is out of service, and what is known of it.
type state struct {
	net  *topology.Network
	down []int32 // by link: failures that have not healed

	links, switches, hosts map[int]int // known failures that are not known to have healed
	part                   []int       // of each switch in what is known to be left, -1 for one that is gone
}

func newState(net *topology.Network, links int) *state {
	s := &state{net: net, down: make([]int32, links), links: make(map[int]int), switches: make(map[int]int), hosts: make(map[int]int)}
	s.divide(s.loss())
	return s
}

// learn adds n to what is known of the failures of an element.
func (s *state) learn(e *Event, n int) {
	for link := range e.Loss.Links {
		count(s.links, link, n)
	}
	for sw := range e.Loss.Switches {
		count(s.switches, sw, n)
	}
	if e.Host >= 0 {
		count(s.hosts, e.Host, n)
	}
}

func count(of map[int]int, key, n int) {
	if of[key] += n; of[key] == 0 {
		delete(of, key)
	}
}

// loss returns what is known to be gone.
func (s *state) loss() topology.Loss {
	l := topology.NewLoss()
	for link := range s.links {
		l.Links[link] = true
	}
	for sw := range s.switches {
		l.Switches[sw] = true
	}
	return l
}

// divide numbers the parts that a loss leaves.
func (s *state) divide(loss topology.Loss) {
	s.part = make([]int, len(s.net.Switches))
	for sw := range s.part {
		s.part[sw] = -1
	}
	for first := range s.part {
		if s.part[first] >= 0 || loss.Switches[first] {
			continue
		}
		s.part[first] = first
		for queue := []int{first}; len(queue) > 0; queue = queue[1:] {
			for _, c := range s.net.Out(queue[0]) {
				if to := s.net.To(int(c)).Switch; s.part[to] < 0 && !loss.Link(s.net, int(c)>>1) {
					s.part[to] = first
					queue = append(queue, to)
				}
			}
		}
	}
}

// joined tells whether a path is known to join two switches.
func (s *state) joined(a, b int) bool { return s.part[a] >= 0 && s.part[a] == s.part[b] }

// reaches tells the same of two end points.
func (s *state) reaches(src, dst int) bool {
	return s.hosts[src] == 0 && s.hosts[dst] == 0 && s.joined(s.net.EndPoints[src].At.Switch, s.net.EndPoints[dst].At.Switch)
}
