package machines_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"musubi"
	"musubi/workload"
)

// rowsOf runs a workload on two ranks of a machine.
func rowsOf(t *testing.T, machine, name string, settings map[string]string) []workload.Row {
	t.Helper()
	result, err := musubi.RunWorkload(context.Background(), musubi.Scenario{
		Workload: name, Machine: machine, Ranks: 2, Set: settings,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Rows
}

// On a machine where copying costs nothing, a message of package mpi takes what one to a
// receive ring takes that is longer by an envelope.
func TestOSULatencyOnLogGPIsThatOfTheContract(t *testing.T) {
	const envelope = 8
	for _, bytes := range []int{1, 8, 100, 4096, 8192} {
		message := rowsOf(t, "loggp", "osu", map[string]string{"bytes": fmt.Sprint(bytes)})[0]
		raw := rowsOf(t, "loggp", "pingpong", map[string]string{
			"mechanism": "ipush", "copy": "cached", "bytes": fmt.Sprint(bytes + envelope),
		})[0]
		// Half a round trip by LogGP: o + L + o, and G for all bytes but the first.
		want := 1.5 + 2.5 + 1.5 + 0.006*float64(bytes+envelope-1)
		for _, got := range []float64{message.Value, raw.Value} {
			if math.Abs(got-want) > 1e-9*want {
				t.Errorf("%d bytes: osu %v us, pingpong %v us, want %v", bytes, message.Value, raw.Value, want)
			}
		}
	}
}

// A stream of long messages comes near the rate of the link, and not beyond it.
func TestOSUBandwidthIsBoundedByTheLink(t *testing.T) {
	for _, machine := range []struct {
		name string
		link float64 // MB/s of data that the link, or LogGP's G, lets through at most
	}{{"loggp", 1e3 / 6}, {"ndr", 400e3 / 8}, {"rhinet2", 6e3 / 8}} {
		rows := rowsOf(t, machine.name, "osu", map[string]string{"test": "bw", "bytes": "1MiB"})
		if got := rows[0].Value; got > machine.link || got < 0.2*machine.link {
			t.Errorf("%s: %v MB/s, want a good part of at most %v", machine.name, got, machine.link)
		}
	}
}

// Between two calls there is a barrier after which the ranks of a machine with measurements are close
// together, as the fastest barrier may not leave them: the time of a short exchange is about the same at
// all of them.
func TestOSURanksBeginCloseTogether(t *testing.T) {
	result, err := musubi.RunWorkload(context.Background(), musubi.Scenario{
		Workload: "osu", Machine: "ndr", Ranks: 8, Set: map[string]string{"test": "alltoall", "algorithm": "linear", "bytes": "8"},
	})
	if err != nil {
		t.Fatal(err)
	}
	times := map[any]float64{}
	for i := range result.Rows {
		times[result.Rows[i].Label("statistic")] = result.Rows[i].Value
	}
	if times["min"] == 0 || times["max"] > 1.2*times["min"] {
		t.Errorf("ranks take %v us at least and %v us at most; expected about the same", times["min"], times["max"])
	}
}
