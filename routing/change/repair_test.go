package change

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/tables"
	"musubi/topology"
)

func forwardingOf(t testing.TB, net *topology.Network, algorithm string) *Forwarding {
	t.Helper()
	a, err := routing.Lookup(algorithm)
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
	return Read(table)
}

// loseSome takes one or two links or switches.
func loseSome(rng *rand.Rand, net *topology.Network) topology.Loss {
	loss := topology.NewLoss()
	for range 1 + rng.IntN(2) {
		if rng.IntN(4) == 0 && len(net.Switches) > 2 {
			loss.Switches[rng.IntN(len(net.Switches))] = true
		} else {
			loss.Links[rng.IntN(len(net.Links))] = true
		}
	}
	return loss
}

// After a repair every pair that the network still joins has a path, no deadlock is possible, not
// more than twice as many entries have changed as used what is gone, and the others are as before.
// The proof is that of package routing, on tables for what is left.
func TestRepairsKeepWhatWorks(t *testing.T) {
	seen := make(map[string]int)
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		net := nettest.Random(t, rng, 12)
		if seed%5 == 0 {
			net = nettest.Generate(t, "fattree:k=4", 2)
		}
		if net.Hosts() < 2 || len(net.Links) == 0 {
			continue
		}
		name := []string{"updown", "lash", "l-turn"}[rng.IntN(3)]
		f := forwardingOf(t, net, name)
		loss := loseSome(rng, net)
		if len(loss.Switches) == len(net.Switches) {
			continue
		}
		where := fmt.Sprintf("seed %d, %s, %s, %v", seed, net.Name, name, loss)
		r := Reroute(f, loss)
		checkRepair(t, where, r)
		seen[kindOf(r, Prove(r.Old, r.New, r.Loss))]++
	}
	t.Log(seen)
}

func kindOf(r *Result, p *Transition) string {
	if p.AnyOrder() {
		return kind(r) + ", any order"
	}
	return kind(r)
}

func kind(r *Result) string {
	switch {
	case r.Anew:
		return "anew"
	case r.Unordered:
		return "unordered"
	case r.Widened:
		return "widened"
	}
	return "as before"
}

func checkRepair(t *testing.T, where string, r *Result) {
	t.Helper()
	table, err := r.Tables()
	if err != nil {
		t.Fatal(where, err)
	}
	proof, err := table.Verify()
	if err != nil {
		t.Fatal(where, err)
	}
	if r.NotAnew != nil {
		t.Logf("%s: %v", where, r.NotAnew)
	}
	if !proof.DeadlockFree() || proof.Malformed > 0 {
		t.Fatalf("%s: the new tables can deadlock", where)
	}
	if unreachable := unjoined(table.Net); proof.Unreachable != unreachable && r.NotAnew == nil {
		t.Fatalf("%s: %d pairs have no path; expected %d", where, proof.Unreachable, unreachable)
	}
	if !r.Anew && r.Changed > 2*r.Affected {
		t.Fatalf("%s: %d entries changed, and %d used what is gone", where, r.Changed, r.Affected)
	}
	if r.NotAnew == nil && !r.Anew && !r.Unordered {
		load := Load(r.New, r.Loss)
		if most := slices.Max(load); r.Most != most {
			t.Fatalf("%s: the largest load is said to be %d; expected %d", where, r.Most, most)
		}
	}
	p := Prove(r.Old, r.New, r.Loss)
	if kind(r) == "as before" && !p.AnyOrder() {
		t.Fatalf("%s: a repair without new dependencies needs an order of updates", where)
	}
	if !p.OldFree || !p.NewFree {
		t.Fatalf("%s: old free %v, new free %v; expected both", where, p.OldFree, p.NewFree)
	}
}

// unjoined counts the ordered pairs of end points in different parts of a network.
func unjoined(net *topology.Network) int64 {
	n := int64(0)
	for _, a := range net.EndPoints {
		dist := net.Distances(a.At.Switch)
		for _, b := range net.EndPoints {
			if dist[b.At.Switch] < 0 {
				n++
			}
		}
	}
	return n
}

