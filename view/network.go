package view

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"

	"musubi"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/topology/layout"
)

// Limits of what the page draws.
const (
	mostSwitches = 1000
	mostHosts    = 4096
)

// question names a network and a routing.
type question struct {
	topology, routing, vcs, hosts string
}

func questionOf(r *http.Request) question {
	q := r.URL.Query()
	return question{q.Get("topology"), q.Get("routing"), q.Get("vcs"), q.Get("hosts")}
}

// routed is a network with its routes and their proof, or with a routing whose packets choose as they go.
type routed struct {
	net    *topology.Network
	places layout.Places
	routes *routing.Routes
	proof  *routing.Proof
	chosen *chosen // nil: packets follow routes
}

// cache keeps the last network, as a page asks for several things of one.
type cache struct {
	sync.Mutex
	asked question
	stamp string // of its file, at that time
	found *routed
}

// get returns what a question is about. One is worked out at a time.
func (c *cache) get(q question) (*routed, error) {
	c.Lock()
	defer c.Unlock()
	stamp := q.stamp()
	if c.found != nil && c.asked == q && c.stamp == stamp {
		return c.found, nil
	}
	found, err := q.work()
	if err != nil {
		return nil, err
	}
	c.asked, c.stamp, c.found = q, stamp, found
	return found, nil
}

