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
				follow(t, s, sw, to)
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

// follow lets a packet choose until it arrives.
func follow(t *testing.T, s Scheme, sw, to int) {
	t.Helper()
	net := s.Network()
	p := Packet{Src: int(net.EndPointsAt(sw)[0]), Dst: int(net.EndPointsAt(to)[0]), To: to}
	for hops := 0; sw != to; hops++ {
		if hops > 8 {
			t.Fatalf("%s of %s: a packet to %s goes round", s.Name(), net.Name, net.SwitchName(to))
		}
		m := s.Choose(idle{}, p, sw)
		if net.From(int(m.Channel)).Switch != sw {
			t.Fatalf("%s of %s: at %s a packet chooses a channel of another switch", s.Name(), net.Name, net.SwitchName(sw))
		}
		sw, p.State = net.To(int(m.Channel)).Switch, m.State
	}
}
