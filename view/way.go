package view

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"musubi/units"
	"musubi/view/play"
)

// wayJSON is a path, and how long the shortest one is. Where packets choose, Hops are all links that they are expected to
// take, the nearest first, and Links how many of them a packet takes in the mean.
type wayJSON struct {
	From     string    `json:"from"`
	To       string    `json:"to"`
	Hops     []hopJSON `json:"hops"`
	Shortest int       `json:"shortest"`
	Links    float64   `json:"links"`
}

// way answers how packets go from one host to another one.
func (s *Server) way(r *http.Request) (*wayJSON, error) {
	n, err := s.networks.get(questionOf(r))
	if err != nil {
		return nil, err
	}
	var ends [2]int
	for i, name := range []string{"from", "to"} {
		text := r.URL.Query().Get(name)
		if ends[i], err = strconv.Atoi(text); err != nil || ends[i] < 0 || ends[i] >= len(n.net.EndPoints) {
			return nil, fmt.Errorf("%s %q; expected the number of a host, below %d", name, text, len(n.net.EndPoints))
		}
	}
	src, dst := ends[0], ends[1]
	from, to := n.net.EndPoints[src].At.Switch, n.net.EndPoints[dst].At.Switch
	distances := n.net.Distances(from)
	doc := &wayJSON{From: n.net.EndPointName(src), To: n.net.EndPointName(dst), Shortest: distances[to]}
	if n.chosen != nil {
		doc.Hops, doc.Links, err = n.expected(from, to, distances)
		return doc, err
	}
	path, ok := n.routes.Path(src, dst)
	if src != dst && !ok {
		return nil, fmt.Errorf("%s has no path from %s to %s", n.routes.Algorithm, n.net.EndPointName(src), n.net.EndPointName(dst))
	}
	doc.Hops, doc.Links = n.hops(path), float64(len(path))
	return doc, nil
}

// flowJSON is a flow of a play.
type flowJSON struct {
	From string    `json:"from"`
	To   string    `json:"to"`
	Src  int       `json:"src"`
	Dst  int       `json:"dst"`
	Way  []hopJSON `json:"way"`
}

// stepJSON is all moves of a time. A move is a packet and the link, counted from that of its source,
// that it starts on; the one after the last is its arrival.
type stepJSON struct {
	At    string   `json:"at"`
	Moves [][2]int `json:"moves"`
}

// playJSON is a deadlock, step by step. Packets says of each packet its flow, from 0 on, and its number.
type playJSON struct {
	Flows   []flowJSON `json:"flows"`
	Packets [][2]int   `json:"packets"`
	Steps   []stepJSON `json:"steps"`
	Full    []hopJSON  `json:"full"` // channels of the deadlock, in its order; empty: all packets arrived
	Ended   string     `json:"ended"`
}

// deadlock answers how packets come to wait for each other.
func (s *Server) deadlock(r *http.Request) (*playJSON, error) {
	n, err := s.networks.get(questionOf(r))
	if err != nil {
		return nil, err
	}
	if n.chosen != nil {
		return nil, errors.New("packets that choose come to a deadlock in many ways, and this page plays none of them")
	}
	if n.proof.Cycle == nil {
		return nil, errors.New("this routing has no cycle of dependencies, so that no packets can come to a deadlock")
	}
	p, err := play.Of(n.routes, n.proof.Cycle)
	if err != nil {
		return nil, err
	}
	doc := &playJSON{Full: []hopJSON{}}
	for _, f := range p.Flows {
		doc.Flows = append(doc.Flows, flowJSON{n.net.EndPointName(f.Src), n.net.EndPointName(f.Dst), f.Src, f.Dst, n.hops(f.Way)})
	}
	for _, q := range p.Packets {
		doc.Packets = append(doc.Packets, [2]int{q.Flow, q.Number})
	}
	var last units.Time = -1
	for _, m := range p.Moves {
		if m.At != last {
			doc.Steps = append(doc.Steps, stepJSON{At: m.At.String()})
			last = m.At
		}
		step := &doc.Steps[len(doc.Steps)-1]
		step.Moves = append(step.Moves, [2]int{m.Packet, m.Link})
	}
	doc.Ended = "All packets have arrived: this cycle makes a deadlock possible, and it did not come to one."
	if p.Deadlock != nil {
		doc.Ended = fmt.Sprintf("Deadlock at %v: each of %d channels is full, and its packet waits for the next.", p.Deadlock.At, len(p.Deadlock.Cycle))
		for _, h := range p.Deadlock.Cycle {
			doc.Full = append(doc.Full, hopJSON{Channel: h.Channel, VC: h.VC, Name: n.channelName(h.Channel)})
		}
	}
	return doc, nil
}
