package tuning

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sample is two algorithms of which one is faster below 1 KiB.
func sample() *Table {
	t := &Table{}
	for _, ranks := range []int{4, 16} {
		for _, n := range []int{8, 1024, 65536} {
			t.Add(Point{"allreduce", ranks, n, "short", 1 * float64(n)})
			t.Add(Point{"allreduce", ranks, n, "long", 1024 + 0.1*float64(n)})
		}
	}
	return t
}

func TestFastestIsWhatWasMeasured(t *testing.T) {
	for _, test := range []struct {
		ranks, bytes int
		want         string
	}{{4, 8, "short"}, {4, 65536, "long"}, {8, 100, "short"}, {9, 30000, "long"}, {2, 0, "short"}, {64, 1 << 20, "long"}} {
		if got := sample().Fastest("allreduce", test.ranks, test.bytes); len(got) != 2 || got[0] != test.want {
			t.Errorf("%d ranks, %d bytes: %v; expected %s first", test.ranks, test.bytes, got, test.want)
		}
	}
	if got := sample().Fastest("barrier", 4, 0); got != nil {
		t.Errorf("of barriers nothing was measured, but %v", got)
	}
}

// Powers of two are told by powers, and others by others, where both were measured: here those that
// are none take twice as long. Beyond what was measured times grow as before.
func TestNumbersOfRanksAreToldByTheirKind(t *testing.T) {
	table := &Table{}
	for _, ranks := range []int{2, 3, 4, 6, 8, 12, 16} {
		time := float64(ranks)
		if ranks&(ranks-1) != 0 {
			time *= 2
		}
		table.Add(Point{"x", ranks, 8, "y", time})
	}
	for ranks, want := range map[int]float64{1: 2, 5: 10, 7: 14, 9: 18, 14: 28, 24: 48, 32: 32, 64: 64} {
		if got, ok := table.Time("x", "y", ranks, 8); !ok || math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d ranks: %g; expected %g", ranks, got, want)
		}
	}
}

func TestWithinEndsWithWhatWasMeasured(t *testing.T) {
	table := sample()
	if got := table.FastestWithin("allreduce", 16, 8); len(got) != 2 {
		t.Errorf("16 ranks: %v; expected both algorithms", got)
	}
	if got := table.FastestWithin("allreduce", 17, 8); got != nil {
		t.Errorf("17 ranks: %v; expected none, as 16 were measured", got)
	}
	if got := table.FastestWithin("barrier", 2, 8); got != nil {
		t.Errorf("barrier: %v; expected none", got)
	}
}

// Measurements of processes tell of jobs whose ranks have as much of a processor: here 2 ranks had one
// each, and 4 shared two.
func TestProcessesChooseByHostsAlike(t *testing.T) {
	table := &Table{Processors: 2}
	for _, ranks := range []int{2, 4} {
		for _, bytes := range []int{8, 1024} {
			table.Add(Point{"allreduce", ranks, bytes, "short", 1})
			table.Add(Point{"allreduce", ranks, bytes, "long", 2})
		}
	}
	for _, test := range []struct {
		processors, processes, ranks, bytes int
		tells                               bool
	}{
		{2, 2, 2, 8, true},
		{64, 2, 2, 8, true},
		{64, 32, 2, 1024, true},
		{64, 32, 4, 8, false}, // each has a processor; measured were four that shared
		{2, 4, 4, 8, true},
		{2, 3, 3, 8, false}, // no power of two was measured, and such steps differ
		{2, 4, 2, 8, false}, // two of four that share
		{1, 2, 2, 8, false}, // others shared
		{4, 8, 8, 8, false}, // more than were measured
		{4, 8, 4, 8, false}, // of a job of more ranks for each processor
		{2, 8, 8, 8, false},
		{2, 8, 4, 8, false},    // the other four have the processors, too
		{2, 2, 2, 2000, false}, // more bytes
		{2, 2, 2, 0, true},     // fewer, which takes as long
		{0, 2, 2, 8, false},
	} {
		if got := table.On(test.processors, test.processes).FastestBetween("allreduce", test.ranks, test.bytes); (len(got) == 2) != test.tells || len(got) == 1 {
			t.Errorf("%+v: %v", test, got)
		}
	}
	long := &Table{Processors: 2}
	for _, algorithm := range []string{"a", "b"} {
		long.Add(Point{"scan", 2, 4096, algorithm, 1})
	}
	if got := long.On(2, 2).FastestBetween("scan", 2, 8); got != nil {
		t.Errorf("8 bytes by measurements from 4 KiB on: %v; expected none", got)
	}
	if got := table.On(2, 2).FastestBetween("barrier", 2, 0); got != nil {
		t.Errorf("barrier: %v; expected none", got)
	}
	if got := sample().On(2, 4).FastestBetween("allreduce", 4, 8); got != nil {
		t.Errorf("by a table of unknown processors: %v; expected none", got)
	}
}

