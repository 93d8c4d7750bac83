package workload

import (
	"slices"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// haloTime is that of a start, a computation and a wait.
type haloTime struct {
	longest, mean units.Time // of all ranks
	idle          units.Time // how long they wait in it
}

// haloTimes are those of exchanges by themselves and beside a computation, by blocks that
// were measured in turns.
type haloTimes struct {
	alone, both haloBlocks
	saved       []units.Time // by both at once instead of one after the other
	compute     units.Time   // the computation
}

// haloBlocks are the times of blocks of exchanges.
type haloBlocks struct{ longest, idle []units.Time }

func (b *haloBlocks) add(t haloTime) {
	b.longest, b.idle = append(b.longest, t.longest), append(b.idle, t.idle)
}

// haloBlock is how many exchanges between real processes are measured together: enough for
// the clock to be fine, too few for most blocks to be interrupted.
const haloBlock = 50

// times measures exchanges by themselves and beside a computation, 0: as long as an exchange.
// Between real processes it does so in many blocks: an interruption of one process can last
// for a thousand exchanges and belongs to none, and what a computation saves is less than
// what the speed of processors changes from one minute to the next.
func (e *haloExchange) times(warmup, iterations int, compute units.Time) (t haloTimes, err error) {
	blocks := 1
	if e.realTime {
		blocks = max(1, iterations/haloBlock)
	}
	if err := e.warmUp(warmup, 0); err != nil {
		return t, err
	}
	t.compute = compute
	for i := range blocks {
		alone, err := e.measure(iterations/blocks, 0)
		if err != nil {
			return t, err
		}
		t.alone.add(alone)
		if compute == 0 {
			t.compute = median(t.alone.longest)
		}
		if i == 0 {
			if err := e.warmUp(warmup, t.compute); err != nil {
				return t, err
			}
		}
		both, err := e.measure(iterations/blocks, t.compute)
		if err != nil {
			return t, err
		}
		t.both.add(both)
		t.saved = append(t.saved, alone.mean+t.compute-both.mean)
	}
	return t, nil
}

// warmUp exchanges without measuring, after which no rank is ahead of another.
func (e *haloExchange) warmUp(n int, compute units.Time) error {
	if err := e.repeat(n, compute); err != nil {
		return err
	}
	return mpi.Barrier(e.g.Comm)
}

// measure returns that of an exchange, the mean of many. Real processors are never as fast as
// each other: what they wait is what the rank waits that waits least. Whoever is faster also
// waits for the work of the slower one, which no computation hides.
func (e *haloExchange) measure(n int, compute units.Time) (haloTime, error) {
	p := e.g.Process()
	begin, idle := p.Now(), e.idle()
	if err := e.repeat(n, compute); err != nil {
		return haloTime{}, err
	}
	took, waited := int64(p.Now()-begin), int64(e.idle()-idle)
	longest, sums := []int64{took}, []int64{took, waited}
	if err := mpi.AllReduce(e.g.Comm, longest, longest, mpi.Max[int64]()); err != nil {
		return haloTime{}, err
	}
	if err := mpi.AllReduce(e.g.Comm, sums, sums, mpi.Sum[int64]()); err != nil {
		return haloTime{}, err
	}
	all := units.Time(n * e.g.Size())
	t := haloTime{units.Time(longest[0]) / units.Time(n), units.Time(sums[0]) / all, units.Time(sums[1]) / all}
	if !e.realTime {
		return t, nil
	}
	least := []int64{waited}
	err := mpi.AllReduce(e.g.Comm, least, least, mpi.Min[int64]())
	t.idle = units.Time(least[0]) / units.Time(n)
	return t, err
}

// idle returns how long calls of this rank have waited: all the time, where the world does
// not tell.
func (e *haloExchange) idle() units.Time {
	p := e.g.Process()
	if i, ok := p.(rma.Idler); ok {
		return i.Idle()
	}
	return p.Now()
}

func median(times []units.Time) units.Time {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// overlap is which part of what a computation could hide it does hide, from 0 to 1. What
// saves time is that processors wait less, so no more can be hidden than what they wait
// without it, and no more than the computation is long. If that is nothing, all is hidden.
func overlap(saved, idle, compute units.Time) float64 {
	hideable := min(idle, compute)
	if hideable == 0 {
		return 1
	}
	return min(max(0, float64(saved)/float64(hideable)), 1)
}
