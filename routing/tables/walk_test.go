package tables

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/internal/routetest"
	"musubi/topology"
)

// TestWalkAgreesWithNaiveWalk damages tables at random and compares what becomes
// of the packets of each pair with a walk that only counts its steps.
func TestWalkAgreesWithNaiveWalk(t *testing.T) {
	var seen [routing.FaultKinds]int64
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 8))
		net := nettest.Random(t, rng, 8)
		rule := vcRules[rng.IntN(3)].rule // one lane, one per source, one per pair
		tables, err := NewInfiniBand(routetest.Trees(t, rng, net, 3, rule))
		check.Must(t, err)
		damage(rng, tables)
		all, err := tables.Routes()
		check.Must(t, err)

		p := routing.Verify(all[0])
		var want, got [routing.FaultKinds]int64
		arrived := naiveWalk(tables, all[0], &want)
		for _, f := range p.Faults {
			got[f.Kind] = f.Pairs
			seen[f.Kind] += f.Pairs
		}
		if got != want {
			t.Fatalf("seed %d: pairs by kind of fault %v, the naive walk has %v", seed, got, want)
		}
		if p.Pairs-p.Unreachable != arrived || p.Malformed != 0 {
			t.Fatalf("seed %d: %d of %d pairs unreachable, but packets of %d arrive; malformed: %v",
				seed, p.Unreachable, p.Pairs, arrived, p.FirstMalformed)
		}
	}
	for kind, pairs := range seen {
		if pairs == 0 {
			t.Errorf("no pair met the fault %v", routing.FaultKind(kind))
		}
	}
}

// damage changes some entries of forwarding tables and lanes.
func damage(rng *rand.Rand, tables *InfiniBand) {
	damageLanes := rng.IntN(2) == 0
	if damageLanes && tables.Lanes == nil {
		tables.Lanes = newLanes(tables.Net)
	}
	for s, sw := range tables.Net.Switches {
		for range rng.IntN(3) {
			port := uint8(rng.IntN(sw.Ports + 2))
			if rng.IntN(5) == 0 {
				port = noPort
			}
			tables.setPort(s, uint16(1+rng.IntN(len(tables.Net.EndPoints)+1)), port)
		}
		if damageLanes {
			lanes := tables.LanesAt(s, rng.IntN(sw.Ports+1), rng.IntN(sw.Ports+1))
			for level := range lanes {
				lanes[level] = maxDataVLs
			}
		}
	}
}

// naiveWalk counts what becomes of the packets of each pair, and returns how many
// pairs they arrive for.
func naiveWalk(tables *InfiniBand, r *routing.Routes, faults *[routing.FaultKinds]int64) (arrived int64) {
	net := tables.Net
	ends := map[topology.Port]int{}
	for e := range net.EndPoints {
		ends[net.EndPoints[e].At] = e
	}
	far := map[topology.Port]topology.Port{}
	for _, l := range net.Links {
		far[l.A], far[l.B] = l.B, l.A
	}
	for src := range net.EndPoints {
		for dst := range net.EndPoints {
			if src == dst {
				continue
			}
			at, steps := net.EndPoints[src].At, 0
			for ; steps < 1000; steps++ {
				port := tables.port(at.Switch, tables.Addresses.LIDs(dst)[0])
				if port == noEntry {
					faults[routing.MissingEntry]++
					break
				}
				out := topology.Port{Switch: at.Switch, Number: port}
				end, isEnd := ends[out]
				next, isLink := far[out]
				if port == 0 {
					faults[routing.Misdelivery]++
					break
				}
				if !isEnd && !isLink {
					faults[routing.DeadPort]++
					break
				}
				if tables.Lane(at.Switch, at.Number, port, tables.Levels[0].At(src, dst)) >= r.VCs {
					faults[routing.NoVC]++
					break
				}
				if isEnd {
					if end == dst {
						arrived++
					} else {
						faults[routing.Misdelivery]++
					}
					break
				}
				at = next
			}
			if steps == 1000 {
				faults[routing.Loop]++
			}
		}
	}
	return arrived
}
