package workload

import (
	"slices"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// haloTime is that of a start, a computation and a wait.
type haloTime struct {
	longest units.Time // of any rank
	mean    units.Time // of all ranks; unknown between real processes
	idle    units.Time // how long ranks wait in it
}

// time returns that of exchanges with a computation, after some for warming up.
func (e *haloExchange) time(warmup, iterations int, compute units.Time) (haloTime, error) {
	if err := e.repeat(warmup, compute); err != nil {
		return haloTime{}, err
	}
	if err := mpi.Barrier(e.g.Comm); err != nil {
		return haloTime{}, err
	}
	if e.realTime {
		return e.medians(iterations, compute)
	}
	return e.means(iterations, compute)
}

// means returns those over all exchanges, and ranks.
func (e *haloExchange) means(n int, compute units.Time) (haloTime, error) {
	took, idle, err := e.measure(n, compute)
	if err != nil {
		return haloTime{}, err
	}
	longest, sums := []int64{took}, []int64{took, idle}
	if err := mpi.AllReduce(e.g.Comm, longest, longest, mpi.Max[int64]()); err != nil {
		return haloTime{}, err
	}
	if err := mpi.AllReduce(e.g.Comm, sums, sums, mpi.Sum[int64]()); err != nil {
		return haloTime{}, err
	}
	all := units.Time(n * e.g.Size())
	return haloTime{units.Time(longest[0]) / units.Time(n), units.Time(sums[0]) / all, units.Time(sums[1]) / all}, nil
}

// haloBlock is how many exchanges between real processes are measured together: enough for
// the clock to be fine, too few for most blocks to be interrupted.
const haloBlock = 50

// medians returns those of blocks of exchanges, as an interruption of one process can last
// for a thousand exchanges and belongs to none. What ranks wait is what the one waits that
// waits least: real processors are never as fast as each other, and who is faster also waits
// for the work of who is slower, which no computation hides.
func (e *haloExchange) medians(n int, compute units.Time) (haloTime, error) {
	blocks := max(1, n/haloBlock)
	n /= blocks
	took, idle := make([]int64, blocks), make([]int64, blocks)
	for i := range blocks {
		var err error
		if took[i], idle[i], err = e.measure(n, compute); err != nil {
			return haloTime{}, err
		}
	}
	if err := mpi.AllReduce(e.g.Comm, took, took, mpi.Max[int64]()); err != nil {
		return haloTime{}, err
	}
	if err := mpi.AllReduce(e.g.Comm, idle, idle, mpi.Min[int64]()); err != nil {
		return haloTime{}, err
	}
	slices.Sort(took)
	slices.Sort(idle)
	one := func(sorted []int64) units.Time { return units.Time(sorted[blocks/2]) / units.Time(n) }
	return haloTime{longest: one(took), idle: one(idle)}, nil
}

// measure returns how long exchanges took at this rank, and how long it waited in them.
func (e *haloExchange) measure(n int, compute units.Time) (took, idle int64, err error) {
	p := e.g.Process()
	begin, idleBefore := p.Now(), e.idle()
	if err := e.repeat(n, compute); err != nil {
		return 0, 0, err
	}
	took = int64(p.Now() - begin)
	if _, ok := p.(rma.Idler); !ok {
		return took, took, nil
	}
	return took, int64(e.idle() - idleBefore), nil
}

// idle returns how long calls of this rank have waited, as far as the world knows.
func (e *haloExchange) idle() units.Time {
	if p, ok := e.g.Process().(rma.Idler); ok {
		return p.Idle()
	}
	return 0
}