// stamp tells the versions of the file of a network apart; empty if it is no file.
func (q *question) stamp() string {
	info, err := os.Stat(q.topology)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// scenario is the question with numbers.
func (q *question) scenario() (musubi.Scenario, error) {
	s := musubi.Usual()
	s.Topology, s.Routing = q.topology, q.routing
	for _, n := range []struct {
		name, text string
		to         *int
	}{{"hosts", q.hosts, &s.Hosts}, {"vcs", q.vcs, &s.VCs}} {
		var err error
		if n.text == "" {
			continue
		}
		if *n.to, err = strconv.Atoi(n.text); err != nil || *n.to < 0 {
			return s, fmt.Errorf("%s %q; expected a number, or nothing", n.name, n.text)
		}
	}
	return s, nil
}

// work makes the network, places it, routes it and proves the routes.
func (q *question) work() (*routed, error) {
	s, err := q.scenario()
	if err != nil {
		return nil, err
	}
	if s.Topology == "" {
		return nil, fmt.Errorf("no network given; expected a name such as torus:4x4, or a file")
	}
	r := new(routed)
	any := new(machine.Machine) // that says nothing of networks
	if r.net, err = s.OpenNetwork(any); err != nil {
		return nil, err
	}
	if switches, hosts := len(r.net.Switches), r.net.Hosts(); switches > mostSwitches || hosts > mostHosts {
		return nil, fmt.Errorf("%s has %d switches and %d hosts; this page draws up to %d and %d; use musubi route for more", r.net.Name, switches, hosts, mostSwitches, mostHosts)
	}
	if r.places, err = layout.Of(r.net); err != nil {
		return nil, err
	}
	if adaptive.Has(s.Routing) {
		if s.VCs != 0 {
			return nil, fmt.Errorf("routing %s takes the virtual channels that it needs; expected no number of them", s.Routing)
		}
		r.chosen, err = choose(s.Routing, r.net, s.Seed)
		return r, err
	}
	algorithm, err := routing.Lookup(s.Routing)
	if err != nil {
		return nil, err
	}
	options, err := s.RoutingOptions(r.net, any)
	if err != nil {
		return nil, err
	}
	if r.routes, err = algorithm.Build(r.net, options); err != nil {
		return nil, err
	}
	r.proof = routing.Verify(r.routes)
	return r, nil
}

// switchJSON is a switch with its place and the numbers of its end points.
type switchJSON struct {
	Name string  `json:"name"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Ends []int32 `json:"ends"`
}

// linkJSON is a link between switches; its channels are 2i, from a to b, and 2i+1. Bend is how
// far channel 2i bends to its left, see layout.Bend.
type linkJSON struct {
	A    int     `json:"a"`
	B    int     `json:"b"`
	Bend float64 `json:"bend"`
}

// hopJSON is a channel and a virtual channel on it.
type hopJSON struct {
	Channel int    `json:"channel"`
	VC      int    `json:"vc"`
	Name    string `json:"name"`
	// Part is the part of the packets that take it, where they choose; VC is -1 then, as there may be several.
	Part float64 `json:"part,omitempty"`
}

// holdJSON is a channel of a cycle with the flow that holds it.
type holdJSON struct {
	hopJSON
	From string    `json:"from"`
	To   string    `json:"to"`
	Way  []hopJSON `json:"way"`
}

// networkJSON is a network with its routing.
type networkJSON struct {
	Name       string             `json:"name"`
	Summary    string             `json:"summary"`
	Layout     layout.Way         `json:"layout"`
	Switches   []switchJSON       `json:"switches"`
	Links      []linkJSON         `json:"links"`
	Ends       []string           `json:"ends"`   // names, hosts first
	Hosts      int                `json:"hosts"`  // so many of the ends
	Loads      []float64          `json:"loads"`  // by channel: pairs of hosts whose path uses it, or parts of them that are expected to
	Shares     string             `json:"shares"` // what these parts are; empty: packets have paths
	Routing    string             `json:"routing"`
	VCs        int                `json:"vcs"`
	Verdict    string             `json:"verdict"`
	Safe       bool               `json:"safe"`
	Statistics routing.Statistics `json:"statistics"`
	Cycle      []holdJSON         `json:"cycle"`
}

// network answers what a network and its routing look like.
func (s *Server) network(r *http.Request) (*networkJSON, error) {
	n, err := s.networks.get(questionOf(r))
	if err != nil {
		return nil, err
	}
	doc := &networkJSON{Name: n.net.Name, Summary: n.net.Summary(), Layout: n.places.Way, Hosts: n.net.Hosts()}
	if n.chosen != nil {
		n.chosen.tell(doc)
	} else {
		n.tell(doc)
	}
	for sw, at := range n.places.At {
		doc.Switches = append(doc.Switches, switchJSON{n.net.SwitchName(sw), at.X, at.Y, append([]int32{}, n.net.EndPointsAt(sw)...)})
	}
	for i, l := range n.net.Links {
		doc.Links = append(doc.Links, linkJSON{l.A.Switch, l.B.Switch, layout.Bend(n.net, 2*i)})
	}
	for e := range n.net.EndPoints {
		doc.Ends = append(doc.Ends, n.net.EndPointName(e))
	}
	return doc, nil
}

// tell fills in what routes are.
func (n *routed) tell(doc *networkJSON) {
	for _, load := range n.routes.Loads() {
		doc.Loads = append(doc.Loads, float64(load))
	}
	doc.Routing, doc.VCs, doc.Safe, doc.Verdict, doc.Statistics = n.routes.Algorithm, n.routes.VCs, n.proof.OK(), n.verdict(), n.routes.Statistics()
	for _, d := range n.proof.Cycle {
		doc.Cycle = append(doc.Cycle, holdJSON{n.hop(d.Hop), n.net.EndPointName(d.By.Src), n.net.EndPointName(d.By.Dst), n.hops(d.Path)})
	}
}

// verdict says what the proof has found.
func (n *routed) verdict() string {
	p := n.proof
	switch {
	case p.Malformed > 0:
		return fmt.Sprintf("no: %v", p.FirstMalformed)
	case p.Unreachable > 0:
		return fmt.Sprintf("no: %d pairs have no path, the first from %s to %s", p.Unreachable, n.net.EndPointName(p.FirstUnreachable.Src), n.net.EndPointName(p.FirstUnreachable.Dst))
	case p.Cycle != nil:
		return fmt.Sprintf("can deadlock: %d channels may wait for each other in a cycle", len(p.Cycle))
	case p.Structure != "":
		return "free of deadlock by structure: " + p.Structure
	}
	return fmt.Sprintf("free of deadlock: no cycle among %d dependencies of %d channels", p.Dependencies, p.Channels)
}

func (n *routed) hop(h routing.Hop) hopJSON {
	return hopJSON{Channel: h.Channel(), VC: h.VC(), Name: n.channelName(h.Channel())}
}

func (n *routed) hops(path routing.Path) []hopJSON {
	hops := []hopJSON{}
	for _, h := range path {
		hops = append(hops, n.hop(h))
	}
	return hops
}

// channelName names a channel by its switches, and the port by which it leaves.
func (n *routed) channelName(channel int) string {
	from, to := n.net.From(channel), n.net.To(channel)
	return fmt.Sprintf("%s[%d] → %s", n.net.SwitchName(from.Switch), from.Number, n.net.SwitchName(to.Switch))
}
