package multicast_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/routing/multicast"
	"musubi/topology"
	"musubi/topology/generate"
)

// copies follows the copies of a packet from a host: it counts those that hosts get, and reports whether
// one comes to a place again or to a switch without an entry.
func copies(net *topology.Network, entries map[int][]int, source int) (got map[int]int, sound bool) {
	got, sound = make(map[int]int), true
	seen := make(map[topology.Port]bool)
	var arrive func(at topology.Port)
	arrive = func(at topology.Port) {
		if seen[at] || len(entries[at.Switch]) == 0 {
			sound = false
			return
		}
		seen[at] = true
		for _, port := range entries[at.Switch] {
			out := topology.Port{Switch: at.Switch, Number: port}
			if out == at {
				continue
			}
			for _, l := range net.Links {
				switch out {
				case l.A:
					arrive(l.B)
				case l.B:
					arrive(l.A)
				}
			}
			for e, p := range net.EndPoints {
				if p.At == out {
					got[e]++
				}
			}
		}
	}
	arrive(net.EndPoints[source].At)
	return got, sound
}

func TestCheckAgreesWithCopies(t *testing.T) {
	net, err := generate.Network("mesh:2x2", 1)
	if err != nil {
		t.Fatal(err)
	}
	trees := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		entries := make(map[int][]int)
		set := func(p topology.Port) {
			if r.IntN(20) > 0 {
				entries[p.Switch] = append(entries[p.Switch], p.Number)
			}
		}
		for _, l := range net.Links {
			if r.IntN(4) > 0 {
				set(l.A)
				set(l.B)
			}
		}
		for _, e := range net.EndPoints {
			set(e.At)
		}
		tables := multicast.Tables{Net: net, Groups: map[uint16]map[int][]int{0xc000: entries}}
		g := tables.Check()[0]
		perfect := true
		for _, e := range g.Members {
			got, sound := copies(net, entries, int(e))
			perfect = perfect && sound && len(got) == len(g.Members)-1
			for member, n := range got {
				perfect = perfect && n == 1 && slices.Contains(g.Members, int32(member))
			}
		}
		if g.OK() && !perfect {
			t.Fatalf("seed %d: %v is called sound", seed, entries)
		}
		// What no member's packet can meet is a fault of the tables all the same.
		if perfect && len(g.Members) > 1 && (g.Loop != nil || g.Parts > 1) {
			t.Fatalf("seed %d: %+v, but copies of all packets arrive once", seed, g)
		}
		if g.Loop != nil && len(g.Loop) != 4 {
			t.Fatalf("seed %d: a loop of %d links; a square has one of 4", seed, len(g.Loop))
		}
		if g.OK() && len(g.Members) > 1 {
			trees++
		}
	}
	if trees < 100 {
		t.Errorf("%d trees; expected some", trees)
	}
}
