package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"musubi/mpi"
	"musubi/rma"
	"musubi/trace/goal"
	"musubi/units"
)

// Rank carries out what one rank of a schedule does.
type Rank struct {
	schedule *goal.Rank
	factor   float64
	c        *mpi.Comm
	p        rma.Process

	waits  []uint32 // for how many operations each still waits
	comm   []uint32 // sends and receives that are free
	calcs  []uint32 // calculations that are free, cpu 0
	beside []timer  // calculations of other cpus that are under way
	busy   [math.MaxUint8 + 1]units.Time

	requests []*mpi.Request
	of       []uint32 // operation of each request
	left     int      // operations that have not ended

	out, in []byte // data of all messages, which nobody looks at

	// Computed is how long cpu 0 has computed.
	Computed units.Time
}

// timer is a calculation that ends by itself.
type timer struct {
	at units.Time
	op uint32
}

// New returns a rank whose calculations take a factor of their time.
func New(c *mpi.Comm, schedule *goal.Rank, factor float64) *Rank {
	r := &Rank{schedule: schedule, factor: factor, c: c, p: c.Process(), waits: make([]uint32, len(schedule.Ops)), left: len(schedule.Ops)}
	var out, in uint64
	for i := range schedule.Ops {
		op := &schedule.Ops[i]
		switch r.waits[i] = op.Waits; op.Kind {
		case goal.Send:
			out = max(out, op.Size)
		case goal.Receive:
			in = max(in, op.Size)
		}
	}
	r.out, r.in = rma.Memory(r.p, int(out)), rma.Memory(r.p, int(in))
	return r
}

// Run carries all operations out. progress is called now and then with the part that is done.
func (r *Rank) Run(progress func(done float64)) error {
	for i := range r.schedule.Ops {
		if r.waits[i] == 0 {
			r.free(uint32(i))
		}
	}
	for r.left > 0 {
		progress(1 - float64(r.left)/float64(len(r.schedule.Ops)))
		var err error
		switch {
		case len(r.comm) > 0:
			err = r.communicate(take(&r.comm))
		case len(r.calcs) > 0:
			r.compute(take(&r.calcs))
		case len(r.beside) > 0:
			err = r.pass()
		case len(r.requests) > 0:
			err = r.await()
		default:
			return fmt.Errorf("workload trace: rank %d has %d operations left that never start", r.p.Rank(), r.left)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func take(list *[]uint32) uint32 {
	first := (*list)[0]
	*list = (*list)[1:]
	return first
}

// free enters an operation that waits for nothing any more.
func (r *Rank) free(i uint32) {
	switch op := &r.schedule.Ops[i]; {
	case op.Kind != goal.Calc:
		r.comm = append(r.comm, i)
	case op.CPU == 0:
		r.calcs = append(r.calcs, i)
	default:
		end := max(r.busy[op.CPU], r.p.Now()) + r.time(op)
		r.busy[op.CPU] = end
		r.beside = append(r.beside, timer{end, i})
		r.started(i)
	}
}

// time returns how long a calculation takes.
func (r *Rank) time(op *goal.Op) units.Time {
	return units.Time(r.factor * float64(op.Size) * float64(units.Nanosecond))
}

func (r *Rank) communicate(i uint32) (err error) {
	op := &r.schedule.Ops[i]
	var q *mpi.Request
	if op.Kind == goal.Send {
		q, err = mpi.ISend(r.c, int(op.Peer), int(op.Tag), r.out[:op.Size])
	} else {
		q, err = mpi.IReceive(r.c, orAny(op.Peer, mpi.AnySource), orAny(op.Tag, mpi.AnyTag), r.in[:op.Size])
	}
	if err != nil {
		return err
	}
	r.requests, r.of = append(r.requests, q), append(r.of, i)
	r.started(i)
	return nil
}

func orAny(n uint32, wild int) int {
	if n == goal.Any {
		return wild
	}
	return int(n)
}

func (r *Rank) compute(i uint32) {
	r.started(i)
	d := r.time(&r.schedule.Ops[i])
	r.p.Compute(d)
	r.Computed += d
	r.ended(i)
}

// await waits until some messages are complete.
func (r *Rank) await() error {
	done, err := mpi.WaitSome(r.requests...)
	if err != nil {
		return err
	}
	return r.complete(done)
}

// complete takes requests off the list and lets others go on.
func (r *Rank) complete(done []int) error {
	slices.Sort(done)
	ends := make([]uint32, len(done))
	for k, i := range done {
		if _, err := r.requests[i].Wait(); err != nil {
			return err
		}
		ends[k] = r.of[i]
	}
	for _, i := range slices.Backward(done) {
		r.requests, r.of = slices.Delete(r.requests, i, i+1), slices.Delete(r.of, i, i+1)
	}
	for _, i := range ends {
		r.ended(i)
	}
	return nil
}

// pass lets time pass until a calculation of another cpu has ended, or a message is complete.
func (r *Rank) pass() error {
	for since := r.p.Now(); ; {
		now := r.p.Now()
		i := slices.IndexFunc(r.beside, func(t timer) bool { return t.at <= now })
		if i >= 0 {
			op := r.beside[i].op
			r.beside = slices.Delete(r.beside, i, i+1)
			r.ended(op)
			return nil
		}
		if len(r.requests) > 0 {
			done, err := mpi.TestSome(r.requests...)
			if err != nil {
				return err
			}
			if len(done) > 0 {
				return r.complete(done)
			}
		}
		r.p.Compute(r.nap(now, since))
	}
}

// shortNap is how long messages are not looked at while a calculation of another cpu is waited for.
const shortNap = 100 * units.Nanosecond

// nap returns the time until the next look: to the end of the next calculation, but if there are messages
// at most a 32nd of the time waited so far.
func (r *Rank) nap(now, since units.Time) units.Time {
	next := slices.MinFunc(r.beside, func(a, b timer) int { return cmp.Compare(a.at, b.at) }).at - now
	if len(r.requests) == 0 {
		return next
	}
	return min(next, max(shortNap, (now-since)/32))
}

func (r *Rank) started(i uint32) { r.release(r.schedule.Starts(int(i))) }

func (r *Rank) ended(i uint32) {
	r.left--
	r.release(r.schedule.Requires(int(i)))
}

func (r *Rank) release(ops []uint32) {
	for _, to := range ops {
		if r.waits[to]--; r.waits[to] == 0 {
			r.free(to)
		}
	}
}
