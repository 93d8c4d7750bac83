package lists

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// The anynet files of the simulator BookSim name a router or node and then what it is linked to,
// perhaps with a latency in cycles, which is not kept:
//
//	router 0 node 0 node 1 router 1 15
//	router 1 node 2 router 0
//
// A link may stand at one end or at both, and there is at most one between two routers. Each node is
// at one router, and nodes are numbered from 0 without gaps.

var anynetLine = regex.Lazy(`^\s*(router|node) \d+(\s|$)`)

// LooksLikeAnynet reports whether the beginning of a file is that of a topology of BookSim.
func LooksLikeAnynet(head string) bool {
	found := false
	for _, line := range scan.Lines(head) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if found = anynetLine().MatchString(line); !found {
			return false
		}
	}
	return found
}

type anynetReader struct {
	*draft.Draft
	numbers map[*draft.Node]int
	joined  map[[2]*draft.Node]bool
	latency bool // some link has one
}

// ReadAnynet reads a topology of BookSim.
func ReadAnynet(text string) (*topology.Network, error) {
	r := anynetReader{Draft: draft.New(), numbers: make(map[*draft.Node]int), joined: make(map[[2]*draft.Node]bool)}
	r.StatesKinds = true
	for number, line := range scan.Lines(text) {
		if err := r.line(number, strings.Fields(line)); err != nil {
			return nil, err
		}
	}
	if err := r.checkNodes(); err != nil {
		return nil, err
	}
	sorted := slices.Clone(r.Nodes)
	slices.SortStableFunc(sorted, func(a, b *draft.Node) int { return r.numbers[a] - r.numbers[b] })
	for i, n := range sorted {
		n.Order = i + 1
	}
	if r.latency {
		r.Note("latencies of links are not kept")
	}
	return r.Network(draft.Always(draft.SwitchClass))
}

func (r *anynetReader) line(number int, words []string) error {
	if len(words) == 0 {
		return nil
	}
	head, words, err := r.take(number, words)
	if err != nil {
		return err
	}
	for len(words) > 0 {
		var other *draft.Node
		if other, words, err = r.take(number, words); err != nil {
			return err
		}
		if len(words) > 0 {
			if _, err := strconv.ParseUint(words[0], 10, 31); err == nil {
				r.latency, words = true, words[1:]
			}
		}
		if err := r.join(number, head, other); err != nil {
			return err
		}
	}
	return nil
}

// take takes a type and a number from the words of a line.
func (r *anynetReader) take(number int, words []string) (*draft.Node, []string, error) {
	if len(words) < 2 {
		return nil, nil, scan.Fault(number, "found %s; expected router or node, and a number", scan.Quote(words[0]))
	}
	id, err := strconv.ParseUint(words[1], 10, 31)
	class, ok := map[string]draft.Class{"router": draft.SwitchClass, "node": draft.AdapterClass}[words[0]]
	if err != nil || !ok {
		return nil, nil, scan.Fault(number, "found %s; expected router or node, and a number", scan.Quote(words[0]+" "+words[1]))
	}
	if err := r.Full(number); err != nil {
		return nil, nil, err
	}
	n := r.Node(number, fmt.Sprintf("%s%d", words[0], id))
	r.Define(number, n)
	n.Class, r.numbers[n] = class, int(id)
	return n, words[2:], nil
}

func (r *anynetReader) join(number int, a, b *draft.Node) error {
	pair := [2]*draft.Node{a, b}
	switch {
	case a == b:
		return scan.Fault(number, "%s is linked to itself; expected another router", a.ID)
	case a.Class == draft.AdapterClass && b.Class == draft.AdapterClass:
		return scan.Fault(number, "%s is linked to %s; expected nodes at routers", a.ID, b.ID)
	case r.joined[pair] || r.joined[[2]*draft.Node{b, a}]:
		return nil
	}
	r.joined[pair] = true
	r.Add(number, draft.End{Plug: draft.Plug{Node: a}}, draft.End{Plug: draft.Plug{Node: b}}, topology.Speed{})
	return nil
}

// checkNodes makes sure that each node is at one router, and that none is missing.
func (r *anynetReader) checkNodes() error {
	at := make(map[*draft.Node]int)
	for _, c := range r.Cables {
		for _, n := range []*draft.Node{c.A.Node, c.B.Node} {
			if at[n]++; n.Class == draft.AdapterClass && at[n] > 1 {
				return scan.Fault(c.Line, "%s is at two routers; expected one", n.ID)
			}
		}
	}
	count := 0
	for _, n := range r.Nodes {
		if n.Class == draft.AdapterClass {
			count++
		}
	}
	for _, n := range r.Nodes {
		if n.Class == draft.AdapterClass && (r.numbers[n] >= count || at[n] == 0) {
			return scan.Fault(n.Line, "%s of %d nodes; expected each of node0 to node%d at a router", n.ID, count, count-1)
		}
	}
	return nil
}
