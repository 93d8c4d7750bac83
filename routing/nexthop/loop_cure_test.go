package nexthop_test

import (
	"math/rand/v2"
	"testing"

	"musubi/routing/nexthop"
)

// loops reports whether packets to a heading can go round, if some next hops are taken out.
func (t *table) loops(heading int32, cut map[nexthop.Cut]bool) bool {
	type place = nexthop.Step
	on, done := map[place]bool{}, map[place]bool{}
	var round func(steps []nexthop.Step) bool
	round = func(steps []nexthop.Step) bool {
		for _, s := range steps {
			if _, ends := s.Outcome(); ends || s.Heading == nexthop.Astray || cut[nexthop.Cut{Channel: s.Channel, Heading: s.Heading}] || done[s] {
				continue
			}
			if on[s] {
				return true
			}
			on[s] = true
			to := t.net.To(int(s.Channel))
			if round(t.Next(nil, to.Switch, to.Number, int(s.Lane), s.Heading)) {
				return true
			}
			delete(on, s)
			done[s] = true
		}
		return false
	}
	for _, e := range t.Entries(heading) {
		if round(t.Next(nil, e.Switch, e.Port, e.Lane, heading)) {
			return true
		}
	}
	return false
}

// A cure of loops leaves none, and one that is the least has no part that would do, nor any other single next hop.
func TestLoopCuresAreTheLeast(t *testing.T) {
	several := 0
	for seed := range uint64(2000) {
		rules := randomRules(rand.New(rand.NewPCG(seed, 7)))
		cure := nexthop.Prove(rules).LoopCure
		if cure == nil {
			continue
		}
		cut := map[nexthop.Cut]bool{}
		for _, c := range cure.Cuts {
			cut[c] = true
		}
		if rules.loops(cure.Heading, cut) || len(cut) != len(cure.Cuts) {
			t.Fatalf("seed %d: %+v leaves a loop", seed, cure)
		}
		if !cure.Least {
			t.Errorf("seed %d: %+v is not sure to be the least, on a network of four switches", seed, cure)
		}
		if len(cure.Cuts) < 2 {
			continue
		}
		several++
		for c := range rules.net.Channels() {
			for h := range 5 {
				if one := (nexthop.Cut{Channel: int32(c), Heading: int32(h)}); !rules.loops(cure.Heading, map[nexthop.Cut]bool{one: true}) {
					t.Errorf("seed %d: %+v has several next hops; %v alone does", seed, cure, one)
				}
			}
		}
	}
	if several < 20 {
		t.Errorf("%d cures of several next hops; expected more", several)
	}
}
