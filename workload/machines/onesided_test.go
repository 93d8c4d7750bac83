package machines_test

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"musubi"
	"musubi/sim/machine"
	"musubi/workload"
)

var long = flag.Bool("long", false, "run workloads on each machine with the ranks that are left out without")

// metricRows runs a workload, which looks at its results itself, and returns its rows of a
// metric.
func metricRows(t *testing.T, s musubi.Scenario, metric string) []workload.Row {
	t.Helper()
	result, err := musubi.RunWorkload(t.Context(), s)
	if err != nil {
		t.Errorf("%s on %s, %d ranks, %v: %v", s.Workload, s.Machine, s.Ranks, s.Set, err)
		return nil
	}
	var rows []workload.Row
	for _, r := range result.Rows {
		if r.Metric == metric {
			rows = append(rows, r)
		}
	}
	return rows
}

// Multicasts, changes of words and fences run on all machines, by what each has: on one by two ranks, on the next by five,
// and with -long the other way round.
func TestOneSidedWorkloadsOnAllMachines(t *testing.T) {
	for i, name := range machine.Names() {
		for k, ranks := range []int{5, 2} {
			if ((i+k)%2 == 1) != *long {
				continue
			}
			s := musubi.Scenario{Machine: name, Ranks: ranks, Seed: uint64(ranks)}
			s.Workload, s.Set = "multicast", map[string]string{"acks": "true,false", "bytes": "1,5000", "iterations": "2", "root": fmt.Sprint(ranks - 1)}
			methods := 3
			if name == "ssscore" {
				methods = 4
			}
			if got := len(metricRows(t, s, "multicast")); got != methods*2*2 {
				t.Errorf("multicast on %s: %d rows, want %d", name, got, methods*2*2)
			}
			s.Workload, s.Set = "atomics", map[string]string{"by": "all", "share": "0.3,1", "iterations": "3"}
			want := 4 * 2 // by messages
			switch name {
			case "ndr", "ndr8", "nvl72", "tofu2":
				want *= 2
			case "ssscore":
				want = 2*want + 2 // of sequences
			}
			if got := len(metricRows(t, s, "atomic")); got != want {
				t.Errorf("atomics on %s: %d rows, want %d", name, got, want)
			}
			s.Workload, s.Set = "membar", map[string]string{"writes": "1,9", "bytes": "8,5000", "iterations": "2"}
			if got := len(metricRows(t, s, "membar")); got%8 != 0 || got == 0 {
				t.Errorf("membar on %s: %d rows, want 8 for each number of targets", name, got)
			}
		}
	}
}

// Layouts are gathered on all machines; cards that write in one piece leave the scatter to the processor.
// Every other machine is for -long.
func TestLayoutsOnAllMachines(t *testing.T) {
	for i, name := range machine.Names() {
		if (i%2 == 0) != *long {
			continue
		}
		s := musubi.Scenario{Workload: "layouts", Machine: name, Ranks: 3, Seed: 5, Set: map[string]string{
			"side": "all", "form": "all", "element": "3,100", "stride": "100,777", "bytes": "300,2100", "iterations": "1", "warmup": "0",
		}}
		want := 2 * 2 * 2 * 2 * (4 + 2 + 3)
		switch name {
		case "dimmnet2", "dimmnet2-match", "vpush":
			want -= 2*2*2*2 + 4 // no scatter, and requests to read have no room for long lists
		}
		if got := len(metricRows(t, s, "transfer")); got != want {
			t.Errorf("layouts on %s: %d rows, want %d", name, got, want)
		}
	}
}

// Who is faster to gather depends on the machine. The card of dimmnet2 takes two clocks for an element
// that lies apart: that is less than the processor needs, except for bytes that lie close together.
// The interfaces of qsnet2 take a burst of their bus for each, and the processor of ssscore posts a
// request for each.
func TestWhoGathersFaster(t *testing.T) {
	for _, test := range []struct {
		machine, element, stride string
		interfaceWins            bool
	}{
		{"dimmnet2", "1", "4", false}, {"dimmnet2", "8", "64", true}, {"dimmnet2", "512", "4KiB", true},
		{"rhinet2", "8", "64", true},
		{"qsnet2", "8", "64", false}, {"qsnet2", "64", "512", true},
		{"ssscore", "8", "64", false}, {"ssscore", "64", "512", true},
	} {
		s := musubi.Scenario{Workload: "layouts", Machine: test.machine, Ranks: 2, Set: map[string]string{"element": test.element, "stride": test.stride}}
		best := math.Inf(1)
		for _, r := range metricRows(t, s, "ratio") {
			best = min(best, r.Value)
		}
		if (best > 1) != test.interfaceWins || math.IsInf(best, 1) {
			t.Errorf("%s, elements of %s bytes, %s apart: the processor takes %.3g of the interface's time; the interface is faster: want %v", test.machine, test.element, test.stride, best, test.interfaceWins)
		}
	}
}

// A fence costs the processor one wait, however many writes there are; on a machine whose
// interface acknowledges each of them, that is less than waits for all.
func TestFenceAgainstWaits(t *testing.T) {
	us := map[string]float64{}
	for _, r := range metricRows(t, musubi.Scenario{Workload: "membar", Machine: "ssscore", Ranks: 4, Set: map[string]string{"writes": "64", "targets": "3"}}, "membar") {
		us[r.Label("by").(string)] = r.Value
	}
	if !(us["fence"] > 0 && us["fence"] < us["waits"]/2) {
		t.Errorf("after 64 writes a fence takes %v us, waits %v us; want less than half", us["fence"], us["waits"])
	}
}

// A processor that others ask for words all the time comes to its own work in between: here
// it holds the lock that they try to take, and could serve them for ever.
func TestOwnerOfWordsIsNotStarved(t *testing.T) {
	rows := metricRows(t, musubi.Scenario{Workload: "atomics", Machine: "loggp", Ranks: 8, Set: map[string]string{
		"kind": "lock", "pause": "1ns", "iterations": "1", "warmup": "0",
	}}, "retries")
	if len(rows) != 1 || rows[0].Value == 0 {
		t.Errorf("rows %v; want retries", rows)
	}
}
