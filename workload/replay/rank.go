package replay

import (
	"fmt"
	"math"
	"slices"

	"musubi/internal/spill"
	"musubi/mpi"
	"musubi/rma"
	"musubi/trace/schedule"
	"musubi/units"
)

// Rank carries out what one rank of a schedule does.
type Rank struct {
	todo   *schedule.Rank
	factor float64
	c      *mpi.Comm
	p      rma.Process
	comms  []*mpi.Comm // of groups

	area   *spill.Area
	waits  []uint32 // for how many operations each still waits
	comm   []uint32 // sends and receives that are free
	calcs  []uint32 // calculations that are free, cpu 0
	beside []timer  // calculations of other cpus that are under way
	busy   [math.MaxUint8 + 1]units.Time

	requests  []*mpi.Request
	of        []uint32     // operation of each request
	left      int          // operations that have not ended
	afterSend []bool       // of operations: they require the end of a send
	sent      *mpi.Request // the last send that was complete at once

	out, in []byte // data of all messages, which nobody looks at

	// Computed is how long processors have computed, all together.
	Computed units.Time
}

// timer is a calculation that ends by itself.
type timer struct {
	at units.Time
	op uint32
}

// New returns the rank of a schedule that is that of a communicator of all ranks. Its calculations take a
// factor of their time. All ranks call it, before they communicate otherwise.
func New(c *mpi.Comm, s *schedule.Schedule, factor float64) (*Rank, error) {
	todo := &s.Ranks[c.Rank()]
	area := spill.New()
	r := &Rank{
		todo: todo, factor: factor, c: c, p: c.Process(), left: len(todo.Ops),
		area: area, waits: spill.Make[uint32](area, len(todo.Ops)), afterSend: spill.Make[bool](area, len(todo.Ops)),
	}
	if err := r.makeComms(s); err != nil {
		return nil, err
	}
	var out, in uint64
	for i := range todo.Ops {
		r.waits[i] = todo.Ops[i].Waits
		o, n := Memory(s, &todo.Ops[i])
		out, in = max(out, o), max(in, n)
	}
	r.out, r.in = rma.Memory(r.p, int(out)), rma.Memory(r.p, int(in))
	return r, nil
}

// Run carries all operations out. progress is called now and then with the part that is done.
func (r *Rank) Run(progress func(done float64)) error {
	for i := range r.todo.Ops {
		if r.waits[i] == 0 {
			r.free(uint32(i))
		}
	}
	for r.left > 0 {
		progress(1 - float64(r.left)/float64(len(r.todo.Ops)))
		var err error
		switch {
		case len(r.comm) > 0:
			err = r.communicate(take(&r.comm))
		case len(r.calcs) > 0:
			err = r.compute(take(&r.calcs))
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
	switch op := &r.todo.Ops[i]; {
	case op.Kind != schedule.Calc:
		r.comm = append(r.comm, i)
	case op.CPU == 0:
		r.calcs = append(r.calcs, i)
	default:
		d := r.time(op)
		end := max(r.busy[op.CPU], r.p.Now()) + d
		r.busy[op.CPU] = end
		r.Computed += d
		r.beside = append(r.beside, timer{end, i})
		r.started(i)
	}
}

// time returns how long a calculation takes.
func (r *Rank) time(op *schedule.Op) units.Time {
	if r.factor == 1 {
		return units.Time(op.Picoseconds())
	}
	return units.Time(min(r.factor*float64(op.Picoseconds()), math.MaxInt64))
}

func (r *Rank) communicate(i uint32) (err error) {
	op := &r.todo.Ops[i]
	var q *mpi.Request
	if err := r.makeRoom(i); err != nil {
		return err
	}
	switch op.Kind {
	case schedule.Send:
		q, err = mpi.ISend(r.c, int(op.Peer), int(op.Tag), r.out[:op.Size])
	case schedule.Collective:
		q, err = r.collective(op)
	default:
		q, err = mpi.IReceive(r.c, orAny(op.Peer, mpi.AnySource), orAny(op.Tag, mpi.AnyTag), r.in[:op.Size])
	}
	if err != nil {
		return err
	}
	r.started(i)
	if q.Complete() {
		if op.Kind == schedule.Send {
			r.sent = q
		}
		r.ended(i)
		return nil
	}
	r.requests, r.of = append(r.requests, q), append(r.of, i)
	return nil
}

func orAny(n uint32, wild int) int {
	if n == schedule.Any {
		return wild
	}
	return int(n)
}

// makeRoom lets an operation that requires the end of a send wait until few messages are in flight, as a
// program does that waits for a send.
func (r *Rank) makeRoom(i uint32) error {
	if !r.afterSend[i] || r.sent == nil {
		return nil
	}
	_, err := r.sent.Wait()
	return err
}

func (r *Rank) compute(i uint32) error {
	if err := r.makeRoom(i); err != nil {
		return err
	}
	r.started(i)
	d := r.time(&r.todo.Ops[i])
	r.p.Compute(d)
	r.Computed += d
	r.ended(i)
	return nil
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
	for {
		first := 0
		for i := range r.beside {
			if r.beside[i].at < r.beside[first].at {
				first = i
			}
		}
		next, now := r.beside[first], r.p.Now()
		if next.at <= now {
			r.beside = slices.Delete(r.beside, first, first+1)
			r.ended(next.op)
			return nil
		}
		if len(r.requests) == 0 {
			r.p.Compute(next.at - now)
			continue
		}
		done, err := mpi.WaitSomeBefore(next.at, r.requests...)
		if err != nil {
			return err
		}
		if len(done) > 0 {
			return r.complete(done)
		}
	}
}

func (r *Rank) started(i uint32) { r.release(r.todo.Starts(int(i))) }

func (r *Rank) ended(i uint32) {
	r.left--
	r.area.Used(1)
	r.todo.Area().Used(1)
	if r.todo.Ops[i].Kind == schedule.Send {
		for _, to := range r.todo.Requires(int(i)) {
			r.afterSend[to] = true
		}
	}
	r.release(r.todo.Requires(int(i)))
}

func (r *Rank) release(ops []uint32) {
	for _, to := range ops {
		if r.waits[to]--; r.waits[to] == 0 {
			r.free(to)
		}
	}
}
