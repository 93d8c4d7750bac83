package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/trace/format"
	"musubi/trace/schedule"
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

// recorded returns the messages of a run, sorted.
func recorded(t *testing.T, machine, ranks string, words []string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), machine+".goal")
	args := []string{"run", words[0], "--on", machine, "-n", ranks, "--record", file, "--tuning", "none", "--set", "iterations=3", "--set", "warmup=1"}
	for _, w := range words[1:] {
		args = append(args, "--set", w)
	}
	musubi, err := exec.LookPath("musubi") // of package testscript
	check.Must(t, err)
	out, err := exec.Command(musubi, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("musubi %s: %v\n%s", strings.Join(args, " "), err, out)
	}
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
