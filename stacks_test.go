package musubi

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// Ranks that wait in collective operations have small stacks: in a barrier on loggp, of which one simulates the most ranks,
// 4 KiB. A call that needs a little more doubles the stacks of all ranks.
func TestWaitingRanksHaveSmallStacks(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector needs more of the stack")
	}
	const fixed = "adaptivestackstart=0" // else stacks begin as large as those of other tests have been
	if os.Getenv("GODEBUG") != fixed {
		again := exec.Command(os.Args[0], "-test.run=^TestWaitingRanksHaveSmallStacks$")
		again.Env = append(os.Environ(), "GODEBUG="+fixed)
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const (
		ofOthers   = 1 << 10 // for each rank, stacks of the runtime and of what has ended
		ofServants = 1 << 10 // and of what deals with messages in place of ranks: one for eight ranks
	)
	for _, c := range []struct {
		machine, operation string
		most               int
	}{
		{"loggp", "barrier", 4 << 10},
		{"loggp", "allreduce", 4 << 10},
		{"ndr", "barrier", 8<<10 + ofServants},
		{"ndr", "allreduce", 8 << 10},
		{"ndr", "alltoall", 8 << 10},
	} {
		if got := stackOfRanks(t, c.machine, c.operation); got < 2<<10 || got > c.most+ofOthers {
			t.Errorf("%s on %s: %d bytes of stack for each rank; expected at most %d", c.operation, c.machine, got, c.most)
		}
	}
}

// stackOfRanks returns how much stack a rank has during an operation at most.
func stackOfRanks(t *testing.T, machine, operation string) int {
	t.Helper()
	const ranks = 256
	system, err := Build(Scenario{Workload: "collective", Machine: machine, Ranks: ranks,
		Set: set("operation="+operation, "bytes=64", "iterations=2", "warmup=0")})
	if err != nil {
		t.Fatal(err)
	}
	stack := func() int {
		var m runtime.MemStats
		runtime.GC() // gives back stacks that have been too small
		runtime.ReadMemStats(&m)
		return int(m.StackInuse)
	}
	before, most := stack(), 0
	system.Progress = func(Progress) { most = max(most, stack()) }
	if _, err := system.RunWorkload(context.Background()); err != nil {
		t.Fatal(err)
	}
	return (most - before) / ranks
}
