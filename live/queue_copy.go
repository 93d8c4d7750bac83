package live

import (
	"musubi/live/wire"
	"runtime"
	"unsafe"
)

// publish lets commands reach a segment of this rank.
func (r *rank) publish(number int, s *segment) {
	if number >= maxSegments {
		return
	}
	place := &r.commands.desk.segments[number]
	place.bytes = uint64(len(s.memory))
	if s.window {
		place.where.Store(uint64(r.arena.begin+s.begin)<<1 | 1)
		return
	}
	place.where.Store(max(1, addressOf(s.memory)) << 1)
}

func (r *rank) unpublish(number int) {
	if number < maxSegments {
		r.commands.desk.segments[number].where.Store(0)
	}
}

func addressOf(memory []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}

// side is memory that a command reads or writes.
type side struct {
	memory  []byte // if this process reaches it
	rank    int
	address uint64 // in the memory of that rank
}

// move moves the data of a command. It reports false if another process has to go on with
// that, which has been asked to.
func (x *runner) move(n queueName, q *queueState, c *command) (complete bool, failed wire.Report) {
	to := int(c.to)
	target, failed := x.enter(to, int(c.segment), c.offset, c.bytes)
	defer x.leave(to, int(c.segment))
	switch failed.Code {
	case 0:
	case wire.NotExposed:
		return x.refuse(n, to, failed)
	default:
		return true, failed
	}
	source := x.source(n, q, c)
	if x.rank.direct || source.memory != nil && target.memory != nil {
		complete = true
		if !x.copy(target, source, int(c.bytes)) {
			failed.Code = wire.NotCopied
		}
	} else {
		complete = x.pass(n, q, target, source, c.bytes)
	}
	if n.rank == x.rank.number {
		x.rank.commands.wasRead(n)
	}
	return complete, failed
}

// source returns the data of a command.
func (x *runner) source(n queueName, q *queueState, c *command) side {
	s := side{rank: n.rank, address: c.address}
	switch {
	case c.flags&inArena != 0:
		s.memory = x.rank.job.arenas[c.address:][:c.bytes:c.bytes]
	case n.rank == x.rank.number:
		s.memory = x.rank.commands.dataOf(n, q.read.Load())
	}
	return s
}

// enter returns where n bytes at an offset of a segment are. leave must follow. As for
// windows (direct.go), it says which segment it copies to before it looks where that is.
func (x *runner) enter(target, number int, offset, n uint64) (side, wire.Report) {
	s := side{rank: target}
	if uint(number) >= maxSegments {
		return s, wire.Report{Code: wire.NotExposed}
	}
	x.reaching.Store(reachOf(target, number))
	place := &x.rank.job.desks[target].segments[number]
	where := place.where.Load()
	switch {
	case where == 0:
		return s, wire.Report{Code: wire.NotExposed}
	case offset > place.bytes || n > place.bytes-offset:
		return s, wire.Report{Code: wire.Outside, Hint: place.bytes}
	case where&1 == 1:
		s.memory = x.rank.job.arenas[where>>1+offset:][:n:n]
	case target == x.rank.number:
		address := where >> 1
		s.memory = unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), place.bytes)[offset:][:n:n] // it is exposed, and so held
	default:
		s.address = where>>1 + offset
	}
	return s, wire.Report{}
}

// leave ends what enter has begun, and lets the owner of a segment look that withdraws it.
func (x *runner) leave(target, number int) {
	x.reaching.Store(0)
	if uint(number) < maxSegments && x.rank.job.desks[target].segments[number].where.Load() == 0 {
		x.rank.job.wake(target)
	}
}

// copy copies n bytes from process to process, and reports whether the system has let it.
func (x *runner) copy(to, from side, n int) bool {
	job := x.rank.job
	switch {
	case to.memory != nil && from.memory != nil:
		copyInOrder(to.memory, from.memory, &x.copier)
		return true
	case to.memory != nil:
		return readFar(x.rank.pidOf(from.rank), to.memory, from.address) == nil
	case from.memory != nil:
		return writeFarInOrder(x.rank.pidOf(to.rank), from.memory, to.address) == nil
	}
	if x.bounce == nil {
		x.bounce = make([]byte, bounceBytes)
	}
	for at := 0; at < n && job.header.failure.Load() == 0; {
		piece := x.bounce[:min(len(x.bounce), n-at)]
		if readFar(x.rank.pidOf(from.rank), piece, from.address+uint64(at)) != nil ||
			writeFarInOrder(x.rank.pidOf(to.rank), piece, to.address+uint64(at)) != nil {
			return false
		}
		at += len(piece)
	}
	return true
}

// bounceBytes is how much is copied at once between the memory of two other processes: it
// stays in the cache.
const bounceBytes = 32 << 10

// pass moves data by way of the stage of the queue, from the process that has it to the
// one that it is for. It reports false if the other one of them has to go on.
func (x *runner) pass(n queueName, q *queueState, to, from side, bytes uint64) (complete bool) {
	for at := &q.step; at.placed < bytes; {
		if at.staged == at.placed {
			if from.memory == nil {
				x.ask(n, from.rank)
				return false
			}
			at.staged += uint64(copy(q.stage[:], from.memory[at.placed:]))
		}
		if to.memory == nil {
			x.ask(n, to.rank)
			return false
		}
		copyQuietly(to.memory[at.placed:], q.stage[:at.staged-at.placed])
		at.placed = at.staged
	}
	return true
}

// endBytes is how much of the end of the data is written last, and at once.
const endBytes = 8

// writeFarInOrder is writeFar that writes the end of the data last.
func writeFarInOrder(pid int, from []byte, address uint64) error {
	rest := max(0, len(from)-endBytes)
	if runtime.GOARCH == "amd64" {
		return writeFarParts(pid, from[:rest], from[rest:], address) // one part after the other, which others see in that order
	}
	if rest > 0 {
		if err := writeFar(pid, from[:rest], address); err != nil {
			return err
		}
		storeFence()
	}
	return writeFar(pid, from[rest:], address+uint64(rest))
}
