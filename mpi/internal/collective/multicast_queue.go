package collective

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/multicast"
	"musubi/mpi/internal/schedule"
)

// Each rank of a communicator has a multicast buffer. Its slots may be overwritten when all ranks
// have taken what is there; so there is a barrier by messages before each round of the slots.
// Persistent operations have a buffer each, as ranks may start them in different orders.

// multicastQueue is a multicast buffer and the operations that use it. The first operation
// exchanges the places of the buffers of all ranks.
type multicastQueue struct {
	multicast.Buffer
	turns
}

// open gives the buffer its memory.
func (l *multicastQueue) open(j *job) {
	l.Open(&j.buffers, j.Process)
	l.hasResult = l.HasArrived
}

// close frees the memory. Nothing is under way there, as a communicator, or a persistent operation,
// is freed when all that it has started is complete.
func (l *multicastQueue) close(j *job) { l.Close(&j.buffers, j.Process) }

// The steps of an operation by multicast.
const (
	multicastEnqueue = iota // puts the operation in the queue
	multicastBegin          // adds the steps of the operation, when it is the first of the queue
	multicastSend           // sends From to all others
	multicastTake           // takes what another rank has sent to Into
	multicastDequeue        // removes the operation from the queue
)

// multicastStep takes a step of an operation by multicast.
func (r *Operation) multicastStep(s *schedule.Step) outcome {
	switch s.Do {
	case multicastEnqueue:
		r.enqueue(&r.multicasts.turns, r.exchangePlaces, multicastBegin)
	case multicastBegin:
		if !r.beginMulticast() {
			return stepWaits
		}
	case multicastSend:
		if !r.sendSlot(s.From) {
			return stepBlocked
		}
	case multicastTake:
		if !r.takeSlot(s.Into) {
			return stepWaits
		}
	default:
		r.multicasts.next()
	}
	return stepDone
}

// exchangePlaces adds the steps by which ranks exchange the places of their buffers.
func (r *Operation) exchangePlaces() {
	l := r.multicasts
	if !l.IsOpen() {
		l.open(r.C.job)
	}
	l.Places = make([]multicast.Place, r.C.Size())
	algorithm.BruckAllGather.Build(&r.Schedule, algorithm.Arguments{In: elements.Memory(l.Own[:]), Out: elements.Memory(l.Places), Element: elements.Size[multicast.Place]()})
}

// beginMulticast adds the steps of the operation if it is the first of the queue, and reports
// whether it is.
func (r *Operation) beginMulticast() bool {
	l := r.multicasts
	if !l.isFirst(r) {
		return false
	}
	if l.state == exchanging {
		l.state = exchanged
		l.Agree()
	}
	if r.kind == algorithm.Barrier {
		barrierByMulticast(r)
	} else {
		broadcastByMulticast(r)
	}
	return true
}

// sendNext adds a step that sends to the next slot of all other ranks.
func (r *Operation) sendNext(from []byte) {
	r.Schedule.Call(multicastSend, from, nil)
}

// takeNext adds a step that takes the next slot.
func (r *Operation) takeNext(into []byte) {
	r.Schedule.Call(multicastTake, nil, into)
}

// dequeueLast adds the last step of an operation by multicast.
func (r *Operation) dequeueLast() { r.Schedule.Call(multicastDequeue, nil, nil) }

// awaitRound adds a barrier if the slot that is ahead slots after the next one begins a round.
func (r *Operation) awaitRound(ahead int) {
	if r.multicasts.BeginsRound(ahead) {
		algorithm.BarrierDissemination(&r.Schedule, r.Arguments)
	}
}

// sendSlot sends as much data as a slot can hold to the next slot of all other ranks. It returns
// false if too many messages are in flight.
func (r *Operation) sendSlot(data []byte) bool {
	c, l := r.C, r.multicasts
	room, err := c.Engine.HasRoom()
	if err == nil && !room {
		return false
	}
	if err == nil {
		err = l.Send(&c.Comm, c.job.multicaster, r.Algorithm.Method, data)
	} else {
		l.Skip()
	}
	if err != nil {
		r.noteError(c.Fail(fault.Other, r.Call, err))
	}
	return true
}

// takeSlot takes data from the next slot, and returns false if it is not there yet. It adds the
// steps that take the rest of what the root sends, also if that is not as long as expected, so that
// this rank finds the slots of the next operation.
func (r *Operation) takeSlot(into []byte) bool {
	c, l := r.C, r.multicasts
	if l.Await() {
		c.job.multicasts.await(&l.turns)
	}
	if !l.HasArrived() {
		return false
	}
	arrived := l.Take()
	c.job.multicasts.forget(&l.turns)
	n := arrived.Bytes
	piece, rest := into[:min(n, len(into))], into[min(n, len(into)):]
	if arrived.Left != multicast.Length(into) {
		r.noteError(c.otherLength(fault.Count, r.Call, int(arrived.Left), r.Root, len(into)))
	} else if n > 0 {
		if err := l.Load(c.Engine.Process, arrived, piece); err != nil {
			r.noteError(c.Fail(fault.Other, r.Call, err))
		}
	}
	if int(arrived.Left) == n {
		r.dequeueLast()
		return true
	}
	r.awaitRound(0)
	r.takeNext(rest)
	return true
}
