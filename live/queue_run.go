package live

import (
	"math/bits"
	"musubi/live/wire"
	"sync/atomic"
)

// runner carries out commands in the name of a process: one in the goroutine of its program,
// another in its deputy.
type runner struct {
	rank     *rank
	reaching *atomic.Uint64 // segment of another rank that it copies to
	copier   copier
	bounce   []byte // between the memory of two other processes

	released []queueName // that have to be looked at
	marked   [MaxRanks]uint64
}

// queueName is a queue of a rank. Bit number-1 stands for it in words of bits.
type queueName struct{ rank, number int }

func (n queueName) bit() uint64 { return 1 << (n.number - 1) }

func newRunner(r *rank, reaching *atomic.Uint64) *runner { return &runner{rank: r, reaching: reaching} }

// run carries out what it can of the commands of a queue, and of those that they release.
func (x *runner) run(n queueName) {
	x.mark(n)
	x.runMarked()
}

// mark notes a queue to be looked at.
func (x *runner) mark(n queueName) {
	if x.marked[n.rank]&n.bit() == 0 {
		x.marked[n.rank] |= n.bit()
		x.released = append(x.released, n)
	}
}

func (x *runner) runMarked() {
	for i := 0; i < len(x.released); i++ {
		n := x.released[i]
		x.marked[n.rank] &^= n.bit()
		x.look(n)
	}
	x.released = x.released[:0]
}

// runAsked carries out what others have asked this process for, and what its own queues
// have ready.
func (x *runner) runAsked() {
	desk := x.rank.commands.desk
	for _, owner := range x.rank.near {
		asked := &desk.asked[owner]
		if asked.Load() != 0 {
			x.markAll(owner, asked.Swap(0))
		}
	}
	x.markAll(x.rank.number, desk.open.Load())
	x.runMarked()
}

// markWaiting marks all queues of the group that may wait for the place of a notice.
func (x *runner) markWaiting() {
	for _, owner := range x.rank.near {
		x.markAll(owner, x.rank.job.desks[owner].open.Load())
	}
}

// markAll marks queues of a rank that have something ready.
func (x *runner) markAll(owner int, queues uint64) {
	for ; queues != 0; queues &= queues - 1 {
		n := queueName{owner, bits.TrailingZeros64(queues) + 1}
		if p := x.rank.job.queueOf(n).pointers(); p.Ready() > 0 {
			x.mark(n)
		}
	}
}

// look carries out what is ready in a queue, unless another does so.
func (x *runner) look(n queueName) {
	q := x.rank.job.queueOf(n)
	if !q.enter() {
		return
	}
	wanted := false // the lock, by another
	for again := true; again; wanted = wanted || again {
		if x.rank.job.isOpen(n) && x.carryOutReady(n, q) {
			x.rank.job.tell(n.rank)
		}
		again = q.leave()
	}
	if wanted {
		x.rank.job.tell(n.rank) // it may wait for the lock, to close the queue
	}
}

// carryOutReady carries out commands until one must wait. It reports whether any is
// complete.
func (x *runner) carryOutReady(n queueName, q *queueState) (some bool) {
	for p := q.pointers(); p.Ready() > 0; p = q.pointers() {
		c := q.command(p.Read)
		if p.Running() > 0 && !q.command(p.Done).goesWith(c) {
			return some
		}
		if c.flags&isPut != 0 && !x.rank.job.isLocal(int(c.to)) {
			if n.rank != x.rank.number {
				x.ask(n, n.rank)
				return some
			}
			q.read.Store(p.Read + 1)
			x.rank.commands.deputy.linkTo(int(c.to)).add(linkedPut{n, p.Read})
			continue
		}
		if c.flags&isPut != 0 {
			complete, failed := x.put(n, q, c)
			if !complete {
				return some
			}
			c.code, c.hint = uint8(failed.Code), failed.Hint
		}
		q.step = step{}
		q.read.Store(p.Read + 1)
		q.done.Store(p.Read + 1)
		some = true
	}
	return some
}

// goesWith reports whether another command may begin while this one is under way to another
// group: when they go the same way, in which they stay in order.
func (c *command) goesWith(other *command) bool { return other.flags&isPut != 0 && other.to == c.to }

// put carries out a put. It reports false if it has to wait, or somebody else has to go on
// with it, who has been asked to.
func (x *runner) put(n queueName, q *queueState, c *command) (complete bool, failed wire.Report) {
	target := queueName{int(c.to), int(c.taker)}
	var taker *queueState
	if target.number > 0 {
		if !x.rank.job.isOpen(target) {
			return x.refuse(n, target.rank, wire.Report{Code: wire.NotOpen, Hint: uint64(target.number)})
		}
		taker = x.rank.job.queueOf(target)
	}
	if taker != nil && c.flags&withNotice != 0 && !q.step.admitted {
		if q.step.admitted = taker.admit(); !q.step.admitted {
			return false, failed
		}
	}
	if c.bytes > 0 {
		if complete, failed = x.move(n, q, c); !complete || failed.Code != 0 {
			if complete && q.step.admitted && taker.forgo() {
				x.markWaiting()
				x.rank.commands.deputy.makeRoom()
			}
			return complete, failed
		}
	}
	storeFence()
	if taker != nil {
		x.arrive(n.rank, target, taker, c)
	}
	x.rank.job.tell(target.rank)
	return true, failed
}

// refuse fails a put for the lack of something that the target may be about to make: only
// that knows for sure, and so is asked.
func (x *runner) refuse(n queueName, target int, why wire.Report) (complete bool, failed wire.Report) {
	if target != x.rank.number {
		x.ask(n, target)
		return false, wire.Report{}
	}
	return true, why
}

// arrive does what a put says to the queue that takes it.
func (x *runner) arrive(from int, target queueName, taker *queueState, c *command) {
	if c.flags&withNotice != 0 {
		taker.notify(from, c.word)
	}
	if p := taker.pointers(); c.advance > 0 && p.Session() {
		taker.scheduled.Add(uint64(c.advance))
		x.mark(target)
	}
}

// ask lets another process go on with the commands of a queue.
func (x *runner) ask(n queueName, process int) {
	desk := &x.rank.job.desks[process]
	desk.asked[n.rank].Or(n.bit())
	x.rank.job.tell(process)
	desk.wakeDeputy()
}
