package workload

import (
	"math/bits"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/units"
	"musubi/workload/osu"
)

var osuWorkload = &Workload{
	Name:    "osu",
	lists:   []string{"bytes"},
	Summary: "tests of the OSU micro-benchmarks, on package mpi",
	Params: []Param{
		{"test", "latency", "one of " + strings.Join(osu.Names(), ", ")},
		{"bytes", "", sizesHelp + "; if empty, as far as the original goes"},
		{"runs", "short", "number of iterations: osu (as many as the OSU programs) or short (a hundredth of that)"},
		{"iterations", "", "iterations measured for each size; if empty, as runs says"},
		{"warmup", "", "iterations before; if empty, as runs says"},
		{"window", "64", "messages or accesses in flight at once, in tests of bandwidth"},
		{"algorithm", "auto", "algorithm of a collective operation, by its name in package mpi"},
		{"probes", "0", "how often a rank tests a nonblocking operation while it computes"},
		{"rings", "", "receive rings: private or shared; if empty, as package mpi chooses"},
	},
	prepare: prepareOSU,
}

func prepareOSU(v *values, env Env) *Plan {
	run := v.osu(env)
	return &Plan{Program: func(p rma.Process, out *Rows) error {
		return run.Do(p,
			func(done, all int) { progress(p, out, done, all) },
			func(r osu.Result) { out.Add(osuRow(r)) })
	}, Data: run.Data(env.Ranks), Partners: bits.Len(uint(env.Ranks))}
}

func osuRow(r osu.Result) Row {
	row := Row{Metric: r.Metric, Unit: r.Unit, Value: r.Value, Bytes: r.Bytes}
	if r.Iterations > 0 {
		row.Labels = append(row.Labels, Label{"iterations", r.Iterations})
	}
	if r.Statistic != "" {
		row.Labels = append(row.Labels, Label{"statistic", r.Statistic})
	}
	return row
}

// osu reads all parameters.
func (v *values) osu(env Env) *osu.Run {
	t := osu.Named(v.choice("test", osu.Names()...))
	if !t.Window {
		v.only("without windows of messages", "window")
	}
	if env.Ranks < 2 {
		v.fail("test", "expected two ranks or more, and there is one")
	}
	if !t.Nonblocking {
		v.only("without nonblocking operations", "probes")
	}
	window := v.int("window", 1, 1e4)
	run := &osu.Run{
		Test: t, Window: window, Algorithm: v.osuAlgorithm(&t, env),
		Iterations: v.repeats("iterations", 1), Warmup: v.repeats("warmup", 0), Probes: v.int("probes", 0, 1e4),
		Sizes: v.osuSizes(&t, env, window), Short: v.choice("runs", "osu", "short") == "short",
	}
	if v.text("rings") != "" {
		run.Rings = v.choice("rings", "private", "shared")
	}
	return run
}

// repeats reads a number of iterations. It is -1 if none is given.
func (v *values) repeats(name string, low int) int {
	if v.text(name) == "" {
		return -1
	}
	return v.int(name, low, 1e6)
}

// osuAlgorithm reads the parameter algorithm, which is one here.
func (v *values) osuAlgorithm(t *osu.Test, env Env) string {
	switch {
	case t.Operation == "":
		v.only("for messages between two ranks", "algorithm")
		return ""
	case v.text("algorithm") == "all":
		v.fail("algorithm", "expected one")
	}
	return v.algorithms(t.Operation, env)[0]
}

// osuSizes reads the parameter bytes. A test that is not about sizes has the size 0.
func (v *values) osuSizes(t *osu.Test, env Env, window int) []int {
	switch {
	case t.Most == 0:
		v.only("without messages", "bytes")
		return []int{0}
	case t.Only > 0 && v.text("bytes") == "":
		return []int{t.Only}
	}
	room := t.Room(env.Ranks, window)
	if room == 0 {
		v.fail("test", "the buffers of %d ranks would take more than %v", env.Ranks, units.Bytes(osu.MemoryLimit))
	}
	if v.text("bytes") == "" {
		return slices.DeleteFunc(powers(1, t.Most), func(size int) bool { return size > room })
	}
	sizes := v.sizes("bytes", env)
	if t.Only > 0 && !slices.Equal(sizes, []int{t.Only}) {
		v.fail("bytes", "expected %d, the only size of %s", t.Only, t.Name)
	}
	if slices.Max(sizes) > room {
		v.fail("bytes", "expected at most %d bytes, as the buffers of %d ranks may take %v", room, env.Ranks, units.Bytes(osu.MemoryLimit))
	}
	return sizes
}
