package routing

import (
	"musubi/routing/internal/balance"
	"musubi/routing/internal/ways"
)

// selector picks one of the moves that a guide allows.
type selector struct {
	plan     *plan
	balanced *balance.Choices // set for Balanced
}

func newSelector(p *plan) *selector {
	s := &selector{plan: p}
	if p.opt.Selection == Balanced {
		s.balanced = choose(p)
	}
	return s
}

// choose balances the paths. Trees are by state, which are switches there.
func choose(p *plan) *balance.Choices {
	if p.opt.trees {
		return balance.ByState(p.net, p.atlas)
	}
	return balance.ByPlace(p.net, p.atlas)
}

// bySource reports whether the moves that packets take depend on where they come from. Otherwise those to an end point
// follow the steps to it.
func (s *selector) bySource() bool {
	return s.balanced == nil && s.plan.opt.Selection != LowPort && !s.plan.opt.DestinationOnly
}

// spread appends to path the channels from place x of w, where packets of a switch begin, for its i-th end point.
func (s *selector) spread(path Path, w *ways.Ways, x int32, i int) Path {
	// The digits of i in a mixed radix, so that sources differ in the
	// first move and then in later ones.
	digits := i + s.plan.opt.shift
	for moves := w.From(x); len(moves) > 0; moves = w.From(x) {
		k := digits % len(moves)
		digits /= len(moves)
		path = append(path, MakeHop(int(moves[k].Channel), 0))
		x = moves[k].To
	}
	return path
}

// toDestination returns which of the moves of a place packets take to the j-th end point of switch
// dst, whatever their source. key is the place, or its state for trees.
func (s *selector) toDestination(moves []ways.Move, key int32, dst, j int) int {
	switch {
	case s.balanced != nil:
		return int(s.balanced.Column(dst, j)[key])
	case s.plan.opt.Selection == LowPort:
		return 0
	}
	return j % len(moves)
}
