package adaptive

import (
	"testing"

	"musubi/topology"
	"musubi/topology/generate"
)

// TestDragonflyStaysOne takes links and a switch from a dragonfly, one by one: it remains a dragonfly for packets
// that take detours, needs no virtual channels more, and is proved.
func TestDragonflyStaysOne(t *testing.T) {
	for network, step := range map[string]int{"dragonfly:a=4,h=2,p=2": 50, "dragonfly:a=3,h=1,p=1": 3} {
		net, err := generate.Network(network, 0)
		if err != nil {
			t.Fatal(err)
		}
		for link := 0; link < len(net.Links); link += step {
			loss := topology.NewLoss()
			loss.Links[link] = true
			proveWithout(t, net, loss)
		}
		loss := topology.NewLoss()
		loss.Switches[1] = true
		proveWithout(t, net, loss)
	}
}

func proveWithout(t *testing.T, net *topology.Network, loss topology.Loss) {
	t.Helper()
	rest, _, err := net.Without(loss)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"ugal": 3, "ugal-g": 3, "valiant": 3, "booksim-ugal": 3} {
		s, err := Build(name, rest, Options{Seed: 1})
		if err != nil {
			t.Errorf("%s of %s without %v: %v", name, net.Name, loss, err)
			continue
		}
		proof := Prove(s)
		n := int64(len(rest.EndPoints))
		if proof.Unreachable > 0 || proof.Pairs != n*(n-1) || proof.DeadlockFree() == (name == "booksim-ugal") || s.VCs() != want {
			t.Errorf("%s of %s without %v: %d of %d pairs unreachable, cycle of %d, %d virtual channels", name, net.Name, loss, proof.Unreachable, proof.Pairs, len(proof.Cycle), s.VCs())
		}
		for sw := range rest.Switches {
			for to := range rest.Switches {
				if a := rest.EndPointsAt(sw); sw == to || len(a) == 0 || len(rest.EndPointsAt(to)) == 0 {
					continue
				}
				follow(t, s, sw, to, 8)
			}
		}
	}
	s, err := Build("adaptive", rest, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if proof := Prove(s); proof.Unreachable > 0 || !proof.DeadlockFree() {
		t.Errorf("adaptive of %s without %v: %d pairs unreachable, cycle of %d", net.Name, loss, proof.Unreachable, len(proof.Cycle))
	}
}

// idle is a view of queues that are empty.
type idle struct{}

func (idle) Queue(int) int      { return 0 }
func (idle) Lane(int, int) int  { return 0 }
func (idle) Free(int, int) bool { return true }

// follow lets a packet choose until it arrives, after so many hops at most.
func follow(t *testing.T, s Scheme, sw, to, most int) {
	t.Helper()
	net := s.Network()
	p := Packet{Src: int(net.EndPointsAt(sw)[0]), Dst: int(net.EndPointsAt(to)[0]), To: to}
	for hops := 0; sw != to; hops++ {
		if hops > most {
			t.Fatalf("%s of %s: a packet to %s goes round", s.Name(), net.Name, net.SwitchName(to))
		}
		m := s.Choose(idle{}, p, sw)
		if net.From(int(m.Channel)).Switch != sw {
			t.Fatalf("%s of %s: at %s a packet chooses a channel of another switch", s.Name(), net.Name, net.SwitchName(sw))
		}
		sw, p.State = net.To(int(m.Channel)).Switch, m.State
	}
}

// TestCoordinatesStay takes a link from networks with coordinates: dimension order goes the other way round, or by way of a third
// switch of the line, and packets that choose have it to escape to, on no virtual channels more.
func TestCoordinatesStay(t *testing.T) {
	for network, want := range map[string]struct{ minimal, detour, step int }{
		"torus:5x4": {3, 4, 3}, "torus:4x4x3": {3, 4, 13}, "torus:3x3": {2, 2, 2}, "ring:7": {3, 4, 1}, "hyperx:4x4": {2, 2, 5}, "hyperx:3x4,k=2x1": {2, 2, 1},
	} {
		net, err := generate.Network(network, 0)
		if err != nil {
			t.Fatal(err)
		}
		for link := 0; link < len(net.Links); link += want.step {
			loss := topology.NewLoss()
			loss.Links[link] = true
			rest, _, err := net.Without(loss)
			if err != nil {
				t.Fatal(err)
			}
			for name, vcs := range map[string]int{"adaptive": want.minimal, "ecmp": want.minimal, "ugal": want.detour, "valiant": want.detour} {
				s, err := Build(name, rest, Options{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				if proof := Prove(s); proof.Unreachable > 0 || !proof.DeadlockFree() || s.VCs() != vcs {
					t.Errorf("%s of %s without link %d: %d pairs unreachable, cycle of %d, %d virtual channels, want %d", name, network, link, proof.Unreachable, len(proof.Cycle), s.VCs(), vcs)
				}
				on := On(net, s)
				for sw := range net.Switches {
					for to := range net.Switches {
						if sw != to {
							follow(t, on, sw, to, 16) // twice all the way round
						}
					}
				}
			}
		}
	}
}

// A mesh has no other way round, so packets escape by Up*/Down*; and without a switch there is no dimension order.
func TestWhereDimensionOrderEnds(t *testing.T) {
	for network, lose := range map[string]func(topology.Loss){
		"mesh:3x3": func(l topology.Loss) { l.Links[0] = true }, "torus:4x4x4": func(l topology.Loss) { l.Switches[5] = true },
		"ring:6": func(l topology.Loss) { l.Switches[2] = true },
	} {
		net, err := generate.Network(network, 0)
		if err != nil {
			t.Fatal(err)
		}
		loss := topology.NewLoss()
		lose(loss)
		rest, _, err := net.Without(loss)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCommon("adaptive", rest, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if b := dimensionOrder(&c); b != nil {
			t.Errorf("%s: dimension order of what is left", network)
		}
		s, err := Build("adaptive", rest, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if proof := Prove(s); !proof.OK() {
			t.Errorf("%s: what is left is not proved", network)
		}
	}
}
