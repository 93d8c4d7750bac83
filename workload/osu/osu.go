package osu

import (
	"math/bits"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/groups"
)

// Workload runs the tests of the OSU micro-benchmarks.
var Workload = &workload.Workload{
	Name:       "osu",
	ListParams: []string{"bytes"},
	Summary:    "tests of the OSU micro-benchmarks, on package mpi",
	Params: []workload.Param{
		{Name: "test", Default: "latency", Help: "one of " + strings.Join(Names(), ", ")},
		{Name: "bytes", Default: "", Help: workload.SizesHelp + "; if not given, as far as the original goes"},
		{Name: "runs", Default: "short", Help: "number of iterations: osu (as many as the OSU programs) or short (a hundredth of that)"},
		{Name: "iterations", Default: "", Help: "iterations measured for each size; if not given, as runs says"},
		{Name: "warmup", Default: "", Help: "iterations before; if not given, as runs says"},
		{Name: "window", Default: "64", Help: "messages or accesses in flight at once, in tests of bandwidth"},
		{Name: "algorithm", Default: "auto", Help: "algorithm of a collective operation, by its name in package mpi"},
		{Name: "synchronization", Default: Flush, Help: "how one-sided accesses are completed: flush; or each in an epoch of its own, of a shared lock (lock) or an exclusive one (exclusive)"},
		{Name: "layout", Default: contiguous, Help: "how messages of latency lie in memory at both ends: " + blocksForm + ", as blocks of so many bytes that begin STRIDE bytes from each other"},
		{Name: "probes", Default: "0", Help: "how often a rank tests a nonblocking operation while it computes"},
		{Name: "rings", Default: "", Help: "receive rings: private or shared; if not given, as package mpi chooses"},
	},
	Make: prepareOSU,
}

func prepareOSU(v *workload.Values, env workload.Env) *workload.Plan {
	run := readOSU(v, env)
	return &workload.Plan{Program: func(p rma.Process, out *workload.Rows) error {
		return run.Do(p,
			func(done, all int) { workload.Progress(p, out, done, all) },
			func(r Result) { out.Add(osuRow(r)) })
	}, Data: run.Data(env.Ranks), Partners: bits.Len(uint(env.Ranks))}
}

func osuRow(r Result) workload.Row {
	row := workload.Row{Metric: r.Metric, Unit: r.Unit, Value: r.Value, Bytes: r.Bytes}
	if r.Iterations > 0 {
		row.Labels = append(row.Labels, workload.Label{Name: "iterations", Value: r.Iterations})
	}
	if r.Statistic != "" {
		row.Labels = append(row.Labels, workload.Label{Name: "statistic", Value: r.Statistic})
	}
	return row
}

// readOSU reads all parameters.
func readOSU(v *workload.Values, env workload.Env) *Run {
	t := Named(v.Choice("test", Names()...))
	if !t.Window {
		v.Only("without windows of messages", "window")
	}
	if env.Ranks < 2 {
		v.Fail("test", "expected two ranks or more, and there is one")
	}
	if !t.Locks {
		v.Only("for streams of accesses, and without windows", "synchronization")
	}
	if !t.Nonblocking {
		v.Only("without nonblocking operations", "probes")
	}
	window := v.Int("window", 1, 1e4)
	run := &Run{
		Test: t, Window: window, Algorithm: readOSUAlgorithm(v, &t, env),
		Iterations: readRepeats(v, "iterations", 1), Warmup: readRepeats(v, "warmup", 0), Probes: v.Int("probes", 0, 1e4),
		Synchronization: v.Choice("synchronization", Synchronizations()...),
		Sizes:           readOSUSizes(v, &t, env, window), Short: v.Choice("runs", "osu", "short") == "short",
	}
	run.blocks = readBlocks(v, &t)
	run.Sizes = run.blocks.fitting(v, run.Sizes, t.Room(env.Ranks, window))
	if v.Has("rings") {
		run.Rings = v.Choice("rings", "private", "shared")
	}
	return run
}

// readRepeats reads a number of iterations. It is -1 if none is given.
func readRepeats(v *workload.Values, name string, low int) int {
	if !v.Has(name) {
		return -1
	}
	return v.Int(name, low, 1e6)
}

// readOSUAlgorithm reads the parameter algorithm, which is one here.
func readOSUAlgorithm(v *workload.Values, t *Test, env workload.Env) string {
	switch {
	case t.Operation == "":
		v.Only("for messages between two ranks", "algorithm")
		return ""
	case v.Text("algorithm") == "all":
		v.Fail("algorithm", "expected one")
	}
	return groups.ReadAlgorithms(v, t.Operation, env)[0]
}

// readOSUSizes reads the parameter bytes. A test that is not about sizes has the size 0.
func readOSUSizes(v *workload.Values, t *Test, env workload.Env, window int) []int {
	switch {
	case t.Most == 0:
		v.Only("without messages", "bytes")
		return []int{0}
	case t.Only > 0 && !v.Has("bytes"):
		return []int{t.Only}
	}
	room := t.Room(env.Ranks, window)
	if room == 0 {
		v.Fail("test", "the buffers of %d ranks would take more than %v", env.Ranks, units.Bytes(MemoryLimit))
	}
	if !v.Has("bytes") {
		return slices.DeleteFunc(workload.Powers(1, t.Most), func(size int) bool { return size > room })
	}
	sizes := v.Sizes("bytes", env)
	if t.Only > 0 && !slices.Equal(sizes, []int{t.Only}) {
		v.Fail("bytes", "expected %d, the only size of %s", t.Only, t.Name)
	}
	if slices.Max(sizes) > room {
		v.Fail("bytes", "expected at most %d bytes, as the buffers of %d ranks may take %v", room, env.Ranks, units.Bytes(MemoryLimit))
	}
	return sizes
}
