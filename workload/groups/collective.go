package groups

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"musubi/mpi"
	"musubi/rma"
	"musubi/workload"
	"musubi/workload/collectives"
	"musubi/workload/internal/ranks"
	"musubi/workload/internal/sample"
)

// Collective measures collective operations of package mpi by their algorithms.
var Collective = &workload.Workload{
	Name:       "collective",
	ListParams: []string{"bytes", "operation"},
	Summary:    "collective operations of package mpi: time by size and algorithm",
	Params: []workload.Param{
		{Name: "operation", Default: "allreduce", Help: "all, or a list out of " + strings.Join(mpi.Operations(), ", ")},
		{Name: "algorithm", Default: "auto", Help: "auto (the choice of package mpi), chosen (the same, and results name what it is), a name, or all; offload for barrier and allreduce of 8 bytes where interfaces do them; chain and hierarchical for barrier and broadcast where networks have multicast"},
		{Name: "bytes", Default: "8..64KiB", Help: "of each rank, or for each where it has parts for all; " + workload.SizesHelp},
		{Name: "root", Default: "0", Help: "root rank of broadcast, gather and the like"},
		{Name: "iterations", Default: "10", Help: "operations measured of each size"},
		{Name: "warmup", Default: "2", Help: "operations before"},
		{Name: "rings", Default: "", Help: "private (one receive ring for each sender), shared, on simulated machines both as a list; if not given, private if they fit"},
		{Name: "eager", Default: "", Help: "longest eager message in bytes; if not given, the default of package mpi"},
	},
	Make: prepareCollective,
}

// collective measures operations one after the other. The time of an operation is the longest of
// any rank, from the end of the preceding barrier to its own end. Ranks leave a barrier one after
// the other, so the result may be too long by up to the time of a message where ranks do different
// things. Combining elements takes no simulated time. Where data has bytes each rank checks all that it has after an operation: in
// real time after the last one only, so that the others find the caches as they would without.
type collective struct {
	trials             []collectiveTrial
	root               int
	iterations, warmup int
	realTime           bool
	named              bool // results by auto have the name of what it chose
	options            mpi.Options
	labels             []workload.Label
}

// collectiveTrial is an operation by an algorithm, with messages of a size.
type collectiveTrial struct {
	operation, algorithm string
	size                 int
	chosen               string // by package mpi, where that is to be told; "" before it has
}

func prepareCollective(v *workload.Values, env workload.Env) *workload.Plan {
	w := collective{
		root:       v.Rank("root", env),
		iterations: v.Int("iterations", 1, 1e6),
		warmup:     v.Int("warmup", 0, 1e6),
		realTime:   env.RealTime,
		named:      v.Text("algorithm") == "chosen",
	}
	algorithms := func(operation string) []string { return ReadAlgorithms(v, operation, env) }
	if w.named {
		algorithms = func(string) []string { return []string{"auto"} }
	}
	if v.Has("eager") {
		w.options.Eager = v.Int("eager", 1, workload.MaxSize)
	}
	sizes := v.Sizes("bytes", env)
	for _, operation := range v.Choices("operation", mpi.Operations()) {
		of := sizes
		if operation == "barrier" {
			of = []int{0}
		}
		for _, algorithm := range algorithms(operation) {
			for _, size := range of {
				switch {
				case algorithm != mpi.Offload || size == 0 || size == ranks.WordSize:
					w.trials = append(w.trials, collectiveTrial{operation: operation, algorithm: algorithm, size: size})
				case v.Text("algorithm") != "all":
					v.Fail("bytes", "%d bytes by algorithm %s; expected %d", size, algorithm, ranks.WordSize)
				}
			}
		}
	}
	several := strings.Contains(v.Text("rings"), ",")
	plan := ranks.WithRings(v, func(rings string) ranks.Program {
		own := w
		own.options.Rings = rings
		if several {
			own.labels = []workload.Label{{Name: "rings", Value: rings}}
		}
		return own.run
	})
	plan.Data, plan.Shared, plan.Partners = w.data(env.Ranks), true, w.partners(env.Ranks)
	plan.Sends = func() (messages, bytes int64) { return w.sends(env.Ranks) }
	return plan
}

// data returns how many bytes the ranks send and receive at most in one operation.
func (w *collective) data(ranks int) int64 {
	most := int64(1)
	for _, t := range w.trials {
		each := 2 * int64(t.size)
		if collectives.Named(t.operation).Parts {
			each *= int64(ranks)
		}
		most = max(most, each*int64(ranks))
	}
	return most
}

// sends returns how many messages the ranks send, and how many bytes: each operation comes behind a
// barrier, and the ranks agree on the times of each trial.
func (w *collective) sends(ranks int) (messages, bytes int64) {
	of := func(operation, algorithm string, size, times int) {
		m, n, _ := mpi.Sent(operation, algorithm, ranks, w.root, size)
		messages, bytes = messages+int64(times)*m, bytes+int64(times)*n
	}
	for _, t := range w.trials {
		of(t.operation, t.algorithm, t.size, w.warmup+w.iterations)
		of("barrier", "auto", 0, w.warmup+w.iterations)
		of("allreduce", "auto", 8*w.iterations, 1)
	}
	return messages, bytes
}

