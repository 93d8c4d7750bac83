package faults

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/change"
	"musubi/routing/tables"
	"musubi/topology"
)

func forwarding(t *testing.T, net *topology.Network) *change.Forwarding {
	t.Helper()
	a, err := routing.Lookup("updown")
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Build(net, routing.Options{DestinationOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	table, err := tables.NewInfiniBand(r)
	if err != nil {
		t.Fatal(err)
	}
	return change.Read(table)
}

// lossOf is what a failure takes away.
func lossOf(f Failure) topology.Loss {
	loss := topology.NewLoss()
	for _, x := range f.Items {
		if x.Switch >= 0 {
			loss.Switches[x.Switch] = true
		} else {
			loss.Links[x.Link] = true
		}
	}
	return loss
}

// Each failure comes once, on any number of cores; the pairs that it costs are those that the
// network without it does not join; and the worst come first.
func TestSurveys(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 3))
		net := nettest.Random(t, rng, 8)
		if net.Hosts() < 2 || len(net.Switches) < 2 {
			continue
		}
		react := Repairing(forwarding(t, net))
		for _, double := range []bool{false, true} {
			s := Run(context.Background(), net, react, double, 0, func(float64) {})
			if s.Done != s.All || int64(len(s.Worst)) != s.All {
				t.Fatalf("seed %d: %d of %d failures, %d listed", seed, s.Done, s.All, len(s.Worst))
			}
			if !slices.IsSortedFunc(s.Worst, compare) {
				t.Fatalf("seed %d: the worst do not come first", seed)
			}
			for _, f := range s.Worst {
				checkFailure(t, seed, net, f)
			}
		}
	}
}

func checkFailure(t *testing.T, seed uint64, net *topology.Network, f Failure) {
	t.Helper()
	loss := lossOf(f)
	if f.Verdict == Deadlock || f.Verdict == Unrouted {
		t.Fatalf("seed %d: %v after %v", seed, f, loss)
	}
	if len(loss.Switches) == len(net.Switches) {
		return
	}
	rest, _, err := net.Without(loss)
	if err != nil {
		t.Fatal(err)
	}
	apart := int64(0)
	for a := range rest.Hosts() {
		dist := rest.Distances(rest.EndPoints[a].At.Switch)
		for b := range rest.Hosts() {
			if dist[rest.EndPoints[b].At.Switch] < 0 {
				apart++
			}
		}
	}
	if apart != f.Apart || net.Hosts()-rest.Hosts() != f.HostsGone {
		t.Fatalf("seed %d: without %v, %d pairs and %d hosts are lost; got %+v", seed, loss, apart, net.Hosts()-rest.Hosts(), f.Cost)
	}
}

// What is kept is what a survey of all would list first, and an interrupt ends it.
func TestSurveysKeepTheWorst(t *testing.T) {
	net := nettest.Generate(t, "mesh:3x3", 1)
	react := Repairing(forwarding(t, net))
	all := Run(context.Background(), net, react, true, 0, func(float64) {})
	some := Run(context.Background(), net, react, true, 5, func(float64) {})
	if !slices.EqualFunc(some.Worst, all.Worst[:5], func(a, b Failure) bool { return compare(a, b) == 0 }) {
		t.Errorf("%v is kept; expected %v", some.Worst, all.Worst[:5])
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s := Run(ctx, net, react, true, 5, func(float64) {}); s.Done == s.All {
		t.Error("a survey went on after its context had ended")
	}
}

// endless is a reaction that takes for ever, and during which an interrupt comes.
type endless struct {
	interrupt context.CancelFunc
	released  chan struct{}
}

func (x *endless) Fork() Reaction { return x }

func (x *endless) Cost(topology.Loss) Cost {
	x.interrupt()
	<-x.released
	return Cost{}
}

func TestAnInterruptDoesNotWait(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	x := &endless{cancel, make(chan struct{})}
	defer close(x.released)
	if s := Run(ctx, nettest.Generate(t, "mesh:3x3", 1), x, false, 0, func(float64) {}); s.Done != 0 || s.All != 21 {
		t.Errorf("%d of %d failures are done; want 0 of 21", s.Done, s.All)
	}
}