// Between the numbers of ranks that were measured powers of two tell of powers of two, and others of others. Ranks
// that had a processor each do not tell of ranks that share.
func TestProcessesChooseBetweenNumbersAlike(t *testing.T) {
	table := &Table{Processors: 2}
	for _, p := range []Point{{"scan", 2, 8, "a", 1}, {"scan", 2, 8, "b", 1000}, {"scan", 4, 8, "a", 8}, {"scan", 4, 8, "b", 5}, {"scan", 16, 8, "a", 30}, {"scan", 16, 8, "b", 35}} {
		table.Add(p)
	}
	for ranks, want := range map[int]string{2: "[a b]", 3: "[]", 4: "[b a]", 8: "[b a]", 16: "[a b]", 12: "[]", 32: "[]"} {
		if got := fmt.Sprint(table.On(2, ranks).FastestBetween("scan", ranks, 8)); got != want {
			t.Errorf("%d ranks: %s; expected %s", ranks, got, want)
		}
	}
	for _, ranks := range []int{6, 12} {
		table.Add(Point{"scan", ranks, 8, "a", 2})
		table.Add(Point{"scan", ranks, 8, "b", 1})
	}
	if got := table.On(2, 8).Points(); len(got) != 2 || got[0].Ranks != 8 { // so that other communicators find nothing
		t.Errorf("of 8 ranks the table tells %v; expected times of 8 ranks by two algorithms", got)
	}
	for ranks, want := range map[int]string{5: "[]", 9: "[b a]", 12: "[b a]", 13: "[]"} {
		if got := fmt.Sprint(table.On(2, ranks).FastestBetween("scan", ranks, 8)); got != want {
			t.Errorf("with 6 and 12 measured, %d ranks: %s; expected %s", ranks, got, want)
		}
	}
}

func TestChoicesLeaveOutWhatDecidesNothing(t *testing.T) {
	table := sample()
	want := len(table.Points())
	table.Add(Point{"allreduce", 4, 8, Auto, 7})
	table.Add(Point{"gatherv", 4, 8, "linear", 7})
	if got := table.Choices().Points(); len(got) != want {
		t.Errorf("%d points: %v; expected %d", len(got), got, want)
	}
}

func TestShippedTablesChoose(t *testing.T) {
	for _, machine := range Machines() {
		for _, operation := range []string{"barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reducescatter", "scan"} {
			for _, ranks := range []int{2, 5, 64, 1000} {
				if list := Shipped(machine).Fastest(operation, ranks, 1024); len(list) < 2 || slices.Contains(list, Auto) {
					t.Errorf("%s: %s of %d ranks by %q; expected algorithms to choose from, without %s", machine, operation, ranks, list, Auto)
				}
			}
		}
	}
	if Shipped("nowhere") != nil {
		t.Error("nowhere has a table")
	}
}

// Where the time is a power of ranks and bytes, the model gives it everywhere between the points.
func TestModelIsExactForPowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0, 2).Draw(t, "a"), rapid.Float64Range(0, 2).Draw(t, "b")
		law := func(ranks, n int) float64 { return 3 * math.Pow(float64(ranks), a) * math.Pow(float64(n), b) }
		table := &Table{}
		for _, ranks := range []int{2, 8, 32} {
			for _, n := range []int{8, 512, 1 << 20} {
				table.Add(Point{"x", ranks, n, "y", law(ranks, n)})
			}
		}
		ranks, n := rapid.IntRange(2, 32).Draw(t, "ranks"), rapid.IntRange(8, 1<<20).Draw(t, "bytes")
		got, ok := table.Time("x", "y", ranks, n)
		if want := law(ranks, n); !ok || math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d ranks, %d bytes: %g; expected %g", ranks, n, got, want)
		}
	})
}

func TestTablesGoRound(t *testing.T) {
	var b bytes.Buffer
	table := sample()
	table.Processors = 6
	if err := table.Choices().Write(&b, "of a test"); err != nil {
		t.Fatal(err)
	}
	read, err := Read(&b, "memory")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample().Points(), read.Points(), cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-3*a })); diff != "" {
		t.Error(diff)
	}
	if read.Processors != 6 {
		t.Errorf("measured on %d processors; expected 6", read.Processors)
	}
}

func TestWrongTablesAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                               "has no lines",
		"# nothing":                      "has no lines",
		"allreduce 4 ring":               "f, line 1: 3 words",
		"allreduce none ring 8=1":        `"none" ranks`,
		"allreduce 4 ring -8=1":          `"-8" bytes in "-8=1"`,
		"\nallreduce 4 ring 8=NaN":       `f, line 2: "NaN" microseconds`,
		"allreduce 4 ring 8=1 16":        `"" microseconds in "16"`,
		"allreduce 0 ring 8=1":           `"0" ranks`,
		"processors 0":                   `f, line 1: "0" processors`,
		"processors 2":                   "has no lines",
		strings.Repeat("long ", 100_000): "f: a line is too long; expected operation",
	} {
		if _, err := Read(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v; expected %q", text, err, says)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("allreduce 4 ring 8=1.5 64=2\n# comment\nbarrier 2 linear 0=3\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Read(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		for _, p := range table.Points() {
			if !slices.Contains(table.Fastest(p.Operation, p.Ranks, p.Bytes), p.Algorithm) {
				t.Errorf("%+v is not found", p)
			}
		}
	})
}
