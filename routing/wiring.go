package routing

import (
	"fmt"

	"musubi/topology"
)

// maxPorts bounds the ports of a switch for the table forms of hardware, whose
// port numbers have one byte; 255 means no port.
const maxPorts = 254

func checkPorts(net *topology.Network) error {
	for s := range net.Switches {
		if net.Switches[s].Ports > maxPorts {
			return fmt.Errorf("switch %s has %d ports; at most %d are possible", net.SwitchName(s), net.Switches[s].Ports, maxPorts)
		}
	}
	return nil
}

// wiring says what is attached to each port of each switch: 0 for nothing (or a
// loop-back cable), c+1 for channel c, -e-1 for end point e.
type wiring [][]int32

func newWiring(net *topology.Network) wiring {
	w := make(wiring, len(net.Switches))
	for s := range net.Switches {
		w[s] = make([]int32, net.Switches[s].Ports+1)
		for _, c := range net.Out(s) {
			w[s][net.From(int(c)).Number] = c + 1
		}
		for _, e := range net.EndPointsAt(s) {
			w[s][net.EndPoints[e].At.Number] = -e - 1
		}
	}
	return w
}

// at returns the entry of a port, 0 if the switch has no such port.
func (w wiring) at(p topology.Port) int32 {
	if p.Number >= len(w[p.Switch]) {
		return 0
	}
	return w[p.Switch][p.Number]
}

// passage is the way of a packet through one switch.
type passage struct {
	sw, in, out int // ports
	inVC, outVC int
}

// steps calls f for each switch that packets from src to dst pass on path id.
// The virtual channel of the links of the end points is that of the next hop.
func (r *Routes) steps(src, dst, id int, f func(passage)) {
	from := r.Net.EndPoints[src].At
	vc, last := r.HostVCs(id)
	s := passage{sw: from.Switch, in: from.Number, inVC: vc}
	for _, h := range r.PathByID(id) {
		s.out, s.outVC = r.Net.From(h.Channel()).Number, h.VC()
		f(s)
		to := r.Net.To(h.Channel())
		s = passage{sw: to.Switch, in: to.Number, inVC: h.VC()}
	}
	s.out, s.outVC = r.Net.EndPoints[dst].At.Number, last
	f(s)
}

// allSteps calls f for every passage of every pair of different end points, in
// order of source and destination, until it returns false.
func (r *Routes) allSteps(f func(Pair, passage) bool) {
	going := true
	for src := range r.Net.EndPoints {
		for dst := range r.Net.EndPoints {
			id := r.PathID(src, dst)
			if src == dst || id < 0 {
				continue
			}
			r.steps(src, dst, id, func(p passage) { going = going && f(Pair{src, dst}, p) })
			if !going {
				return
			}
		}
	}
}

// firstWith returns the first pair of end points with a passage that matches.
func (r *Routes) firstWith(match func(Pair, passage) bool) Pair {
	var first Pair
	r.allSteps(func(q Pair, p passage) bool {
		if match(q, p) {
			first = q
			return false
		}
		return true
	})
	return first
}

// describe names a pair of end points.
func (r *Routes) describe(p Pair) string {
	return r.Net.EndPointName(p.Src) + " to " + r.Net.EndPointName(p.Dst)
}
