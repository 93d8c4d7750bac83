package routing

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing/internal/ways"
	"musubi/topology"
)

// Routes that are kept as trees have the paths, the proof and the statistics of those kept one by
// one.
func TestTreesAreTheTables(t *testing.T) {
	const trials = 60
	for seed := range uint64(trials) {
		rng := rand.New(rand.NewPCG(seed, 19))
		net := nettest.Random(t, rng, 12)
		opt := Options{
			VCs: rng.IntN(4), Root: rng.IntN(len(net.Switches)), DestinationOnly: true,
			Selection: []Selection{LowPort, Spread, Balanced}[rng.IntN(3)],
		}
		for _, a := range algorithms {
			if a.keepsVC {
				compareTrees(t, &a, net, opt)
			}
		}
	}
}

func compareTrees(t *testing.T, a *Algorithm, net *topology.Network, opt Options) {
	t.Helper()
	if checkConnected(net) != nil {
		return
	}
	stored, err := a.build(net, opt)
	opt.trees = true
	grown, treeErr := a.build(net, opt)
	if err != nil || treeErr != nil {
		if (err == nil) != (treeErr == nil) || err.Error() != treeErr.Error() {
			t.Fatalf("%s on %s: error %v; with tables %v", a.Name, net.Name, treeErr, err)
		}
		return
	}
	if !grown.Trees() || stored.Trees() {
		t.Fatalf("%s: trees %v and %v; expected true and false", a.Name, grown.Trees(), stored.Trees())
	}
	for src := range net.EndPoints {
		for dst := range net.EndPoints {
			want, in, out, _ := stored.PathInto(nil, src, dst)
			got, gotIn, gotOut, ok := grown.PathInto(nil, src, dst)
			if src != dst && (!ok || !slices.Equal(got, want) || gotIn != in || gotOut != out) {
				t.Fatalf("%s %+v, %d to %d: path %v (%d, %d); expected %v (%d, %d)", a.Name, opt, src, dst, got, gotIn, gotOut, want, in, out)
			}
			at := net.EndPoints[src].At.Switch
			for _, h := range want {
				if c := grown.NextToward(at, dst); c != h.Channel() {
					t.Fatalf("%s, to %d: channel %d out of switch %d; expected %d", a.Name, dst, c, at, h.Channel())
				}
				at = net.To(h.Channel()).Switch
			}
			if c := grown.NextToward(at, dst); c >= 0 {
				t.Fatalf("%s: channel %d out of the switch of %d", a.Name, c, dst)
			}
		}
	}
	if got, want := grown.Longest(), stored.Longest(); got != want {
		t.Fatalf("%s: longest path %d; expected %d", a.Name, got, want)
	}
	if got, want := grown.Statistics(), stored.Statistics(); got != want {
		t.Fatalf("%s: statistics %+v; expected %+v", a.Name, got, want)
	}
	compareProofs(t, Verify(grown), Verify(stored))
}

func compareProofs(t *testing.T, got, want *Proof) {
	t.Helper()
	got.cycleAmong, want.cycleAmong = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("proof %+v\nexpected %+v", got, want)
	}
}

// Trees that lead round in a ring close the cycle that their paths close.
func TestTreesCanCloseACycle(t *testing.T) {
	net := nettest.Ring(t, 5, 2)
	p := &plan{net: net, opt: Options{algorithm: "clockwise", DestinationOnly: true, Selection: LowPort}, lanes: 1, laneVCs: 1}
	p.guide = ways.ClassAutomaton(net, 1, func(_ int, c int32) int {
		if net.To(int(c)).Switch == (net.From(int(c)).Switch+1)%5 {
			return 0
		}
		return -1
	})
	stored, err := p.build()
	if err != nil {
		t.Fatal(err)
	}
	p.opt.trees = true
	grown, err := p.build()
	if err != nil {
		t.Fatal(err)
	}
	got, want := Verify(grown), Verify(stored)
	if len(got.Cycle) != 5 || len(want.Cycle) != 5 || got.Dependencies != want.Dependencies || !reflect.DeepEqual(got.CycleClasses, want.CycleClasses) {
		t.Errorf("proof %+v\nexpected %+v", got, want)
	}
}

// A tree that has been damaged so that it leads nowhere is refused, and no check runs for ever.
func TestTreesWithPlantedLoops(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 20))
		net := nettest.Ring(t, 5+rng.IntN(5), 1)
		p := &plan{net: net, opt: Options{algorithm: "test", DestinationOnly: true, Selection: LowPort, trees: true}, lanes: 1, laneVCs: 1, guide: minimalGuide(net)}
		r, err := p.build()
		if err != nil {
			t.Fatal(err)
		}
		rule, _ := r.treesRule()
		dst := rng.IntN(len(net.Switches))
		near := (dst + 1) % len(net.Switches) // sends packets for its neighbour away from it
		column := rule.next.Column(dst, 0)
		column[near] ^= 1
		proof := Verify(r)
		if proof.Malformed != 1 || !strings.Contains(proof.FirstMalformed.Error(), " to "+net.SwitchName(dst)+": they come to switch") {
			t.Errorf("seed %d: %d malformed trees: %v", seed, proof.Malformed, proof.FirstMalformed)
		}
	}
}

func TestTreesOfTooManySwitchesAreRefused(t *testing.T) {
	a, err := Lookup("updown")
	if err != nil {
		t.Fatal(err)
	}
	net := nettest.Generate(t, "mesh:32769x1", 1)
	_, err = a.Build(net, Options{DestinationOnly: true})
	if want := "the network has 32769 switches; paths by destination are sought for at most 32768"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
