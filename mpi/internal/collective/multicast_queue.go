package collective

import (
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/multicast"
	"musubi/mpi/internal/schedule"
)

// Each rank of a communicator has a multicast buffer. Its slots may be overwritten when all ranks
// have taken what is there; so there is a barrier by messages before each round of the slots.
// Persistent operations have a buffer each, as ranks may start them in different orders.

// multicastQueue is a multicast buffer and the operations that use it, one after the other. The
// first operation exchanges the places of the buffers of all ranks.
type multicastQueue struct {
	multicast.Buffer
	state   exchangeState
	waiting []*Operation
}

// open gives the buffer its memory.
func (l *multicastQueue) open(j *job) { l.Open(&j.multicasts.pool, j.Process) }

// close frees the memory. Nothing is under way there, as a communicator, or a persistent operation,
// is freed when all that it has started is complete.
func (l *multicastQueue) close(j *job) { l.Close(&j.multicasts.pool, j.Process) }

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
		r.enqueueMulticast()
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
		r.dequeueMulticast()
	}
	return stepDone
}

// enqueueMulticast puts the operation in the queue, and adds the steps that follow.
func (r *Operation) enqueueMulticast() {
	l := r.multicasts
	if r.C.Size() == 1 {
		r.byMessages()
		r.Algorithm.Build(&r.Schedule, r.Arguments)
		return
	}
	l.waiting = append(l.waiting, r)
	if l.state == notExchanged {
		l.state = exchanging
		if !l.IsOpen() {
			l.open(r.C.job)
		}
		l.Places = make([]multicast.Place, r.C.Size())
		algorithm.BruckAllGather.Build(&r.Schedule, algorithm.Arguments{In: elements.Memory(l.Own[:]), Out: elements.Memory(l.Places), Element: elements.Size[multicast.Place]()})
	}
	r.Schedule.Call(multicastBegin, nil, nil)
}

// beginMulticast adds the steps of the operation if it is the first of the queue, and reports
// whether it is.
func (r *Operation) beginMulticast() bool {
	l := r.multicasts
	if l.waiting[0] != r {
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

// dequeueMulticast removes the operation from the queue, and lets the next one advance.
func (r *Operation) dequeueMulticast() {
	l := r.multicasts
	l.waiting = slices.Delete(l.waiting, 0, 1)
	if len(l.waiting) > 0 {
		r.C.Engine.Advance(l.waiting[0])
	}
}

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
		c.job.multicasts.await(c.job, l)
	}
	if !l.HasArrived() {
		return false
	}
	arrived := l.Take()
	c.job.multicasts.forget(c.job, l)
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

func (l *multicastQueue) hasArrived() bool { return l.HasArrived() }

// multicasts is the source of progress of operations that wait for a multicast.
type multicasts struct {
	pool    multicast.Pool // of the buffers of the process
	number  int            // of the source
	awaited []*multicastQueue
}

// await adds a queue whose first operation waits for a slot.
func (m *multicasts) await(j *job, l *multicastQueue) {
	m.awaited = append(m.awaited, l)
	j.Sources.Set(m.number, true)
}

// forget removes a queue whose slot has been taken.
func (m *multicasts) forget(j *job, l *multicastQueue) {
	m.awaited = slices.DeleteFunc(m.awaited, func(other *multicastQueue) bool { return other == l })
	j.Sources.Set(m.number, len(m.awaited) > 0)
}

// HasEvent reports whether a slot has arrived that an operation waits for.
func (m *multicasts) HasEvent() bool {
	return slices.ContainsFunc(m.awaited, (*multicastQueue).hasArrived)
}

// Advance lets operations advance whose slots have arrived.
func (m *multicasts) Advance() bool {
	i := slices.IndexFunc(m.awaited, (*multicastQueue).hasArrived)
	if i < 0 {
		return false
	}
	first := m.awaited[i].waiting[0]
	first.C.Engine.Advance(first)
	m.Advance()
	return true
}

// Pending returns the operations in the queues that wait for a slot.
func (m *multicasts) Pending() (list []*core.Request) {
	for _, l := range m.awaited {
		for _, r := range l.waiting {
			list = append(list, r.messages.Whole)
		}
	}
	return list
}

// Free does nothing: communicators close their buffers themselves.
func (m *multicasts) Free(*core.Comm) error { return nil }
