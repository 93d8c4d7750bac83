package musubi

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
)

var (
	long    = flag.Bool("long", false, "run the long tests")
	Nightly = flag.Bool("nightly", false, "run the tests that are too long for each change") // for package musubi_test, too
)

// dragonflyRow is a row of testdata/booksim2_dragonfly.csv.
type dragonflyRow struct {
	pattern, routing           string
	offered, accepted, latency float64 // latency 0: it still grew, and is not compared
	seeds                      int
}

func dragonflyRows(t *testing.T) (list []dragonflyRow) {
	t.Helper()
	file, err := os.Open("testdata/booksim2_dragonfly.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		number := func(i int) (v float64) {
			if v, err = strconv.ParseFloat(row[i], 64); err != nil && row[i] != "" {
				t.Fatal(err)
			}
			return v
		}
		list = append(list, dragonflyRow{row[0], row[1], number(2), number(3), number(4), int(number(5))})
	}
	return list
}

// dragonfly runs a routing of the dragonfly of 72 nodes at a load: a warm-up of five periods of 2,000
// cycles, as the reference has, and a measurement of as many. The reference measures until three
// periods agree, but at least these. Latency is in cycles.
func dragonfly(t *testing.T, pattern, routing string, load float64, seed uint64) (accepted, latency float64, saturated bool) {
	t.Helper()
	r := mustRun(t, Scenario{Workload: "pattern", Machine: "examples/dragonfly/booksim.toml", Routing: routing, Unsafe: true, Seed: seed,
		Set: set("loop=open", "pattern="+pattern, "flits=1", "warmup=10us", "measure=10us", fmt.Sprintf("load=%g", load))})
	for _, row := range metric(r, "latency") {
		if row.Label("kind") == "packet" && row.Label("statistic") == "mean" {
			latency = 1000 * row.Value
		}
	}
	throughput := metric(r, "throughput")[0]
	return throughput.Value, latency, throughput.Label("saturated") == true
}

// TestBookSim2Dragonfly compares what the routings of BookSim2's dragonfly accept, and how long
// packets take, with what BookSim2 gives: within 5 %.
func TestBookSim2Dragonfly(t *testing.T) {
	taken := func(row int) bool { return row == 18 } // UGAL where all go to one group, far from saturation
	switch {
	case *Nightly:
		taken = func(int) bool { return true }
	case *long:
		taken = func(row int) bool { return row%5 == 2 }
	}
	for i, row := range dragonflyRows(t) {
		if !taken(i) {
			continue
		}
		accepted, latency := 0.0, 0.0
		for seed := range row.seeds {
			a, l, _ := dragonfly(t, row.pattern, row.routing, row.offered, uint64(seed+1))
			accepted, latency = accepted+a/float64(row.seeds), latency+l/float64(row.seeds)
		}
		report := t.Logf
		if math.Abs(accepted/row.accepted-1) > 0.05 || row.latency > 0 && math.Abs(latency/row.latency-1) > 0.05 {
			report = t.Errorf
		}
		report("%s %s at %.2f: accepted %.3f, want %.3f; latency %.1f, want %.0f", row.pattern, row.routing, row.offered, accepted, row.accepted, latency, row.latency)
	}
}

// TestUGALKeepsThroughput: with virtual channels that are free of deadlock UGAL takes at 0.50 all that
// comes, where BookSim2's falls to 0.2.
func TestUGALKeepsThroughput(t *testing.T) {
	if !*long {
		t.Skip("with -long")
	}
	for _, load := range []float64{0.30, 0.50} {
		if accepted, _, saturated := dragonfly(t, "next-group", "ugal", load, 1); saturated || math.Abs(accepted/load-1) > 0.02 {
			t.Errorf("at %.2f ugal accepts %.3f", load, accepted)
		}
	}
}
