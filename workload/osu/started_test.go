package osu

import (
	"math"
	"testing"

	"musubi/mpi"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

// A rank computes as long as the operation takes alone, and overlap is what it gains by
// starting before.
func TestOSUOverlapIsOfComputingAsLong(t *testing.T) {
	for _, operation := range mpi.Operations() {
		settings := ideal.Set("test=i"+operation, "iterations=3")
		if operation != "barrier" {
			settings["bytes"] = "1000"
		}
		const picosecond = 1e-6 // times are whole ones
		value := map[any]float64{}
		for _, r := range ideal.Rows(t, Workload, settings, workload.Env{Ranks: 4}) {
			value[r.Label("statistic")] = r.Value
		}
		if math.Abs(value["compute"]-value["pure"]) > picosecond {
			t.Errorf("%s: computes %v us, and takes %v us alone", operation, value["compute"], value["pure"])
		}
		ideal.Near(t, operation+": overall", value["overall"], value["start"]+value["compute"]+value["test"]+value["wait"])
		if want := max(0, 100*(1-(value["overall"]-value["compute"])/value["pure"])); want > 0 {
			ideal.Near(t, operation+": overlap", value["overlap"], want)
		}
	}
}

// An operation of several steps goes on only when its rank looks at it.
func TestOSUOverlapGrowsWithProbes(t *testing.T) {
	last := -1.0
	for _, probes := range []string{"0", "3", "30"} {
		rows := ideal.Rows(t, Workload, ideal.Set("test=iallreduce", "bytes=8", "probes="+probes), workload.Env{Ranks: 8})
		got := rows[len(rows)-1]
		if got.Label("statistic") != "overlap" || got.Value <= last {
			t.Errorf("%s probes: %v; expected an overlap above %v", probes, got, last)
		}
		last = got.Value
	}
}
