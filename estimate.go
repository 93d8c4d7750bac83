package musubi

import (
	"fmt"
	"runtime/debug"
	"sort"
	"strings"

	"musubi/internal/memory"
	"musubi/sim/host"
	"musubi/workload"
)

// Memory that a simulation takes, in bytes, garbage that is not collected yet included. It is
// measured on machine ndr: rankBytes by allreduces of 1 KiB, pairBytes by alltoalls of 1 KiB without
// bytes. Routes and switches are there when it is estimated.
const (
	rankBytes = 96 << 10
	pairBytes = 1500 // of a pair of ranks with messages under way
)

// copiesOfData is how often data with bytes is there: in the program's memory, and half of it in
// buffers and rings.
const copiesOfData = 1.5

// littleMemory is how many bytes are not worth a question.
const littleMemory = 256 << 20

// freeMemory returns how many bytes this process can still take.
var freeMemory = memory.Free

// memoryOf estimates how many bytes a simulation of a plan takes.
func memoryOf(plan *workload.Plan, ranks int, without bool) int64 {
	need := int64(ranks) * (rankBytes + int64(plan.Partners)*pairBytes)
	if !without {
		need += int64(copiesOfData * float64(plan.Data))
	}
	return need
}

// fits fails if a simulation takes more memory than is free, and says what would fit.
func (s *System) fits(plan *workload.Plan, without bool) error {
	if plan.Program == nil || s.IsLive() {
		return nil
	}
	need := memoryOf(plan, len(s.Hosts), without)
	if need <= littleMemory || need <= freeMemory() {
		return nil
	}
	debug.FreeOSMemory()
	free := freeMemory()
	if need <= free {
		return nil
	}
	return wrong("ranks", &MemoryError{fmt.Sprintf("%d ranks of %s take about %s of memory, and %s are free; expected %s",
		len(s.Hosts), s.Scenario.Workload, gigabytes(need), gigabytes(free), s.smaller(plan, without, free))})
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// smaller says what would fit into free memory instead of a plan.
func (s *System) smaller(plan *workload.Plan, without bool, free int64) string {
	var ways []string
	if !without && plan.Data > 0 && host.TraitsOf(s.Machine).Phantom && memoryOf(plan, len(s.Hosts), true) <= free {
		ways = append(ways, "payload none")
	}
	if n := s.mostRanks(without, free); n > 0 {
		ways = append(ways, fmt.Sprintf("at most %d ranks", n))
	}
	if left := free - memoryOf(plan, len(s.Hosts), true); !without && left > 0 {
		most := float64(left) / (copiesOfData * float64(plan.Data))
		ways = append(ways, fmt.Sprintf("at most 1/%d of the bytes", int(1/most)+1))
	}
	if len(ways) == 0 {
		return "a smaller run"
	}
	return strings.Join(ways, ", or ")
}

// mostRanks returns how many ranks of the workload fit into free memory, 0 if it cannot tell.
func (s *System) mostRanks(without bool, free int64) int {
	env := s.env()
	return sort.Search(len(s.Hosts)-1, func(i int) bool {
		env.Ranks = i + 1
		plan, err := s.planFor(env)
		return err == nil && memoryOf(plan, env.Ranks, without) > free
	})
}

// MemoryError is the refusal of a run that takes more memory than is free.
type MemoryError struct{ text string }

func (e *MemoryError) Error() string { return e.text }
