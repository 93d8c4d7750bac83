package osu

import (
	"slices"
	"strings"
)

// Test is one of the programs.
type Test struct {
	Name        string
	Title       string // what the program calls itself
	Nonblocking bool   // the nonblocking form of a collective operation is measured
	OneSided    bool   // of communication by windows
	Locks       bool   // each access can have a lock of its own
	Blocks      bool   // messages can be of blocks that lie apart
	Window      bool   // many messages are in flight at once
	Most        int    // the largest size in bytes; 0: it is not about sizes
	Only        int    // bytes; the only size, if there is one only
	Operation   string // of collective tests, its name in package mpi

	often often
	// memory returns how many messages the buffers of all ranks hold together.
	memory func(ranks, window int) int
	// start makes the buffers of a rank, for messages of up to most bytes, and returns the
	// function that measures a size.
	start func(o *rank, most int) measure
}

// measure measures a size, together with the other ranks. Rank 0 adds the results.
type measure func(size int, n repeats, add func(Result)) error

// Result is one number that a test measures.
type Result struct {
	Metric, Unit string
	Value        float64
	Bytes        int    // of a message; 0 if the test is not about sizes
	Iterations   int    // of which it is the mean; 0 where the programs do not tell
	Statistic    string // of collective tests: what is taken over the ranks, or of which part
}

// addRates adds bandwidth and message rate for messages that take so many microseconds each.
func addRates(size int, us float64, add func(Result)) {
	add(Result{Metric: "bandwidth", Unit: "MB/s", Bytes: size, Value: float64(size) / us})
	add(Result{Metric: "message_rate", Unit: "1/s", Bytes: size, Value: 1e6 / us})
}

// MemoryLimit is the most bytes that the buffers of all ranks may take together, as one process
// may simulate them all.
const MemoryLimit = 1 << 30

// Room returns the longest message for which the buffers stay within MemoryLimit, in bytes.
func (t *Test) Room(ranks, window int) int { return MemoryLimit / t.memory(ranks, window) }

// Data returns how many bytes the data of all ranks takes that the run does not look at, at least 1;
// 0: it uses the bytes of all data.
func (r *Run) Data(ranks int) int64 {
	if r.Test.OneSided || len(r.Sizes) == 0 {
		return 0
	}
	return max(1, int64(r.Test.memory(ranks, r.Window))*int64(r.blocks.extent(slices.Max(r.Sizes))))
}

// Tests lists the tests in the order of the documentation.
func Tests() []Test {
	return slices.Concat(pairTests, incastTests, windowTests, collectiveTests(), startedTests())
}

// Names lists the names of the tests.
func Names() []string {
	var names []string
	for _, t := range Tests() {
		names = append(names, t.Name)
	}
	return names
}

// OfProgram returns the name of the test that measures as an OSU program does, such as put for osu_put_latency; empty if there is none.
func OfProgram(program string) string {
	name := strings.TrimPrefix(program, "osu_")
	if slices.Contains(Names(), name) {
		return name
	}
	name = strings.NewReplacer("bcast", "broadcast", "reduce_scatter", "reducescatter").Replace(strings.TrimSuffix(name, "_latency"))
	if !slices.Contains(Names(), name) {
		return ""
	}
	return name
}

// Named returns the test of that name, which must be one of Names.
func Named(name string) Test { return Tests()[slices.Index(Names(), name)] }
