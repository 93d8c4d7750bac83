package osu

import (
	"musubi/mpi"
	"musubi/units"
	"musubi/workload/collectives"
)

const collectiveMost = 1 << 20 // bytes

var collectiveOften = often{short: repeats{1000, 100}, long: repeats{100, 10}}

// collectiveTests returns a test for each collective operation of package mpi. A size is that of
// the data of a rank, or of its part for each rank if it has parts for all.
func collectiveTests() []Test {
	var tests []Test
	for _, operation := range mpi.Operations() {
		call := collectives.Named(operation)
		t := Test{
			Name: operation, Title: "OSU MPI " + call.Title + " Test", Most: collectiveMost, Operation: operation,
			often: collectiveOften, memory: buffersOf(call),
		}
		if operation == "barrier" {
			t.Most = 0
		}
		t.start = func(o *rank, _ int) measure {
			return func(size int, n repeats, add func(Result)) error { return o.collective(operation, size, n, add) }
		}
		tests = append(tests, t)
	}
	return tests
}

// buffersOf returns an upper bound for the memory that collectives allocate at all ranks.
func buffersOf(o *collectives.Operation) func(ranks, window int) int {
	if !o.Parts {
		return twoEach
	}
	return func(ranks, _ int) int { return 2 * ranks * (ranks + 1) }
}

// collective measures how long each rank is in an operation. A barrier separates the calls, unless
// the operation is a barrier itself.
func (o *rank) collective(operation string, size int, n repeats, add func(Result)) error {
	call := collectives.Named(operation).On(o.c, 0, size)
	var in units.Time
	for i := range n.warmup + n.iterations {
		start := o.now()
		if err := call.Wait(); err != nil {
			return err
		}
		if i >= n.warmup {
			in += o.now() - start
		}
		if size == 0 {
			continue
		}
		if err := mpi.Barrier(o.c); err != nil {
			return err
		}
	}
	if err := call.Verify(); err != nil {
		return err
	}
	row := Result{Metric: operation, Unit: "us", Bytes: size, Iterations: n.iterations}
	return o.addStatistics(row, in.Microseconds()/float64(n.iterations), add)
}

// addStatistics adds mean, least and most of a number over the ranks.
func (o *rank) addStatistics(row Result, number float64, add func(Result)) error {
	for _, s := range []struct {
		name  string
		op    mpi.Op[float64]
		share float64
	}{
		{"avg", mpi.Sum[float64](), 1 / float64(o.c.Size())},
		{"min", mpi.Min[float64](), 1},
		{"max", mpi.Max[float64](), 1},
	} {
		all, err := o.combined(number, s.op)
		if err != nil {
			return err
		}
		if o.c.Rank() == 0 {
			row.Value, row.Statistic = all*s.share, s.name
			add(row)
		}
	}
	return nil
}
