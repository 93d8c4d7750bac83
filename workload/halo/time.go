package halo

import (
	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
	"musubi/workload/internal/sample"
)

// haloTime is the time of a start, a computation and a wait.
type haloTime struct {
	longest, mean units.Time // over all ranks
	idle          units.Time // time in which they wait
}

// haloTimes are the times of exchanges alone and beside a computation, in blocks that were measured
// in turn.
type haloTimes struct {
	alone, both haloBlocks
	saved       []units.Time // by doing both at once
	compute     units.Time   // the computation
}

// haloBlocks are the times of blocks of exchanges.
type haloBlocks struct{ longest, idle []units.Time }

func (b *haloBlocks) add(t haloTime) {
	b.longest, b.idle = append(b.longest, t.longest), append(b.idle, t.idle)
}

// haloBlock is the number of exchanges between real processes that are measured together: enough
// for the resolution of the clock, too few for most blocks to be interrupted.
const haloBlock = 50

// times measures exchanges alone and beside a computation; compute 0 means as long as an exchange.
// Between real processes it measures many blocks, because an interruption of one process can last
// as long as a thousand exchanges, and the speed of processors changes within minutes by more than
// a computation saves.
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
			t.compute = sample.Median(t.alone.longest)
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

// warmUp exchanges without measuring, and leaves all ranks level.
func (e *haloExchange) warmUp(n int, compute units.Time) error {
	if err := e.repeat(n, compute); err != nil {
		return err
	}
	return mpi.Barrier(e.g.Comm)
}

// measure returns the mean time of an exchange. With real processors, the waiting time is that of
// the rank that waits least: a faster rank also waits for the work of a slower one, which no
// computation hides.
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

// idle returns how long calls of this rank have waited; if the world does not tell, it returns all
// the time.
func (e *haloExchange) idle() units.Time {
	p := e.g.Process()
	if i, ok := p.(rma.Idler); ok {
		return i.Idle()
	}
	return p.Now()
}

// timeOverlap returns by which fraction, from 0 to 1, of the shorter of both an exchange and a
// computation take less time together than one after the other. Unlike overlap it counts the work
// of the processor in an exchange, which no computation hides. Of nothing, all is saved.
func timeOverlap(exchange, compute, total units.Time) float64 {
	shorter := min(exchange, compute)
	if shorter == 0 {
		return 1
	}
	return min(max(0, float64(exchange+compute-total)/float64(shorter)), 1)
}
