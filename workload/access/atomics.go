package access

import (
	"math/rand/v2"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/contention"
)

// Atomics measures how ranks change the same words at once.
var Atomics = &workload.Workload{
	Name:       "atomics",
	ListParams: []string{"kind", "share"},
	Summary:    "atomic operations of all ranks on words of one rank: time and rate of a counter, a lock, a queue and of several words at once under contention",
	Params: []workload.Param{
		{Name: "kind", Default: "all", Help: "all, or a list out of counter (each adds 1), lock (a word, taken by compare-and-swap; its holder adds 1 to another word in two steps) queue (each puts a word in and takes one out) and sequence (each adds 1 to eight words)"},
		{Name: "by", Default: "auto", Help: "who changes words: interface (atomic operations), sequence (the same, with one request for all words of kind sequence), messages (package mpi without them), all, or auto: interface, and sequence, where the machine has atomic operations and such requests"},
		{Name: "share", Default: "1", Help: "fraction of the time that a rank spends in operations, or a list; in the rest it computes, for random times"},
		{Name: "pause", Default: "100ns", Help: "mean time between a failed step and the next try; it doubles with each failure, up to 64 times this value"},
		{Name: "iterations", Default: "", Help: "operations of each rank; if not given 10, or 200 between real processes"},
		{Name: "warmup", Default: "", Help: "operations of each rank before, which are not measured; if not given 2, or 20 between real processes"},
	},
	Make: prepareAtomics,
}

// atomics measures one kind of contention after the other, and checks the final values of the
// words.
type atomics struct {
	trials             []atomicsTrial
	seed               uint64
	words              int // of all trials
	pause              units.Time
	iterations, warmup int
}

type atomicsTrial struct {
	kind, by string
	share    float64
	first    int // word
}

func (t *atomicsTrial) labels() []workload.Label {
	return []workload.Label{{Name: "kind", Value: t.kind}, {Name: "by", Value: t.by}, {Name: "share", Value: t.share}}
}

func prepareAtomics(v *workload.Values, env workload.Env) *workload.Plan {
	iterations, warmup := "10", "2"
	if env.RealTime {
		iterations, warmup = "200", "20"
	}
	v.Or("iterations", iterations)
	v.Or("warmup", warmup)
	w := atomics{seed: env.Seed, pause: readPause(v), iterations: v.Int("iterations", 1, 1e6), warmup: v.Int("warmup", 0, 1e6)}
	kinds, shares, first := v.Choices("kind", contention.Kinds()), v.Fractions("share"), 0
	for _, by := range changedBy(v, env) {
		for _, kind := range kinds {
			if by == contention.BySequence && kind != contention.Sequence {
				continue
			}
			for _, share := range shares {
				if kind == contention.Sequence { // in one page
					first = (first + contention.SequenceWords - 1) / contention.SequenceWords * contention.SequenceWords
				}
				w.trials = append(w.trials, atomicsTrial{kind, by, share, first})
				first += contention.WordsOf(kind, env.Ranks)
			}
		}
	}
	w.words = first
	if len(w.trials) == 0 {
		v.Fail("by", "only operations of kind=%s change several words; expected that kind", contention.Sequence)
	}
	return &workload.Plan{Program: w.run}
}

// changedBy reads the parameter by.
func changedBy(v *workload.Values, env workload.Env) []string {
	byInterfaces := []string{}
	if env.Atomics {
		byInterfaces = append(byInterfaces, contention.ByInterface)
	}
	if env.Sequence >= contention.SequenceWords {
		byInterfaces = append(byInterfaces, contention.BySequence)
	}
	by := v.Choice("by", "auto", "all", contention.ByInterface, contention.BySequence, contention.ByMessages)
	switch {
	case by == "all":
		return append(byInterfaces, contention.ByMessages)
	case by == "auto" && len(byInterfaces) > 0:
		return byInterfaces
	case by == "auto":
		return []string{contention.ByMessages}
	case by == contention.ByInterface && !env.Atomics:
		v.Fail("by", "interfaces of this machine do not change words; expected messages, or auto")
	case by == contention.BySequence && env.Sequence < contention.SequenceWords:
		v.Fail("by", "requests of this machine have one change of a word each; expected interface, messages, or auto")
	}
	return []string{by}
}

