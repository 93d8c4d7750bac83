package nexthop

import (
	"cmp"
	"slices"
)

// raised are rules with further lanes: packets that take one of the turns go up by as many lanes as
// the rules have, as long as there are higher ones.
type raised struct {
	Rules
	turns map[dependency]bool
	at    []bool // switches of the turns
	more  int
}

func newRaised(rules Rules, turns map[dependency]bool, more int) raised {
	r := raised{rules, turns, make([]bool, len(rules.Network().Switches)), more}
	for d := range turns {
		r.at[rules.Network().To(int(d.from)/rules.Lanes()).Switch] = true
	}
	return r
}

func (r raised) Uniform(sw, lane int, heading int32) bool {
	return !r.at[sw] && r.Rules.Uniform(sw, lane%r.Rules.Lanes(), heading)
}

func (r raised) Lanes() int { return r.Rules.Lanes() * (r.more + 1) }

func (r raised) Lossless(channel, lane int) bool {
	return r.Rules.Lossless(channel, lane%r.Rules.Lanes())
}

func (r raised) Next(steps []Step, sw, port, lane int, heading int32) []Step {
	lanes := r.Rules.Lanes()
	level, first := lane/lanes, len(steps)
	steps = r.Rules.Next(steps, sw, port, lane%lanes, heading)
	in := r.channelInto(sw, port)
	for i := first; i < len(steps); i++ {
		s := &steps[i]
		if _, ends := s.Outcome(); ends {
			continue
		}
		up := level
		if in >= 0 && r.turns[dependency{in*int32(lanes) + int32(lane%lanes), s.Channel*int32(lanes) + int32(s.Lane)}] {
			up = min(level+1, r.more)
		}
		s.Lane += uint8(up * lanes)
	}
	return steps
}

// channelInto returns the channel that comes in by a port, -1 if there is none.
func (r raised) channelInto(sw, port int) int32 {
	net := r.Network()
	out := net.Out(sw)
	i, found := slices.BinarySearchFunc(out, port, func(c int32, port int) int { return cmp.Compare(net.From(int(c)).Number, port) })
	if !found {
		return -1
	}
	return out[i] ^ 1
}

// without are rules without some next hops.
type without struct {
	Rules
	cut map[Cut]bool
}

func (w without) Next(steps []Step, sw, port, lane int, heading int32) []Step {
	first := len(steps)
	steps = w.Rules.Next(steps, sw, port, lane, heading)
	kept := slices.DeleteFunc(steps[first:], func(s Step) bool { return w.cut[Cut{s.Channel, s.Heading}] })
	return steps[:first+len(kept)]
}

func sortDependencies(list []dependency) {
	slices.SortFunc(list, func(a, b dependency) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
}

// mostLoopCuts bounds the next hops that a cure of loops takes out.
const mostLoopCuts = 64

// loopCutsTried is how many sets of next hops are tried before the rest is cut one loop at a time.
const loopCutsTried = 500

// cureLoops takes next hops out until a heading has no loop. It tries all sets of one next hop, then
// of two and so on: each must have one of each loop or of the way into it, so it is enough to branch on those of
// one walk. Of sets of the same size it takes the one that leaves the fewest pairs without a sure way.
func (p *prover) cureLoops(f Flow) *LoopCure {
	best := &LoopCure{Heading: f.Heading}
	rules := without{p.rules, make(map[Cut]bool)}
	tried := 0
	var try func(walk []Step, cuts []Cut, most int)
	try = func(walk []Step, cuts []Cut, most int) {
		loop := loopOf(walk)
		for _, s := range slices.Concat(loop, walk[:len(walk)-len(loop)-1]) { // the loop's own come first
			if rules.cut[Cut{s.Channel, s.Heading}] {
				continue
			}
			if tried++; tried > loopCutsTried {
				return
			}
			c := Cut{s.Channel, s.Heading}
			rules.cut[c] = true
			with := append(slices.Clip(cuts), c)
			if rest := (&tracer{rules, p.rules.Entries(f.Heading), f.Heading}).loop(); rest == nil {
				if lost := p.lost(rules, f.Heading); best.Cuts == nil || lost < best.Unreachable {
					best.Cuts, best.Unreachable = with, lost
				}
			} else if most > 1 {
				try(rest, with, most-1)
			}
			delete(rules.cut, c)
		}
	}
	for most := 1; most <= mostExact && tried <= loopCutsTried && best.Cuts == nil; most++ {
		try(f.Walk, nil, most)
	}
	if best.Cuts == nil {
		return p.cutLoops(f)
	}
	best.Least = true // even if not all sets of this size were tried
	return best
}

// cutLoops takes next hops out, one of a loop at a time: each time the one that leaves the fewest pairs
// without a sure way.
func (p *prover) cutLoops(f Flow) *LoopCure {
	cure := &LoopCure{Heading: f.Heading}
	rules := without{p.rules, make(map[Cut]bool)}
	for walk := f.Walk; walk != nil && len(cure.Cuts) < mostLoopCuts; walk = (&tracer{rules, p.rules.Entries(f.Heading), f.Heading}).loop() {
		var best Cut
		fewest := int64(-1)
		for _, s := range loopOf(walk) {
			c := Cut{s.Channel, s.Heading}
			rules.cut[c] = true
			if lost := p.lost(rules, f.Heading); fewest < 0 || lost < fewest {
				best, fewest = c, lost
			}
			delete(rules.cut, c)
		}
		rules.cut[best] = true
		cure.Cuts = append(cure.Cuts, best)
		cure.Unreachable = fewest
	}
	return cure
}

// loopOf returns the part of a walk that is a loop.
func loopOf(walk []Step) []Step {
	last := walk[len(walk)-1]
	i := slices.Index(walk, last)
	return walk[i+1:]
}

// lost counts the pairs of a heading that are not sure to arrive.
func (p *prover) lost(rules Rules, heading int32) int64 {
	q := part{walker: newWalker(rules, p.lossless, p.turns.like())}
	q.follow(heading)
	return q.unreachable
}
