package play_test

import (
	"fmt"
	"testing"

	"musubi/routing"
	"musubi/topology/networks"
	"musubi/view/play"
)

// minimal routes a network without regard to deadlock, and proves it.
func minimal(t *testing.T, spec string) (*routing.Routes, *routing.Proof) {
	t.Helper()
	net, err := networks.Open(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	algorithm, err := routing.Lookup("minimal")
	if err != nil {
		t.Fatal(err)
	}
	routes, err := algorithm.Build(net, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return routes, routing.Verify(routes)
}

// The flows of each cycle that a proof shows come to the deadlock, and the channels in it join.
func TestCyclesBecomeDeadlocks(t *testing.T) {
	specs := []string{"ring:5", "ring:8", "torus:4x4", "torus:5x5", "torus:3x3x3", "dragonfly:a=4,h=2,p=2"}
	for seed := range 12 {
		specs = append(specs, fmt.Sprintf("random:switches=12,degree=3,seed=%d", seed))
	}
	cycles := 0
	for _, spec := range specs {
		routes, proof := minimal(t, spec)
		if proof.Cycle == nil {
			continue
		}
		cycles++
		p, err := play.Of(routes, proof.Cycle)
		if err != nil {
			t.Fatal(err)
		}
		if p.Deadlock == nil || len(p.Deadlock.Cycle) == 0 {
			t.Errorf("%s: the flows of a cycle of %d channels came to no deadlock", spec, len(proof.Cycle))
			continue
		}
		for i, h := range p.Deadlock.Cycle {
			next := p.Deadlock.Cycle[(i+1)%len(p.Deadlock.Cycle)]
			if routes.Net.To(h.Channel).Switch != routes.Net.From(next.Channel).Switch {
				t.Errorf("%s: channels %d and %d of the deadlock do not join", spec, i, i+1)
			}
		}
		checkMoves(t, spec, p)
	}
	if cycles < 10 {
		t.Errorf("only %d networks have a cycle; expected 10 or more", cycles)
	}
}

// checkMoves checks that packets take their links in order, and that a buffer, which has room for
// one, never holds two.
func checkMoves(t *testing.T, spec string, p *play.Play) {
	t.Helper()
	holder := map[routing.Hop]int{}
	next := make([]int, len(p.Packets))
	for i, m := range p.Moves {
		flow := p.Flows[p.Packets[m.Packet].Flow]
		if m.Link != next[m.Packet] {
			t.Fatalf("%s: move %d is link %d of packet %d; expected %d", spec, i, m.Link, m.Packet, next[m.Packet])
		}
		next[m.Packet]++
		if i > 0 && m.At < p.Moves[i-1].At {
			t.Fatalf("%s: move %d at %v comes after one at %v", spec, i, m.At, p.Moves[i-1].At)
		}
		if m.Link >= 2 && m.Link <= len(flow.Way)+1 {
			delete(holder, flow.Way[m.Link-2])
		}
		if m.Link >= 1 && m.Link <= len(flow.Way) {
			hop := flow.Way[m.Link-1]
			if other, taken := holder[hop]; taken {
				t.Fatalf("%s: packets %d and %d are in the buffer of channel %d", spec, other, m.Packet, hop.Channel())
			}
			holder[hop] = m.Packet
		}
	}
	for _, h := range p.Deadlock.Cycle {
		packet, held := holder[routing.MakeHop(h.Channel, h.VC)]
		if flow := p.Flows[p.Packets[packet].Flow]; !held || flow.Src != h.Src || flow.Dst != h.Dst {
			t.Errorf("%s: the deadlock says that %d -> %d holds channel %d; the moves do not", spec, h.Src, h.Dst, h.Channel)
		}
	}
}

// Without packets that wait for each other, all arrive.
func TestFlowsWithoutCycleArrive(t *testing.T) {
	routes, proof := minimal(t, "ring:8")
	p, err := play.Of(routes, proof.Cycle[:1])
	if err != nil {
		t.Fatal(err)
	}
	if p.Deadlock != nil {
		t.Errorf("a single flow came to a deadlock: %v", p.Deadlock)
	}
	if last := p.Moves[len(p.Moves)-1]; last.Link != len(p.Flows[0].Way)+2 {
		t.Errorf("the last move is link %d; expected the arrival, %d", last.Link, len(p.Flows[0].Way)+2)
	}
}
