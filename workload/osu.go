package workload

import (
	"slices"
	"strings"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

var osuWorkload = &Workload{
	Name:    "osu",
	Summary: "tests of the OSU micro-benchmarks, on package mpi",
	Params: []Param{
		{"test", "latency", "one of " + strings.Join(OSUTests(), ", ")},
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

// osu measures one size after the other as the OSU micro-benchmarks do (version 5.9, Ohio State
// University): with the same messages and calls in the same order, and equally many of them.
type osu struct {
	test               *osuTest
	sizes              []int
	often              osuOften
	iterations, warmup int // -1: the number in often
	window             int
	probes             int
	algorithm, rings   string
}

// OSUTest is one of the programs, as its results are told.
type OSUTest struct {
	Name        string
	Title       string // what the program calls itself
	Nonblocking bool   // whether the nonblocking form of a collective operation is measured
	OneSided    bool   // of communication by windows
}

// osuTest is one of the programs.
type osuTest struct {
	OSUTest
	most  int // the largest size in bytes; 0: it is not about sizes
	often osuOften
	only  int // bytes; the only size, if there is one only
	// memory returns how many messages the buffers of all ranks hold together.
	memory func(ranks, window int) int
	// start makes the buffers of a rank, for messages of up to most bytes, and returns the
	// function that measures a size.
	start func(o *osuRank, most int) osuMeasure
	// window: many messages are in flight at once.
	window    bool
	operation string // of collective tests
}

// osuMeasure measures a size, together with the other ranks. Rank 0 adds the results.
type osuMeasure func(size int, n osuRepeats, out *Rows) error

// osuRepeats are the numbers of repetitions of something.
type osuRepeats struct{ iterations, warmup int }

// osuOften are the numbers of repetitions for short and long messages.
type osuOften struct{ short, long osuRepeats }

// osuLong is the largest size that counts as short.
const osuLong = 8 << 10

// osuShare divides the OSU programs' numbers of repetitions in short runs.
const osuShare = 100

// osuMemory is the most that the buffers of all ranks may take together, as one process
// may simulate them all.
const osuMemory = 1 << 30

// osuTests lists the tests in the order of the documentation.
func osuTests() []osuTest {
	return slices.Concat(osuPairTests, osuWindowTests, osuCollectiveTests(), osuStartedTests())
}

// OSUTests lists the names of the tests of workload osu.
func OSUTests() []string {
	var names []string
	for _, t := range osuTests() {
		names = append(names, t.Name)
	}
	return names
}

// OSUTestNamed returns one of OSUTests.
func OSUTestNamed(name string) OSUTest { return osuTests()[slices.Index(OSUTests(), name)].OSUTest }

func prepareOSU(v *values, env Env) *Plan { return &Plan{Program: v.osu(env).run} }

// osu reads all parameters.
func (v *values) osu(env Env) *osu {
	name := v.choice("test", OSUTests()...)
	tests := osuTests()
	t := &tests[slices.IndexFunc(tests, func(t osuTest) bool { return t.Name == name })]
	if !t.window {
		v.only("without windows of messages", "window")
	}
	if env.Ranks < 2 {
		v.fail("test", "expected two ranks or more, and there is one")
	}
	if !t.Nonblocking {
		v.only("without nonblocking operations", "probes")
	}
	window := v.int("window", 1, 1e4)
	b := &osu{
		test: t, often: t.often, window: window, algorithm: v.osuAlgorithm(t, env),
		iterations: v.repeats("iterations", 1), warmup: v.repeats("warmup", 0), probes: v.int("probes", 0, 1e4),
		sizes: v.osuSizes(t, env, window),
	}
	if v.choice("runs", "osu", "short") == "short" {
		b.often = osuOften{t.often.short.fewer(), t.often.long.fewer()}
	}
	if v.text("rings") != "" {
		b.rings = v.choice("rings", "private", "shared")
	}
	return b
}

// repeats reads a number of iterations. It is -1 if none is given.
func (v *values) repeats(name string, low int) int {
	if v.text(name) == "" {
		return -1
	}
	return v.int(name, low, 1e6)
}

// osuAlgorithm reads the parameter algorithm, which is one here.
func (v *values) osuAlgorithm(t *osuTest, env Env) string {
	switch {
	case t.operation == "":
		v.only("for messages between two ranks", "algorithm")
		return ""
	case v.text("algorithm") == "all":
		v.fail("algorithm", "expected one")
	}
	return v.algorithms(t.operation, env)[0]
}

// osuSizes reads the parameter bytes. A test that is not about sizes has the size 0.
func (v *values) osuSizes(t *osuTest, env Env, window int) []int {
	switch {
	case t.most == 0:
		v.only("without messages", "bytes")
		return []int{0}
	case t.only > 0 && v.text("bytes") == "":
		return []int{t.only}
	}
	room := osuMemory / t.memory(env.Ranks, window)
	if room == 0 {
		v.fail("test", "the buffers of %d ranks would take more than %v", env.Ranks, units.Bytes(osuMemory))
	}
	if v.text("bytes") == "" {
		return slices.DeleteFunc(powers(1, t.most), func(size int) bool { return size > room })
	}
	sizes := v.sizes("bytes", env)
	if t.only > 0 && !slices.Equal(sizes, []int{t.only}) {
		v.fail("bytes", "expected %d, the only size of %s", t.only, t.Name)
	}
	if slices.Max(sizes) > room {
		v.fail("bytes", "expected at most %d bytes, as the buffers of %d ranks may take %v", room, env.Ranks, units.Bytes(osuMemory))
	}
	return sizes
}

// fewer returns the numbers of repetitions in short runs.
func (n osuRepeats) fewer() osuRepeats {
	return osuRepeats{max(1, n.iterations/osuShare), max(1, n.warmup/osuShare)}
}

// repeats returns how often a size is measured.
func (b *osu) repeats(size int) osuRepeats {
	n := b.often.short
	if size > osuLong {
		n = b.often.long
	}
	if b.iterations >= 0 {
		n.iterations = b.iterations
	}
	if b.warmup >= 0 {
		n.warmup = b.warmup
	}
	return n
}

func (b *osu) run(p rma.Process, out *Rows) error {
	c, err := mpi.New(p, mpi.Options{Rings: b.rings})
	if err != nil {
		return err
	}
	if b.algorithm != "" {
		if err := c.SetAlgorithm(b.test.operation, b.algorithm); err != nil {
			return err
		}
	}
	measure := b.test.start(&osuRank{c: c, window: b.window, probes: b.probes}, slices.Max(b.sizes))
	for i, size := range b.sizes {
		progress(p, out, i, len(b.sizes))
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		if err := measure(size, b.repeats(size), out); err != nil {
			return err
		}
	}
	return mpi.Barrier(c)
}

// osuRank is a rank that takes part in a test.
type osuRank struct {
	c      *mpi.Comm
	window int
	probes int
}

func (o *osuRank) now() units.Time { return o.c.Process().Now() }

// total returns the sum over all ranks at rank 0.
func (o *osuRank) total(number float64) (float64, error) {
	return o.combined(number, mpi.Sum[float64]())
}

// combined combines the numbers of all ranks at rank 0.
func (o *osuRank) combined(number float64, op mpi.Op[float64]) (float64, error) {
	out := make([]float64, 1)
	err := mpi.Reduce(o.c, 0, []float64{number}, out, op)
	return out[0], err
}

// times does something n times.
func times(n int, once func() error) error {
	for range n {
		if err := once(); err != nil {
			return err
		}
	}
	return nil
}
