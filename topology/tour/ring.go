package tour

import (
	"errors"
	"fmt"

	"musubi/topology"
)

// ErrNotFound is in the error of Ring if there may be a ring all the same.
var ErrNotFound = errors.New("there may be one")

// Ring returns k switches with hosts, each of which is joined with the next by a link, and the
// last one with the first: a Hamiltonian cycle if k is the number of all of them. One switch is a
// ring, and so are two that are adjacent.
//
// It is quick where the switches have coordinates and k is all of them. Otherwise it looks for
// reasons why there is none, and then searches within a bound. The error says why there is none,
// or is ErrNotFound.
func Ring(net *topology.Network, k int) ([]int, error) { return ringWithin(net, k, searchSteps) }

func ringWithin(net *topology.Network, k, steps int) ([]int, error) {
	g := graphOf(net)
	switch {
	case k < 1 || k > len(g.all):
		return nil, fmt.Errorf("a ring of %d switches; %s has %d with hosts", k, net.Name, len(g.all))
	case k == 1:
		return []int{int(g.all[0])}, nil
	case k == len(net.Switches) && net.Shape != nil:
		if ring := gridRing(net.Shape); ring != nil && g.isRing(ring) {
			return ring, nil
		}
	}
	if k > 2 {
		if why := g.impossible(k); why != "" {
			return nil, fmt.Errorf("%s has no ring of %d switches: %s", net.Name, k, why)
		}
	}
	ring, all := g.search(k, steps)
	switch {
	case ring != nil:
		return ring, nil
	case all:
		return nil, fmt.Errorf("%s has no ring of %d switches: a search of all ways has found none", net.Name, k)
	}
	return nil, fmt.Errorf("no ring of %d switches found in %s within %d steps of a search; %w", k, net.Name, steps, ErrNotFound)
}

// impossible says why no ring has k switches, 3 or more; empty if it knows no reason.
func (g *graph) impossible(k int) string {
	degree, poor := g.prune()
	if k == len(g.all) && poor >= 0 {
		return fmt.Sprintf("a ring joins each switch with two others; switch %s is joined with %d", g.net.SwitchName(poor), len(g.near[poor]))
	}
	parts := g.parts(degree)
	longest, bipartite := 0, true
	for _, p := range parts {
		if p.longest() >= k && (k%2 == 0 || !p.bipartite) {
			return ""
		}
		longest = max(longest, p.longest())
		bipartite = bipartite && p.bipartite
	}
	switch {
	case longest == 0:
		return "its links close no ring"
	case len(parts) == 1 && k == parts[0].size():
		return fmt.Sprintf("as on a chessboard, its links join %d of them with the %d others only; a ring takes as many of both", parts[0].sides[0], parts[0].sides[1])
	case k%2 == 1 && bipartite && longest >= k:
		return "as on a chessboard, its links join switches of two colours, so that rings have an even length"
	}
	return fmt.Sprintf("no ring can have more than %d", longest)
}
