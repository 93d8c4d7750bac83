package osu

import (
	"musubi/mpi"
	"musubi/units"
	"musubi/workload/collectives"
)

// startedTests returns a test for the nonblocking form of each collective operation: the part of
// its time in which a rank can compute.
func startedTests() []Test {
	tests := collectiveTests()
	for i := range tests {
		t := &tests[i]
		operation := t.Operation
		t.Name, t.Title, t.Nonblocking = "i"+operation, "OSU MPI Non-blocking "+collectives.Named(operation).Title+" Test", true
		t.start = func(o *rank, _ int) measure {
			return func(size int, n repeats, add func(Result)) error { return o.overlap(operation, size, n, add) }
		}
	}
	return tests
}

// phases is the time of an operation at a rank, by its parts.
type phases struct{ overall, start, compute, test, wait units.Time }

// overlap measures an operation first alone, and then beside a computation of the same length.
func (o *rank) overlap(operation string, size int, n repeats, add func(Result)) error {
	call := collectives.Named(operation).On(o.c, 0, size)
	alone, err := o.started(&call, 0, n)
	if err != nil {
		return err
	}
	pure := alone.start + alone.wait
	with, err := o.started(&call, pure/units.Time(n.iterations), n)
	if err != nil {
		return err
	}
	return o.addOverlap("i"+operation, size, n.iterations, pure, with, add)
}

// started returns the times of all iterations together. Between them there is a
// barrier. What the last one leaves is checked.
func (o *rank) started(call *collectives.Calls, compute units.Time, n repeats) (phases, error) {
	var sum phases
	for i := range n.warmup + n.iterations {
		if i == n.warmup {
			sum = phases{}
		}
		begin := o.now()
		r, err := call.Start()
		if err != nil {
			return sum, err
		}
		started := o.now()
		test, err := o.computeBeside(r, compute)
		if err != nil {
			return sum, err
		}
		computed := o.now()
		if _, err := r.Wait(); err != nil {
			return sum, err
		}
		end := o.now()
		sum.overall += end - begin
		sum.start += started - begin
		sum.compute += computed - started - test
		sum.test += test
		sum.wait += end - computed
		if err := mpi.Barrier(o.c); err != nil {
			return sum, err
		}
	}
	return sum, call.Verify()
}

// computeBeside computes while an operation is in flight, and tests it now and then. It returns the
// time of the tests.
func (o *rank) computeBeside(r *mpi.Request, compute units.Time) (looked units.Time, err error) {
	if compute == 0 {
		return 0, nil
	}
	part := compute / units.Time(o.probes+1)
	for range o.probes {
		o.c.Process().Compute(part)
		begin := o.now()
		if _, _, err := r.Test(); err != nil {
			return looked, err
		}
		looked += o.now() - begin
	}
	o.c.Process().Compute(compute - part*units.Time(o.probes))
	return looked, nil
}

// addOverlap adds the means over the ranks, and the overlap.
func (o *rank) addOverlap(metric string, size, iterations int, pure units.Time, with phases, add func(Result)) error {
	row := Result{Metric: metric, Unit: "us", Bytes: size, Iterations: iterations}
	mean := map[string]float64{}
	for _, s := range []struct {
		name string
		sum  units.Time
	}{
		{"overall", with.overall}, {"compute", with.compute}, {"start", with.start},
		{"test", with.test}, {"wait", with.wait}, {"pure", pure},
	} {
		all, err := o.total(s.sum.Microseconds() / float64(iterations))
		if err != nil {
			return err
		}
		row.Value = all / float64(o.c.Size())
		mean[s.name] = row.Value
		if o.c.Rank() == 0 {
			row.Statistic = s.name
			add(row)
		}
	}
	if o.c.Rank() == 0 {
		row.Statistic, row.Unit, row.Value = "overlap", "%", max(0, 100-100*(mean["overall"]-mean["compute"])/mean["pure"])
		add(row)
	}
	return nil
}
