package queue

import (
	"musubi/live/shm"
	"musubi/live/wire"
	"runtime"
	"unsafe"
)

// OutsideArenas is where a segment begins in all arenas that lies in none.
const OutsideArenas = -1

// Publish lets commands reach a segment of this rank, which begins somewhere in all arenas.
func (c *Queues) Publish(number int, memory []byte, begin int) {
	if number >= shm.MaxSegments {
		return
	}
	place := &c.state.Segments[number]
	place.Bytes = uint64(len(memory))
	if begin != OutsideArenas {
		place.Where.Store(uint64(begin)<<1 | 1)
		return
	}
	place.Where.Store(max(1, shm.AddressOf(memory)) << 1)
}

// Unpublish ends that.
func (c *Queues) Unpublish(number int) {
	if number < shm.MaxSegments {
		c.state.Segments[number].Where.Store(0)
	}
}

// side is memory that a command reads or writes.
type side struct {
	memory  []byte // if this process reaches it
	rank    int
	address uint64 // in the memory of that rank
}

// move moves the data of a command. It reports false if another process has to go on with
// that, which has been asked to.
func (x *runner) move(n shm.QueueName, q *shm.Queue, c *shm.Command) (complete bool, failed wire.Report) {
	to := int(c.To)
	target, failed := x.enter(to, int(c.Segment), c.Offset, c.Bytes)
	defer x.leave(to, int(c.Segment))
	switch failed.Code {
	case 0:
	case wire.NotExposed:
		return x.refuse(n, to, failed)
	default:
		return true, failed
	}
	source := x.source(n, q, c)
	if x.c.direct || source.memory != nil && target.memory != nil {
		complete = true
		if !x.copy(target, source, int(c.Bytes)) {
			failed.Code = wire.NotCopied
		}
	} else {
		complete = x.pass(n, q, target, source, c.Bytes)
	}
	if n.Rank == x.c.number {
		x.c.wasRead(n)
	}
	return complete, failed
}

// source returns the data of a command.
func (x *runner) source(n shm.QueueName, q *shm.Queue, c *shm.Command) side {
	s := side{rank: n.Rank, address: c.Address}
	switch {
	case c.Flags&shm.InArena != 0:
		s.memory = x.c.job.Arenas[c.Address:][:c.Bytes:c.Bytes]
	case n.Rank == x.c.number:
		s.memory = x.c.dataOf(n, q.Read.Load())
	}
	return s
}

// enter returns where n bytes at an offset of a segment are. leave must follow. As for
// windows (direct.go), it says which segment it copies to before it looks where that is.
func (x *runner) enter(target, number int, offset, n uint64) (side, wire.Report) {
	s := side{rank: target}
	if uint(number) >= shm.MaxSegments {
		return s, wire.Report{Code: wire.NotExposed}
	}
	x.reaching.Store(shm.ReachOf(target, number))
	place := &x.c.job.Progress[target].Segments[number]
	where := place.Where.Load()
	switch {
	case where == 0:
		return s, wire.Report{Code: wire.NotExposed}
	case offset > place.Bytes || n > place.Bytes-offset:
		return s, wire.Report{Code: wire.Outside, Hint: place.Bytes}
	case where&1 == 1:
		s.memory = x.c.job.Arenas[where>>1+offset:][:n:n]
	case target == x.c.number:
		address := where >> 1
		s.memory = unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), place.Bytes)[offset:][:n:n] // it is exposed, and so held
	default:
		s.address = where>>1 + offset
	}
	return s, wire.Report{}
}

// leave ends what enter has begun, and lets the owner of a segment look that withdraws it.
func (x *runner) leave(target, number int) {
	x.reaching.Store(0)
	if uint(number) < shm.MaxSegments && x.c.job.Progress[target].Segments[number].Where.Load() == 0 {
		x.c.job.Wake(target)
	}
}

// Reach lets something use n bytes of a segment of this rank, beside the rank, which learns that its
// memory may have changed. It reports false if they are not exposed.
func (c *Queues) Reach(segment int, offset, n uint64, use func(memory []byte) bool) (used bool) {
	c.progress.do(func(x *runner) {
		s, refused := x.enter(c.number, segment, offset, n)
		used = refused.Code == 0 && use(s.memory)
		x.leave(c.number, segment)
	})
	if used {
		c.job.Tell(c.number)
	}
	return used
}

// copy copies n bytes from process to process, and reports whether the system has let it.
func (x *runner) copy(to, from side, n int) bool {
	job := x.c.job
	switch {
	case to.memory != nil && from.memory != nil:
		shm.CopyInOrder(to.memory, from.memory, &x.copier)
		return true
	case to.memory != nil:
		return shm.ReadFar(x.c.job.Pid(from.rank), to.memory, from.address) == nil
	case from.memory != nil:
		return writeFarInOrder(x.c.job.Pid(to.rank), from.memory, to.address) == nil
	}
	if x.bounce == nil {
		x.bounce = make([]byte, bounceBytes)
	}
	for at := 0; at < n && job.Header.Failure.Load() == 0; {
		piece := x.bounce[:min(len(x.bounce), n-at)]
		if shm.ReadFar(x.c.job.Pid(from.rank), piece, from.address+uint64(at)) != nil ||
			writeFarInOrder(x.c.job.Pid(to.rank), piece, to.address+uint64(at)) != nil {
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
func (x *runner) pass(n shm.QueueName, q *shm.Queue, to, from side, bytes uint64) (complete bool) {
	for at := &q.Step; at.Placed < bytes; {
		if at.Staged == at.Placed {
			if from.memory == nil {
				x.ask(n, from.rank)
				return false
			}
			at.Staged += uint64(copy(q.Stage[:], from.memory[at.Placed:]))
		}
		if to.memory == nil {
			x.ask(n, to.rank)
			return false
		}
		shm.CopyQuietly(to.memory[at.Placed:], q.Stage[:at.Staged-at.Placed])
		at.Placed = at.Staged
	}
	return true
}

// endBytes is how much of the end of the data is written last, and at once.
const endBytes = 8

// writeFarInOrder is writeFar that writes the end of the data last.
func writeFarInOrder(pid int, from []byte, address uint64) error {
	rest := max(0, len(from)-endBytes)
	if runtime.GOARCH == "amd64" {
		return shm.WriteFarParts(pid, from[:rest], from[rest:], address) // one part after the other, which others see in that order
	}
	if rest > 0 {
		if err := shm.WriteFar(pid, from[:rest], address); err != nil {
			return err
		}
		shm.StoreFence()
	}
	return shm.WriteFar(pid, from[rest:], address+uint64(rest))
}
