package packet

import (
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/units"
)

// passage is what can be seen of a packet.
type passage struct {
	src, dst                      int
	queued, entered, header, tail units.Time
}

// TestPortsAreLikeEndPoints compares end points of several ports with as many end
// points of one port at the same switch.
func TestPortsAreLikeEndPoints(t *testing.T) {
	const ports, packets = 3, 400
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		spec := []string{"mesh:1x1", "mesh:3x2", "torus:4x3"}[rng.IntN(3)]
		flow := []fabric.Flow{fabric.Credit, fabric.StopGo}[rng.IntN(2)]
		var passages [2][]passage
		var busy [2][]units.Time
		plan := rng.Uint64()
		for i, each := range []int{ports, 1} {
			net, routes := fabrictest.Build(t, spec, ports/each, "dl", routing.Options{Selection: routing.LowPort})
			cfg := fabrictest.DefaultConfig(net, routes)
			cfg.Flow, cfg.Ports = flow, each
			q := new(engine.Queue)
			f, err := New(cfg, q)
			if err != nil {
				t.Fatal(err)
			}
			draw := rand.New(rand.NewPCG(plan, 1))
			ends := len(net.EndPoints) * each
			for range packets {
				src, dst := draw.IntN(ends), draw.IntN(ends)
				f.Send(fabric.Packet{Src: src / each, Out: src % each, Dst: dst / each, In: dst % each, Flits: 1 + draw.IntN(cfg.MaxPacket)})
			}
			for {
				ev, ok := f.Run(units.Never)
				if !ok {
					break
				}
				d := f.Delivery(ev.A)
				passages[i] = append(passages[i], passage{d.Src * each, d.Dst*each + d.In, d.Queued, d.Entered, d.Header, d.Tail})
				f.Release(ev.A)
			}
			if err := f.Conserved(); err != nil || len(passages[i]) != packets {
				t.Fatalf("seed %d: %d of %d packets delivered: %v", seed, len(passages[i]), packets, err)
			}
			busy[i] = f.Busy()
		}
		for i := range passages[1] { // of which the source's port is not told
			passages[1][i].src -= passages[1][i].src % ports
		}
		if !slices.Equal(passages[0], passages[1]) || !slices.Equal(busy[0], busy[1]) {
			t.Errorf("seed %d: %s with %s: ports differ from end points", seed, spec, flow)
		}
	}
}