// A host that has moved to another port of its switch costs the entries of that switch, and no
// others; levels stay.
func TestDeliveryToAnotherPort(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 11))
		net := nettest.Random(t, rng, 10)
		if net.Hosts() < 2 || len(net.Links) == 0 {
			continue
		}
		f := forwardingOf(t, net, []string{"updown", "lash"}[seed%2])
		moved := rng.IntN(net.Hosts())
		moves := 0
		for d, to := range f.Destinations {
			if to.EndPoint == moved {
				f.Tables.SetPort(to.Switch, f.Destinations[d].LID, -rng.IntN(2))
				moves++
			}
		}
		f = Read(f.Tables)
		loss := topology.NewLoss()
		if seed%3 == 0 {
			loss.Links[rng.IntN(len(net.Links))] = true
		}
		r := Reroute(f, loss)
		where := fmt.Sprintf("seed %d, %s", seed, net.EndPointName(moved))
		checkRepair(t, where, r)
		if r.Anew && len(loss.Links) == 0 {
			t.Fatalf("%s: all entries are new; expected those of the switch of the host only", where)
		}
		if n := r.Changed + r.Added; len(loss.Links) == 0 && n != moves {
			t.Fatalf("%s: %d entries change; expected %d", where, n, moves)
		}
	}
}

// Ports may have more LIDs than the network knows, as tables tell them. A new routing leads to all.
func TestAnewToAllLIDs(t *testing.T) {
	net := nettest.Generate(t, "ring:5", 1)
	first := forwardingOf(t, net, "minimal").Tables
	var dump strings.Builder
	if err := first.WriteForwarding(&dump); err != nil {
		t.Fatal(err)
	}
	more := regexp.MustCompile(`(?m)^0x00(.*)$`).ReplaceAllString(dump.String(), "$0\n0x01$1")
	table, err := tables.ReadForwarding(strings.NewReader(more), "more.lfts", net)
	if err != nil {
		t.Fatal(err)
	}
	r := Reroute(Read(table), topology.NewLoss())
	if !r.Anew {
		t.Fatal("the old tables can deadlock; expected new ones")
	}
	checkEnds(t, r)
}

// checkEnds fails unless the new tables connect all pairs without a deadlock.
func checkEnds(t *testing.T, r *Result) {
	t.Helper()
	table, err := r.Tables()
	if err != nil {
		t.Fatal(err)
	}
	proof, err := table.Verify()
	if err != nil {
		t.Fatal(err)
	}
	if !proof.OK() {
		t.Fatalf("the new tables leave %d of %d pairs without a path, free of deadlock %v", proof.Unreachable, proof.Pairs, proof.DeadlockFree())
	}
}

// An entry that is missing is none to what has gone, nor are those that lead to its switch.
func TestMissingEntryIsNotGone(t *testing.T) {
	f := forwardingOf(t, nettest.Generate(t, "mesh:3", 1), "updown")
	f.Tables.SetPort(1, f.Tables.Addresses.LIDs(2)[0], -1)
	r := Reroute(Read(f.Tables), topology.NewLoss())
	if r.Affected != 0 || r.Changed != 0 || r.Added != 1 {
		t.Fatalf("%d entries used what has gone, %d changed, %d were added; expected 0, 0 and 1", r.Affected, r.Changed, r.Added)
	}
	checkEnds(t, r)
}

// Entries that lead to a switch without one are mended, also where that switch has no end points.
func TestMissingEntryOnTheWay(t *testing.T) {
	f := forwardingOf(t, nettest.Generate(t, "fattree:k=4", 2), "updown")
	const top = 16
	for _, d := range f.Destinations[:8] {
		f.Tables.SetPort(top, d.LID, -1)
	}
	r := Reroute(Read(f.Tables), topology.NewLoss())
	if r.Anew || r.Affected != 0 {
		t.Errorf("%d entries used what has gone, anew %v; expected none, and a repair", r.Affected, r.Anew)
	}
	checkEnds(t, r)
}
