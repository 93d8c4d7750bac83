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

// The least cure of a loop lets the packets arrive, and where there is none no change of a single entry does.
func TestLeastCureOfLoops(t *testing.T) {
	cured, incurable := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 9))
		net := nettest.Random(t, rng, 8)
		oneLane := func(_, _, _ int) int { return 0 }
		tables, err := NewInfiniBand(routetest.Trees(t, rng, net, 3, oneLane))
		check.Must(t, err)
		damage(rng, tables)
		tables.Lanes = nil
		plane := newLIDPlane(tables, 0)
		w := &walker{net: net, tables: plane, vcs: tables.VLs(), wiring: newWiring(net)}
		for src := range net.EndPoints {
			for dst := range net.EndPoints {
				_, stop := w.walk(src, dst)
				if src == dst || stop == nil || stop.kind != routing.Loop {
					continue
				}
				port, ok := w.leastCure(src, dst, stop.at)
				if ok && !w.arrives(tables, src, dst, port) {
					t.Fatalf("seed %d: packets from %d to %d do not arrive by port %v", seed, src, dst, port)
				}
				if !ok && w.anyEntryCures(tables, src, dst) {
					t.Fatalf("seed %d: an entry cures the loop of packets from %d to %d", seed, src, dst)
				}
				if ok {
					cured++
				} else {
					incurable++
				}
			}
		}
	}
	if cured < 100 || incurable == 0 {
		t.Errorf("%d loops were cured and %d not; expected some of both", cured, incurable)
	}
}

// arrives reports whether packets arrive if a switch sends those to dst by a port.
func (w *walker) arrives(tables *InfiniBand, src, dst int, port topology.Port) bool {
	lid := tables.Addresses.LIDs(dst)[0]
	old := tables.port(port.Switch, lid)
	tables.SetPort(port.Switch, lid, port.Number)
	_, stop := w.walk(src, dst)
	tables.SetPort(port.Switch, lid, old)
	return stop == nil
}

func (w *walker) anyEntryCures(tables *InfiniBand, src, dst int) bool {
	for s, sw := range w.net.Switches {
		for number := range sw.Ports + 1 {
			if w.arrives(tables, src, dst, topology.Port{Switch: s, Number: number}) {
				return true
			}
		}
	}
	return false
}
