package host

import (
	"slices"

	"musubi/rma"
	"musubi/sim/domain"
	"musubi/sim/engine"
)

// Local carries what ranks ask of each other without the interface: ranks of a host by shared memory
// (host.shared), where the processor that asks moves the data itself, and ranks of a scale-up domain by
// its network (domain.size). An IPUSH that
// finds no room in its ring, or packets there that the interface has not written yet, goes on later,
// and so does what the same rank pushes behind it.
// Changes of words are not for it: processors and interfaces would not be atomic with respect to
// each other.
type Local struct {
	on       *Env
	domain   *domain.Network    // nil: there is none
	messages Slab[localMessage] // by number of the operation
	waiting  [][]*localQueue    // at each rank, in the order in which they began to wait
	queues   int                // of all ranks: mostly there are none
}

// localMessage is a push that has been copied, as far as there was room.
type localMessage struct {
	Request
	from   int32
	placed int // bytes of an IPUSH that are in the ring
}

// localQueue is the pushes of a rank to another one that wait.
type localQueue struct {
	from   int32
	pushes FIFO[uint32]
}

// NewLocal returns what carries operations within the hosts and domains of a cluster; nil if their ranks
// share neither memory nor a scale-up network.
func NewLocal(c *Env) *Local {
	d := newDomain(c)
	if s := c.Traits.Sharing; d == nil && (s == nil || s.Shared == 0) {
		return nil
	}
	c.local = &Local{on: c, domain: d, waiting: make([][]*localQueue, len(c.Ranks))}
	return c.local
}

// Carries reports whether an operation of a rank goes by shared memory, or by the scale-up network.
func (l *Local) Carries(r *Process, q *Request) bool {
	if l == nil || q.Action != Push && q.Action != Pull && q.Action != IPush {
		return false
	}
	if l.domain != nil {
		return l.on.inDomain(int32(r.number), q.Target)
	}
	return int(q.Target) != r.number && l.on.NodeOf[q.Target] == l.on.NodeOf[r.number]
}

// Start carries out an operation, for which it occupies the processor.
func (l *Local) Start(r *Process, q *Request) rma.Op {
	if l.domain != nil {
		return l.startInDomain(r, q)
	}
	l.on.copies(r, q.Bytes())
	r.Sleep(l.on.Traits.Sharing.Shared)
	id, op := l.on.NewOp(r)
	if q.Action == Pull {
		l.move(id, q)
		l.on.Arrived(int32(r.number), q)
		l.on.CompleteOp(id)
		return op
	}
	*l.messages.New(id) = localMessage{Request: *q, from: int32(r.number)}
	l.deliver(id)
	return op
}

// startInDomain hands an operation to the scale-up network.
func (l *Local) startInDomain(r *Process, q *Request) rma.Op {
	r.Sleep(l.on.Traits.Node.Post)
	id, op := l.on.NewOp(r)
	*l.messages.New(id) = localMessage{Request: *q, from: int32(r.number)}
	if q.Action == Pull {
		l.on.Clock.Push(engine.Event{At: l.on.Clock.Now() + l.on.Traits.Node.Latency, Kind: evDomainAsk, A: id})
		return op
	}
	l.domain.Send(int32(r.number), q.Target, q.Bytes(), id)
	return op
}

// handle handles an event of the scale-up network.
func (l *Local) handle(ev engine.Event) {
	switch {
	case ev.Kind == evDomainAsk:
		m := l.messages.At(ev.A)
		l.domain.Send(m.Target, m.from, m.Bytes(), ev.A)
	case ev.Kind != evDomainArrived:
		l.domain.Handle(ev)
	case ev.A >= combinationTag:
		l.on.combined(ev.A - combinationTag)
	default:
		l.arrived(ev.A)
	}
}

// arrived ends an operation whose data has come through the scale-up network.
func (l *Local) arrived(id uint32) {
	m := l.messages.At(id)
	if m.Action != Pull {
		l.deliver(id)
		return
	}
	l.move(id, &m.Request)
	l.on.Arrived(m.from, &m.Request)
	l.on.CompleteOp(id)
}

// deliver writes what is pushed to where it goes, behind what waits there of the same rank.
func (l *Local) deliver(id uint32) {
	m := l.messages.At(id)
	if queue := l.queue(m.Target, m.from); queue != nil {
		queue.pushes.Push(id)
	} else if !l.push(m.from, id) {
		queue = &localQueue{from: m.from}
		queue.pushes.Push(id)
		l.waiting[m.Target] = append(l.waiting[m.Target], queue)
		l.queues++
	}
}

// queue returns what waits at a rank of the pushes of another one; nil if nothing does.
func (l *Local) queue(at, from int32) *localQueue {
	for _, q := range l.waiting[at] {
		if q.from == from {
			return q
		}
	}
	return nil
}

// Released lets pushes go on that have waited for the rings of a rank: for room, or for packets.
func (l *Local) Released(r *Process) {
	if l != nil && l.queues > 0 {
		l.goOn(r)
	}
}

// goOn lets pushes to a rank go on.
func (l *Local) goOn(r *Process) {
	before := len(l.waiting[r.number])
	l.waiting[r.number] = slices.DeleteFunc(l.waiting[r.number], func(q *localQueue) bool {
		for q.pushes.Len() > 0 && l.push(q.from, *q.pushes.Front()) {
			q.pushes.Pop()
		}
		return q.pushes.Len() == 0
	})
	l.queues -= before - len(l.waiting[r.number])
}

// push ends a push, unless part of it finds no room.
func (l *Local) push(from int32, id uint32) bool {
	m := l.messages.At(id)
	if m.Action == Push {
		l.move(id, &m.Request)
		l.on.Ranks[m.Target].Touched()
	} else if !l.append(from, id, m) {
		return false
	}
	l.on.Arrived(from, &m.Request)
	l.on.CompleteOp(id)
	return true
}

// move moves the data of a PUSH or PULL.
func (l *Local) move(id uint32, q *Request) {
	near, far := q.Near(), q.Far()
	memory, err := l.on.Locate(q, far)
	switch {
	case err != nil:
		l.on.FailOp(id, err)
	case q.Action == Push:
		l.on.Move(memory, far, q.Local, near, 0, q.Bytes())
	default:
		l.on.Move(q.Local, near, memory, far, 0, q.Bytes())
	}
}

// append appends an IPUSH to the ring of its target, as far as there is room, and reports whether
// that is all of it.
func (l *Local) append(from int32, id uint32, m *localMessage) bool {
	r, size := &l.on.Ranks[m.Target], len(m.Local)
	if err := r.Admits(from, size); err != nil {
		l.on.FailOp(id, err)
		return true
	}
	for r.inbox.rx.Settled(r.inbox.layout.ringOf[from]) {
		n := min(size-m.placed, l.on.RingPacket())
		p := r.RingPacket(from, n, m.placed+n == size)
		place, ok := r.Place(&p)
		if !ok {
			return false
		}
		r.Store(&p, place, m.Local[m.placed:][:n])
		if m.placed += n; m.placed == size {
			return true
		}
	}
	return false
}