// readPause reads the parameter of that name.
func readPause(v *workload.Values) units.Time {
	const most = units.Second
	d := v.Time("pause", units.Nanosecond)
	if d > most {
		v.Fail("pause", "expected 1ns to %v", most)
		return most
	}
	return d
}

func (w atomics) run(p rma.Process, out *workload.Rows) error {
	words, err := contention.Open(p, w.words)
	if err != nil {
		return err
	}
	for i := range w.trials {
		workload.Progress(p, out, i, len(w.trials))
		t := &w.trials[i]
		of, err := words.By(t.by)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(w.seed, uint64(p.Rank())))
		shared := contention.Shared{Words: of, First: t.first, Pause: func(tries int) { w.backOff(p, rng, tries) }}
		c := contender{trial: t, comm: words.Comm, rng: rng, contention: contention.New(t.kind, shared, p.Rank(), p.Size())}
		if err := c.measure(w, out); err != nil {
			return err
		}
	}
	return words.Free()
}

// longestPause is the number of times that the pause can double.
const longestPause = 6

// backOff waits after a number of failed tries: the truncated binary exponential backoff of
// Ethernet.
func (w atomics) backOff(p rma.Process, rng *rand.Rand, tries int) {
	p.Compute(w.pause<<min(tries, longestPause)/2 + units.Time(rng.Int64N(int64(w.pause)<<min(tries, longestPause))))
}

// contender is a rank's part in a trial.
type contender struct {
	trial      *atomicsTrial
	comm       *mpi.Comm
	rng        *rand.Rand
	contention contention.Contention
	retries    int
	inside     units.Time // time in operations
}

// measure adds the results of a trial.
func (c *contender) measure(w atomics, out *workload.Rows) error {
	if err := c.repeat(w.warmup); err != nil {
		return err
	}
	if err := mpi.Barrier(c.comm); err != nil {
		return err
	}
	p := c.comm.Process()
	c.retries, c.inside = 0, 0
	begin := p.Now()
	if err := c.repeat(w.iterations); err != nil {
		return err
	}
	longest, sums := []int64{int64(p.Now() - begin)}, []int64{int64(c.inside), int64(c.retries)}
	if err := mpi.AllReduce(c.comm, longest, longest, mpi.Max[int64]()); err != nil {
		return err
	}
	if err := mpi.AllReduce(c.comm, sums, sums, mpi.Sum[int64]()); err != nil {
		return err
	}
	if err := c.contention.Check(c.comm, w.warmup+w.iterations); err != nil {
		return err
	}
	if p.Rank() == 0 {
		c.rows(out, units.Time(longest[0]), units.Time(sums[0]), sums[1], w.iterations*p.Size())
	}
	return nil
}

// rows adds the results of so many operations.
func (c *contender) rows(out *workload.Rows, took, inside units.Time, retries int64, operations int) {
	n, labels := float64(operations), c.trial.labels()
	out.Add(workload.Row{Metric: "atomic", Unit: "us", Value: inside.Microseconds() / n, Labels: labels})
	out.Add(workload.Row{Metric: "throughput", Unit: "M/s", Value: n / took.Microseconds(), Labels: labels})
	if k := c.trial.kind; k != contention.Counter && k != contention.Sequence { // additions never need a retry
		out.Add(workload.Row{Metric: "retries", Unit: "per operation", Value: float64(retries) / n, Labels: labels})
	}
}

// repeat does operations, and computes between them.
func (c *contender) repeat(n int) error {
	p := c.comm.Process()
	for range n {
		begin := p.Now()
		retries, err := c.contention.Once()
		if err != nil {
			return err
		}
		took := p.Now() - begin
		c.retries, c.inside = c.retries+retries, c.inside+took
		if share := c.trial.share; share < 1 {
			p.Compute(units.Time(float64(took) * (1 - share) / share * 2 * c.rng.Float64()))
		}
	}
	return nil
}
