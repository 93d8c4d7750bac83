package queue

import (
	"math/bits"
	"musubi/live/shm"
	"musubi/live/wire"
	"sync/atomic"
)

// runner carries out commands in the name of a process: one in the goroutine of its program,
// another in its progress goroutine.
type runner struct {
	c        *Queues
	reaching *atomic.Uint64 // segment of another rank that it copies to
	copier   shm.Copier
	bounce   []byte // between the memory of two other processes

	released []shm.QueueName // that have to be looked at
	marked   [wire.MaxRanks]uint64
}

func newRunner(c *Queues, reaching *atomic.Uint64) *runner {
	return &runner{c: c, reaching: reaching}
}

// run carries out what it can of the commands of a queue, and of those that they release.
func (x *runner) run(n shm.QueueName) {
	x.mark(n)
	x.runMarked()
}

// mark notes a queue to be looked at.
func (x *runner) mark(n shm.QueueName) {
	if x.marked[n.Rank]&n.Bit() == 0 {
		x.marked[n.Rank] |= n.Bit()
		x.released = append(x.released, n)
	}
}

func (x *runner) runMarked() {
	for i := 0; i < len(x.released); i++ {
		n := x.released[i]
		x.marked[n.Rank] &^= n.Bit()
		x.look(n)
	}
	x.released = x.released[:0]
}

// runAsked carries out what others have asked this process for, and what its own queues
// have ready.
func (x *runner) runAsked() {
	state := x.c.state
	for _, owner := range x.c.near {
		asked := &state.Asked[owner]
		if asked.Load() != 0 {
			x.markAll(owner, asked.Swap(0))
		}
	}
	x.markAll(x.c.number, state.Open.Load())
	x.runMarked()
}

// markWaiting marks all queues of the group that may wait for the place of a notice.
func (x *runner) markWaiting() {
	for _, owner := range x.c.near {
		x.markAll(owner, x.c.job.Progress[owner].Open.Load())
	}
}

// markAll marks queues of a rank that have something ready.
func (x *runner) markAll(owner int, queues uint64) {
	for ; queues != 0; queues &= queues - 1 {
		n := shm.QueueName{Rank: owner, Number: bits.TrailingZeros64(queues) + 1}
		if p := x.c.job.QueueOf(n).Pointers(); p.Ready() > 0 {
			x.mark(n)
		}
	}
}

// look carries out what is ready in a queue, unless another does so.
func (x *runner) look(n shm.QueueName) {
	q := x.c.job.QueueOf(n)
	if !q.Enter() {
		return
	}
	wanted := false // the lock, by another
	for again := true; again; wanted = wanted || again {
		if x.c.job.IsOpen(n) && x.carryOutReady(n, q) {
			x.c.job.Tell(n.Rank)
		}
		again = q.Leave()
	}
	if wanted {
		x.c.job.Tell(n.Rank) // it may wait for the lock, to close the queue
	}
}

// carryOutReady carries out commands until one must wait. It reports whether any is
// complete.
func (x *runner) carryOutReady(n shm.QueueName, q *shm.Queue) (some bool) {
	for p := q.Pointers(); p.Ready() > 0; p = q.Pointers() {
		c := q.Command(p.Read)
		if p.Running() > 0 && !q.Command(p.Done).GoesWith(c) {
			return some
		}
		if c.Flags&shm.IsPut != 0 && !x.c.job.IsLocal(int(c.To)) {
			if n.Rank != x.c.number {
				x.ask(n, n.Rank)
				return some
			}
			q.Read.Store(p.Read + 1)
			x.c.progress.linkTo(int(c.To)).add(linkedPut{n, p.Read})
			continue
		}
		if c.Flags&shm.IsPut != 0 {
			complete, failed := x.put(n, q, c)
			if !complete {
				return some
			}
			c.Code, c.Hint = uint8(failed.Code), failed.Hint
		}
		q.Step = shm.Step{}
		q.Read.Store(p.Read + 1)
		q.Done.Store(p.Read + 1)
		some = true
	}
	return some
}

// put carries out a put. It reports false if it has to wait, or somebody else has to go on
// with it, who has been asked to.
func (x *runner) put(n shm.QueueName, q *shm.Queue, c *shm.Command) (complete bool, failed wire.Report) {
	target := shm.QueueName{Rank: int(c.To), Number: int(c.Taker)}
	var taker *shm.Queue
	if target.Number > 0 {
		if !x.c.job.IsOpen(target) {
			return x.refuse(n, target.Rank, wire.Report{Code: wire.NotOpen, Hint: uint64(target.Number)})
		}
		taker = x.c.job.QueueOf(target)
	}
	if taker != nil && c.Flags&shm.WithNotice != 0 && !q.Step.Admitted {
		if q.Step.Admitted = taker.Admit(); !q.Step.Admitted {
			return false, failed
		}
	}
	if c.Bytes > 0 {
		if complete, failed = x.move(n, q, c); !complete || failed.Code != 0 {
			if complete && q.Step.Admitted && taker.Forgo() {
				x.markWaiting()
				x.c.progress.makeRoom()
			}
			return complete, failed
		}
	}
	shm.StoreFence()
	if taker != nil {
		x.arrive(n.Rank, target, taker, c)
	}
	x.c.job.Tell(target.Rank)
	return true, failed
}

// refuse fails a put for the lack of something that the target may be about to make: only
// that knows for sure, and so is asked.
func (x *runner) refuse(n shm.QueueName, target int, why wire.Report) (complete bool, failed wire.Report) {
	if target != x.c.number {
		x.ask(n, target)
		return false, wire.Report{}
	}
	return true, why
}

// arrive does what a put says to the queue that takes it.
func (x *runner) arrive(from int, target shm.QueueName, taker *shm.Queue, c *shm.Command) {
	if c.Flags&shm.WithNotice != 0 {
		taker.Notify(from, c.Word)
	}
	if p := taker.Pointers(); c.Advance > 0 && p.Session() {
		taker.Scheduled.Add(uint64(c.Advance))
		x.mark(target)
	}
}

// ask lets another process go on with the commands of a queue.
func (x *runner) ask(n shm.QueueName, process int) {
	state := &x.c.job.Progress[process]
	state.Asked[n.Rank].Or(n.Bit())
	x.c.job.Tell(process)
	state.WakeProgress()
}