// ReadAlgorithms reads the parameter algorithm for an operation.
func ReadAlgorithms(v *workload.Values, operation string, env workload.Env) []string {
	known, err := mpi.AlgorithmsFor(operation, env.Ranks)
	if err != nil {
		v.Fail("operation", "%v", err)
	}
	if env.Offload && (operation == "barrier" || operation == "allreduce") {
		known = append(known, mpi.Offload)
	}
	if operation == "barrier" || operation == "broadcast" {
		for _, m := range []rma.MulticastMethod{rma.Chain, rma.Hierarchical} {
			if env.HasMulticast(m) {
				known = append(known, m.String())
			}
		}
	}
	name := v.Text("algorithm")
	switch {
	case name == "all":
		return known
	case name != "auto" && !slices.Contains(known, name):
		v.Fail("algorithm", "for %d ranks, %s has auto, all, %s", env.Ranks, operation, strings.Join(known, ", "))
	}
	return []string{name}
}

// partners returns with how many others a rank has messages under way in one operation.
func (w *collective) partners(ranks int) int {
	if slices.ContainsFunc(w.trials, func(t collectiveTrial) bool { return collectives.Named(t.operation).Parts }) {
		return ranks - 1
	}
	return bits.Len(uint(ranks))
}

func (w *collective) run(p rma.Process, out *workload.Rows) error {
	c, err := w.communicator(p)
	if err != nil {
		return err
	}
	for i := range w.trials {
		if err := w.force(c, &w.trials[i]); err != nil {
			return err
		}
		us, err := w.measure(c, i, out)
		if err != nil {
			return err
		}
		if w.named && p.Rank() == 0 {
			w.trials[i].chosen = c.Chosen()
		}
		if err := c.SetAlgorithm(w.trials[i].operation, "auto"); err != nil {
			return err
		}
		if err := longest(c, us); err != nil {
			return err
		}
		if p.Rank() == 0 {
			w.tell(&w.trials[i], us, out)
		}
	}
	return nil
}

// communicator returns the communicator of all ranks. What it and force need of the stack is not to be
// part of run, in which all ranks wait.
//
//go:noinline
func (w *collective) communicator(p rma.Process) (*mpi.Comm, error) {
	options := w.options
	options.Check = mpi.CheckOff
	return mpi.New(p, options)
}

// force sets the algorithms of a trial.
//
//go:noinline
func (w *collective) force(c *mpi.Comm, t *collectiveTrial) error {
	return errors.Join(c.SetAlgorithm("barrier", syncOf(c.Process())), c.SetAlgorithm(t.operation, t.algorithm))
}

// longest replaces times by the longest of all ranks. All ranks wait in it, so it needs little of
// their stacks.
func longest(c *mpi.Comm, us []float64) error { return mpi.AllReduce(c, us, us, mpi.Max[float64]()) }

// tell adds the result of a trial. What it needs of the stack is not to be part of run, in which
// all ranks wait.
//
//go:noinline
func (w *collective) tell(t *collectiveTrial, us []float64, out *workload.Rows) {
	algorithm := workload.Label{Name: "algorithm", Value: cmp.Or(t.chosen, t.algorithm)}
	out.Add(workload.Row{Metric: t.operation, Unit: "us", Value: sample.Mean(us), Bytes: t.size, Labels: append([]workload.Label{algorithm}, w.labels...)})
}

// syncOf returns the algorithm of the barriers between operations, after which ranks are the least apart, so
// that it does not favour what follows: by interfaces that can, else dissemination.
func syncOf(p rma.Process) string {
	if _, can := p.(rma.Collector); can {
		return "auto"
	}
	return "dissemination"
}

// measure returns the times of this rank in a trial, in microseconds.
func (w *collective) measure(c *mpi.Comm, trial int, out *workload.Rows) ([]float64, error) {
	p, call, us := c.Process(), w.operation(c, trial), make([]float64, w.iterations)
	for i := range w.warmup + w.iterations {
		w.progress(p, out, trial, i)
		if err := mpi.Barrier(c); err != nil {
			return nil, err
		}
		if p.Rank() == 0 {
			out.Within(c.Done)
		}
		start := p.Now()
		if err := call.Wait(); err != nil {
			return nil, err
		}
		if i >= w.warmup {
			us[i-w.warmup] = (p.Now() - start).Microseconds()
		}
		if err := w.check(call, i); err != nil {
			return nil, err
		}
	}
	w.progress(p, out, trial, w.warmup+w.iterations)
	return us, nil
}

// operation returns the calls of the operation of a trial.
//
//go:noinline
func (w *collective) operation(c *mpi.Comm, trial int) *collectives.Calls {
	t := &w.trials[trial]
	calls := collectives.Named(t.operation).On(c, w.root, t.size)
	return &calls
}

// check checks what this rank has after an operation of a trial, if that is to be done.
//
//go:noinline
func (w *collective) check(call *collectives.Calls, done int) error {
	if w.realTime && done < w.warmup+w.iterations-1 {
		return nil
	}
	return call.Verify()
}

// progress tells how many operations of a trial are done.
//
//go:noinline
func (w *collective) progress(p rma.Process, out *workload.Rows, trial, done int) {
	each := w.warmup + w.iterations
	workload.Progress(p, out, trial*each+done, len(w.trials)*each)
}
