package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/trace/format"
	"musubi/trace/schedule"
	"musubi/trace/tracetest"
)

// A run between processes is recorded with the messages that it has on a simulated machine, and is a job
// that a machine can carry out.
func TestLiveRunsAreRecordedAsSimulatedOnesAre(t *testing.T) {
	for _, set := range []string{
		"collective operation=allreduce algorithm=ring bytes=4096",
		"collective operation=alltoallv algorithm=pairwise bytes=1000",
		"collective operation=scan bytes=2000 algorithm=all",
		"osu test=iallgather bytes=8,20000",
		"osu test=bibw bytes=8,100000",
		"halo calls=messages bytes=8,20000",
	} {
		t.Run(set, func(t *testing.T) {
			words := strings.Fields(set)
			ranks := "4"
			if strings.Contains(set, "bibw") {
				ranks = "2"
			}
			live, simulated := recorded(t, "live", ranks, words), recorded(t, "loggp", ranks, words)
			if slices.Equal(live, simulated) {
				return
			}
			t.Errorf("messages of %d bytes or more differ:\nlive      %v\nsimulated %v", leastRecorded, live, simulated)
		})
	}
}

// leastRecorded leaves out barriers and sums of results, for which processes choose other algorithms.
const leastRecorded = 1000

// A timeline of a run between processes has a track for each rank, with the calls of the program, and an arrow
// for each message, which does not arrive before it is sent.
func TestLiveRunsHaveTimelines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "live.pftrace")
	command(t, "run", "collective", "--on", "live", "-n", "4", "--trace", file, "--set", "operation=allreduce", "--set", "algorithm=ring",
		"--set", "bytes=4096", "--set", "iterations=3", "--set", "warmup=1")
	data, err := os.ReadFile(file)
	check.Must(t, err)
	sent, arrived, calls, tracks := map[uint64]int64{}, map[uint64]int64{}, map[string]int{}, 0
	for _, track := range tracetest.Read(t, data).Tracks {
		if track.Name == "program" {
			tracks++
		}
		for _, s := range track.Slices {
			switch {
			case s.Flow != 0:
				sent[s.Flow] = s.Begin
			case s.Depth == 0:
				calls[s.Name]++
			}
		}
		for _, i := range track.Instants {
			arrived[i.Flow] = i.Begin
		}
	}
	for flow, at := range arrived {
		if begin, known := sent[flow]; !known || begin > at {
			t.Errorf("message %d arrives at %d ns; expected it after it is sent, at %d (%t)", flow, at, begin, known)
		}
	}
	// The ring takes 2 (n-1) messages of each rank in each of four operations.
	if tracks != 4 || len(sent) != len(arrived) || len(sent) < 4*4*6 || calls["AllReduce"] < 4*4 {
		t.Errorf("%d tracks, %d messages of which %d arrive, calls %v; expected 4 tracks, %d or more messages, and AllReduce", tracks, len(sent), len(arrived), calls, 4*4*6)
	}
}

// recorded returns the messages of a run, sorted.
func recorded(t *testing.T, machine, ranks string, words []string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), machine+".goal")
	args := []string{"run", words[0], "--on", machine, "-n", ranks, "--record", file, "--tuning", "none", "--set", "iterations=3", "--set", "warmup=1"}
	for _, w := range words[1:] {
		args = append(args, "--set", w)
	}
	command(t, args...)
	s, err := format.Open(file)
	check.Must(t, err)
	var messages []string
	for rank := range s.Ranks {
		for i := range s.Ranks[rank].Ops {
			switch op := &s.Ranks[rank].Ops[i]; {
			case op.Kind == schedule.Send && op.Size >= leastRecorded:
				messages = append(messages, fmt.Sprintf("%d>%d:%d", rank, op.Peer, op.Size))
			case op.Kind == schedule.Receive && op.Size >= leastRecorded:
				messages = append(messages, fmt.Sprintf("%d<%d:%d", rank, op.Peer, op.Size))
			}
		}
	}
	slices.Sort(messages)
	return messages
}

// command runs musubi.
func command(t *testing.T, args ...string) {
	t.Helper()
	musubi, err := exec.LookPath("musubi") // of package testscript
	check.Must(t, err)
	if out, err := exec.Command(musubi, args...).CombinedOutput(); err != nil {
		t.Fatalf("musubi %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
