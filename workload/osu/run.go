package osu

import (
	"slices"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// Run is a test with the sizes and numbers of repetitions that it is run with.
type Run struct {
	Test               Test
	Sizes              []int // bytes; one size of 0 for a test that is not about sizes
	Short              bool  // a hundredth of the programs' repetitions
	Iterations, Warmup int   // -1: as many as the programs have, or Short
	Window             int   // messages or accesses in flight at once
	Probes             int   // tests of a nonblocking operation during the computation
	Synchronization    string
	Algorithm          string
	Rings              string // see mpi.Options
	blocks             blocks // of which messages are
}

// repeats are the numbers of repetitions of something.
type repeats struct{ iterations, warmup int }

// often are the numbers of repetitions for short and long messages.
type often struct{ short, long repeats }

// longestShort is the largest size that counts as short.
const longestShort = 8 << 10

// shortShare divides the programs' numbers of repetitions in short runs.
const shortShare = 100

// fewer returns the numbers of repetitions in short runs.
func (n repeats) fewer() repeats {
	return repeats{max(1, n.iterations/shortShare), max(1, n.warmup/shortShare)}
}

// repeats returns how often a size is measured.
func (r *Run) repeats(size int) repeats {
	n := r.Test.often.short
	if size > longestShort {
		n = r.Test.often.long
	}
	if r.Short {
		n = n.fewer()
	}
	if r.Iterations >= 0 {
		n.iterations = r.Iterations
	}
	if r.Warmup >= 0 {
		n.warmup = r.Warmup
	}
	return n
}

// Do runs the test together with the other ranks. Rank 0 adds the results; step is called before
// each of the sizes, with their number.
func (r *Run) Do(p rma.Process, step func(done, all int), add func(Result)) error {
	c, err := mpi.New(p, mpi.Options{Rings: r.Rings, Check: mpi.CheckOff})
	if err != nil {
		return err
	}
	if r.Test.Operation != "barrier" {
		if err := c.SetAlgorithm("barrier", separator(p)); err != nil {
			return err
		}
	}
	if r.Algorithm != "" {
		if err := c.SetAlgorithm(r.Test.Operation, r.Algorithm); err != nil {
			return err
		}
	}
	measure := r.Test.start(&rank{c: c, window: r.Window, probes: r.Probes, synchronization: r.Synchronization, blocks: r.blocks}, slices.Max(r.Sizes))
	for i, size := range r.Sizes {
		step(i, len(r.Sizes))
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		if err := measure(size, r.repeats(size), add); err != nil {
			return err
		}
	}
	return mpi.Barrier(c)
}

// separator returns the algorithm of the barriers between calls. By messages that is dissemination
// where measurements choose the algorithms: the fastest barrier may be one that lets some ranks go
// long before others, which is then part of what is measured.
func separator(p rma.Process) string {
	if _, collects := p.(rma.Collector); collects || sharesMemory(p) {
		return "auto"
	}
	if tuned, is := p.(rma.Tuned); is && len(tuned.Fastest("barrier", p.Size(), 0)) > 0 {
		return "dissemination"
	}
	return "auto"
}

// sharesMemory reports whether all ranks can use a shared barrier, at which they see each other
// come, and so go at once.
func sharesMemory(p rma.Process) bool {
	shared, is := p.(rma.SharedBarriers)
	for rank := 0; is && rank < p.Size(); rank++ {
		is = shared.Shares(rank)
	}
	return is
}

// rank is a rank that takes part in a test.
type rank struct {
	c      *mpi.Comm
	window int
	probes int
	blocks blocks // of which messages are

	synchronization string // how an access ends, one of Synchronizations
}

// memory returns memory for messages.
func (o *rank) memory(bytes int) []byte { return rma.Memory(o.c.Process(), bytes) }

func (o *rank) now() units.Time { return o.c.Process().Now() }

// total returns the sum over all ranks at rank 0.
func (o *rank) total(number float64) (float64, error) {
	return o.combined(number, mpi.Sum[float64]())
}

// combined combines the numbers of all ranks at rank 0.
func (o *rank) combined(number float64, op mpi.Op[float64]) (float64, error) {
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
