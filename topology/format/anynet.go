package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
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

func looksLikeAnynet(head string) bool {
	found := false
	for _, line := range lines(head) {
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
	*fabric
	numbers map[*node]int
	joined  map[[2]*node]bool
	latency bool // some link has one
}

func readAnynet(text string) (*topology.Network, error) {
	r := anynetReader{fabric: newFabric(), numbers: make(map[*node]int), joined: make(map[[2]*node]bool)}
	r.statesKinds = true
	for number, line := range lines(text) {
		if err := r.line(number, strings.Fields(line)); err != nil {
			return nil, err
		}
	}
	if err := r.checkNodes(); err != nil {
		return nil, err
	}
	sorted := slices.Clone(r.nodes)
	slices.SortStableFunc(sorted, func(a, b *node) int { return r.numbers[a] - r.numbers[b] })
	for i, n := range sorted {
		n.order = i + 1
	}
	if r.latency {
		r.note("latencies of links are not kept")
	}
	return r.network(always(switchClass))
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
		var other *node
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
func (r *anynetReader) take(number int, words []string) (*node, []string, error) {
	if len(words) < 2 {
		return nil, nil, fault(number, "found %s; expected router or node, and a number", quote(words[0]))
	}
	id, err := strconv.ParseUint(words[1], 10, 31)
	class, ok := map[string]class{"router": switchClass, "node": adapterClass}[words[0]]
	if err != nil || !ok {
		return nil, nil, fault(number, "found %s; expected router or node, and a number", quote(words[0]+" "+words[1]))
	}
	if err := r.full(number); err != nil {
		return nil, nil, err
	}
	n := r.node(number, fmt.Sprintf("%s%d", words[0], id))
	r.define(number, n)
	n.class, r.numbers[n] = class, int(id)
	return n, words[2:], nil
}

func (r *anynetReader) join(number int, a, b *node) error {
	pair := [2]*node{a, b}
	switch {
	case a == b:
		return fault(number, "%s is linked to itself; expected another router", a.id)
	case a.class == adapterClass && b.class == adapterClass:
		return fault(number, "%s is linked to %s; expected nodes at routers", a.id, b.id)
	case r.joined[pair] || r.joined[[2]*node{b, a}]:
		return nil
	}
	r.joined[pair] = true
	r.add(number, end{plug: plug{node: a}}, end{plug: plug{node: b}}, topology.Speed{})
	return nil
}

// checkNodes makes sure that each node is at one router, and that none is missing.
func (r *anynetReader) checkNodes() error {
	at := make(map[*node]int)
	for _, c := range r.cables {
		for _, n := range []*node{c.a.node, c.b.node} {
			if at[n]++; n.class == adapterClass && at[n] > 1 {
				return fault(c.line, "%s is at two routers; expected one", n.id)
			}
		}
	}
	count := 0
	for _, n := range r.nodes {
		if n.class == adapterClass {
			count++
		}
	}
	for _, n := range r.nodes {
		if n.class == adapterClass && (r.numbers[n] >= count || at[n] == 0) {
			return fault(n.line, "%s of %d nodes; expected each of node0 to node%d at a router", n.id, count, count-1)
		}
	}
	return nil
}
