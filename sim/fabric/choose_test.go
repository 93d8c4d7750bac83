package fabric_test

import (
	"slices"
	"testing"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/sim/flit"
	"musubi/sim/packet"
	"musubi/units"
)

// watched checks that a scheme chooses what it says it may.
type watched struct {
	adaptive.Scheme
	t     *testing.T
	moves []adaptive.Move
}

func (w *watched) Choose(v adaptive.View, p adaptive.Packet, sw int) adaptive.Move {
	m := w.Scheme.Choose(v, p, sw)
	w.moves = w.Moves(w.moves[:0], sw, p.To, p.State)
	again := m
	again.Again = false
	if !slices.Contains(w.moves, again) {
		w.t.Fatalf("%s: packet %+v at switch %d chooses %+v; expected one of %v", w.Name(), p, sw, m, w.moves)
	}
	return m
}

// chosen builds a configuration in which packets choose.
func chosen(t *testing.T, network, scheme string, router fabric.Router) fabric.Config {
	t.Helper()
	net, routes := fabrictest.Build(t, network, 0, "updown", routing.Options{})
	s, err := adaptive.Build(scheme, net, adaptive.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.VCs, cfg.Choice, cfg.Router = s.VCs(), &watched{Scheme: s, t: t}, router
	return cfg
}

var choosers = []struct{ network, scheme string }{
	{"dragonfly:a=4,h=2,p=2", "ugal"}, {"dragonfly:a=4,h=2,p=2,g=5", "valiant"}, {"dragonfly:a=4,h=2,p=2", "ugal-g"},
	{"torus:4x4", "adaptive"}, {"torus:4x4", "spray"}, {"torus:5x3", "ugal"}, {"fattree:k=4", "ecmp"}, {"fattree:k=4", "adaptive"},
	{"random:switches=16,degree=4,seed=1", "ugal-g"}, {"random:switches=30,degree=3,seed=2", "adaptive"}, {"ring:9", "adaptive"},
}

// TestFlitsChoose overloads networks whose packets choose: all arrive, and every choice is one that
// was proved.
func TestFlitsChoose(t *testing.T) {
	routers := []fabric.Router{
		{},
		{Switching: fabric.Wormhole, VCAllocDelay: 1},
		{Switching: fabric.Wormhole, VCAllocDelay: 1, Speedup: 1.7, CreditDelay: 2},
		{Lanes: 2, Iterations: 2},
	}
	for i, c := range choosers {
		router := routers[i%len(routers)]
		cfg := chosen(t, c.network, c.scheme, router)
		if router.Switching == fabric.Wormhole {
			cfg.Buffer = 8 * 8
		}
		q := new(engine.Queue)
		f, err := flit.New(cfg, q)
		if err != nil {
			t.Fatal(err)
		}
		l := fabrictest.NewUniform(f, q, cfg, 16, 0.9, 20*units.Microsecond)
		l.Run(units.Never)
		if stuck := f.Stuck(); stuck != nil {
			t.Fatalf("%s on %s: %v", c.scheme, c.network, stuck)
		}
		if err := f.Conserved(); err != nil || l.Delivered == 0 {
			t.Errorf("%s on %s: %d delivered, %v", c.scheme, c.network, l.Delivered, err)
		}
	}
}

// TestPacketsChoose is TestFlitsChoose with the packet engine.
func TestPacketsChoose(t *testing.T) {
	for i, c := range choosers {
		cfg := chosen(t, c.network, c.scheme, fabric.Router{})
		if i%3 == 2 {
			cfg.Flow = fabric.StopGo
		}
		q := new(engine.Queue)
		f, err := packet.New(cfg, q)
		if err != nil {
			t.Fatal(err)
		}
		l := fabrictest.NewUniform(f, q, cfg, 32, 0.9, 100*units.Microsecond)
		l.Run(units.Never)
		if stuck := f.Stuck(); stuck != nil {
			t.Fatalf("%s on %s: %v", c.scheme, c.network, stuck)
		}
		if err := f.Conserved(); err != nil || l.Delivered == 0 {
			t.Errorf("%s on %s: %d delivered, %v", c.scheme, c.network, l.Delivered, err)
		}
	}
}

// TestInOrder: packets that choose arrive in the order in which they were sent, in both engines, though
// they overtake each other, and none is lost.
func TestInOrder(t *testing.T) {
	for _, c := range []struct{ network, scheme string }{{"torus:4x4", "adaptive"}, {"fattree:k=4", "spray"}, {"dragonfly:a=4,h=2,p=2", "ugal"}} {
		for _, engineName := range []string{"packet", "flit"} {
			cfg := chosen(t, c.network, c.scheme, fabric.Router{})
			q := new(engine.Queue)
			var inner fabric.Fabric
			var err error
			if inner, err = packet.New(cfg, q); engineName == "flit" {
				inner, err = flit.New(cfg, q)
			}
			if err != nil {
				t.Fatal(err)
			}
			f := fabric.NewInOrder(inner, q)
			ends := len(cfg.Net.EndPoints)
			const each = 200
			for e := range ends { // pairs at a distance, all at once
				for i := range each {
					f.Send(fabric.Packet{Src: e, Dst: (e + ends/2 + i%3) % ends, Flits: 1 + (e*i)%32, Tag: uint64(i)})
				}
			}
			last := make(map[[2]int]uint64)
			delivered := 0
			for {
				ev, ok := f.Run(units.Never)
				if !ok {
					break
				}
				d := f.Delivery(ev.A)
				pair := [2]int{d.Src, d.Dst}
				if before, seen := last[pair]; seen && d.Tag <= before {
					t.Fatalf("%s, %s engine: from %d to %d packet %d comes after %d", c.scheme, engineName, d.Src, d.Dst, d.Tag, before)
				}
				last[pair] = d.Tag
				delivered++
				f.Release(ev.A)
			}
			if err := f.Conserved(); err != nil || delivered != each*ends {
				t.Errorf("%s, %s engine: %d of %d delivered; %v", c.scheme, engineName, delivered, each*ends, err)
			}
			if use := f.Reordering(); use.Packets == 0 || use.Flits < 1 {
				t.Errorf("%s, %s engine: nothing was put in order: %+v", c.scheme, engineName, use)
			}
		}
	}
}
