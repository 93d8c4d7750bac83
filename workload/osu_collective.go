package workload

import (
	"musubi/mpi"
	"musubi/units"
)

const osuCollectiveMost = 1 << 20 // bytes

var osuCollectiveOften = osuOften{short: osuRepeats{1000, 100}, long: osuRepeats{100, 10}}

// osuCollectiveTests returns a test for each collective operation of package mpi. A size is that of
// the data of a rank, or of its part for each rank if it has parts for all.
func osuCollectiveTests() []osuTest {
	var tests []osuTest
	for _, operation := range mpi.Operations() {
		call := callOf(operation)
		t := osuTest{
			OSUTest: OSUTest{Name: operation, Title: "OSU MPI " + call.title + " Test"},
			most:    osuCollectiveMost, often: osuCollectiveOften, memory: buffersOf(call), operation: operation,
		}
		if operation == "barrier" {
			t.most = 0
		}
		t.start = func(o *osuRank, _ int) osuMeasure {
			return func(size int, n osuRepeats, out *Rows) error { return o.collective(operation, size, n, out) }
		}
		tests = append(tests, t)
	}
	return tests
}

// buffersOf returns an upper bound for the memory that operationOf allocates at all ranks.
func buffersOf(call *collectiveCall) func(ranks, window int) int {
	if !call.parts {
		return twoEach
	}
	return func(ranks, _ int) int { return 2 * ranks * (ranks + 1) }
}

// collective measures how long each rank is in an operation. A barrier separates the calls, unless
// the operation is a barrier itself.
func (o *osuRank) collective(operation string, size int, n osuRepeats, out *Rows) error {
	once := operationOf(o.c, operation, 0, size).wait
	var in units.Time
	for i := range n.warmup + n.iterations {
		start := o.now()
		if err := once(); err != nil {
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
	row := Row{Metric: operation, Unit: "us", Bytes: size, Labels: []Label{{"iterations", n.iterations}}}
	return o.addStatistics(row, in.Microseconds()/float64(n.iterations), out)
}

// addStatistics adds mean, least and most of a number over the ranks.
func (o *osuRank) addStatistics(row Row, number float64, out *Rows) error {
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
			row.Value = all * s.share
			out.Add(row.with(Label{"statistic", s.name}))
		}
	}
	return nil
}

// with returns the row with one more label.
func (r Row) with(l Label) Row {
	r.Labels = append(r.Labels[:len(r.Labels):len(r.Labels)], l)
	return r
}
