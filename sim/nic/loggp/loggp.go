package loggp

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// logGP is the model of machines without a fabric.
type logGP struct {
	*host.Env
	*LogGP
	host.SharedMemory
	ports    []logGPPort
	stalled  int                // ports
	messages host.Slab[message] // by number of the operation
}

// logGPPort is the network interface of a rank.
type logGPPort struct {
	sendAt, recvAt units.Time          // when it can send, or take, the next message
	waiting        host.FIFO[delivery] // messages that have arrived and not been taken
	stalled        bool                // the first of them finds no room in a ring
	_              [8]byte             // so that it fills a cache line
}

// delivery is a message that brings data bytes of an operation.
type delivery struct {
	id   uint32
	data int
}

// message is a PUSH, PULL or IPUSH.
type message struct {
	host.Request
	initiator int32
	size      int  // in bytes
	answered  bool // the data of a PULL has been read
	placed    int  // bytes of an IPUSH that are in the ring
}

// piece is how much data goes into a ring at once, as there are no packets.
const piece = 4 << 10

// Entry registers the model.
var Entry = host.Entry{
	Model:  machine.Model{Name: "loggp", WithoutNetwork: true, Section: func() machine.Section { return &LogGP{} }},
	Traits: func(*machine.Machine) host.Traits { return host.Traits{RingPacket: piece, Phantom: true} },
	New:    newLogGP,
}

func newLogGP(c *host.Env) (host.Model, error) {
	return &logGP{Env: c, LogGP: c.Machine.Section().(*LogGP), SharedMemory: host.ShareMemory(c), ports: make([]logGPPort, len(c.Ranks))}, nil
}

// Completion implements host.Model. LogGP knows no such cost.
func (c *logGP) Completion() host.Look { return host.Look{} }

// Arrival implements host.Model.
func (c *logGP) Arrival() host.Look { return host.Look{Delay: c.LogGP.O} }

var _ host.Deferrer = (*logGP)(nil)

// Released implements host.Model.
func (c *logGP) Released(r *host.Process) {
	if c.stalled == 0 { // then the interface need not be looked at, which is not in the processor's cache
		return
	}
	if to := &c.ports[r.Rank()]; to.stalled {
		to.stalled = false
		c.stalled--
		c.serve(uint32(r.Rank()))
	}
}

// Start implements host.Model.
func (c *logGP) Start(r *host.Process, q *host.Request) (rma.Op, error) {
	return host.StartNow(c, r, q, c.LogGP.O), nil
}

// Occupies implements host.Deferrer.
func (c *logGP) Occupies(*host.Process, *host.Request) (units.Time, bool) { return c.LogGP.O, true }

// Launch implements host.Deferrer.
func (c *logGP) Launch(r *host.Process, q *host.Request, id uint32) {
	m := c.messages.New(id)
	m.Request, m.initiator, m.size = *q, int32(r.Rank()), q.Bytes()
	c.send(id)
}

// Handle implements host.Model.
func (c *logGP) Handle(ev engine.Event) {
	switch ev.Kind {
	case evArrive:
		c.arrive(ev.A, int(ev.B))
	case evTake:
		c.serve(ev.A)
	case evDone:
		c.CompleteOp(ev.A)
	default:
		panic(fmt.Sprintf("sim: event of unknown kind %d", ev.Kind))
	}
}

// send sends a PUSH, or the question of a PULL.
func (c *logGP) send(id uint32) {
	m := c.messages.At(id)
	if m.Action == host.Pull {
		c.transmit(id, &c.ports[m.initiator], 1, 0)
		return
	}
	c.transmit(id, &c.ports[m.initiator], m.size, m.size)
}

// transmit sends n bytes, which carry data bytes of the transfer.
func (c *logGP) transmit(id uint32, from *logGPPort, n, data int) {
	start := max(c.Clock.Now(), from.sendAt)
	bytes := c.perByte(n)
	from.sendAt = start + c.LogGP.G + bytes
	c.Clock.Push(engine.Event{At: start + c.LogGP.L + bytes, Kind: evArrive, A: id, Args: engine.Args{B: uint32(data)}})
}

// perByte returns (n-1)G.
func (c *logGP) perByte(n int) units.Time {
	if n < 2 || c.LogGP.B == 0 {
		return 0
	}
	return c.LogGP.B.Transfer(units.Bytes(n - 1))
}

// arrive gives a message its turn at its receiver's interface, behind those that
// have arrived before it.
func (c *logGP) arrive(id uint32, data int) {
	at := uint32(c.receiver(id, data))
	to := &c.ports[at]
	to.waiting.Push(delivery{id, data})
	if to.waiting.Len() == 1 {
		c.giveTurn(at)
	}
}

// giveTurn lets an interface take its first message as soon as it is free.
func (c *logGP) giveTurn(at uint32) {
	now, to := c.Clock.Now(), &c.ports[at]
	manage := c.manage(to.waiting.Front().id)
	if manage == 0 && to.recvAt < now {
		c.serve(at)
		return
	}
	c.Clock.Push(engine.Event{At: max(now, to.recvAt) + manage, Kind: evTake, A: at})
}

// manage returns what choosing the places of a message in a ring takes.
func (c *logGP) manage(id uint32) units.Time {
	m := c.messages.At(id)
	if m.Action != host.IPush || c.Machine.Ring.Manage == 0 {
		return 0
	}
	pieces := max(1, (m.size+c.RingPacket()-1)/c.RingPacket())
	return units.Time(pieces) * c.Machine.Ring.Manage
}

// isQuestion tells whether a message asks for the data of a PULL.
func (m *message) isQuestion(data int) bool { return m.Action == host.Pull && !m.answered && data == 0 }

// receiver returns the rank that a message of a transfer goes to.
func (c *logGP) receiver(id uint32, data int) int32 {
	m := c.messages.At(id)
	if m.Action == host.Pull && !m.isQuestion(data) {
		return m.initiator
	}
	return m.Target
}

// serve takes the first message of an interface, whose turn has come.
func (c *logGP) serve(at uint32) {
	to := &c.ports[at]
	d := *to.waiting.Front()
	if !c.receive(d) {
		to.stalled = true
		c.stalled++
		return
	}
	to.recvAt = c.Clock.Now() + c.LogGP.G + c.perByte(d.data)
	to.waiting.Pop()
	if to.waiting.Len() > 0 {
		c.giveTurn(at)
	}
}

// receive handles a message, or returns false if not all of it finds room.
func (c *logGP) receive(d delivery) bool {
	m := c.messages.At(d.id)
	done := c.Clock.Now() + c.LogGP.L
	switch {
	case m.isQuestion(d.data):
		c.answer(d.id)
		return true
	case m.Action == host.Pull:
		done = c.Clock.Now() + c.LogGP.O
	case m.Action == host.Push:
		c.write(d.id)
	default:
		if !c.append(d.id) {
			return false
		}
	}
	c.Arrived(m.initiator, &m.Request)
	c.Clock.Push(engine.Event{At: done, Kind: evDone, A: d.id})
	return true
}

// answer reads the data that a PULL asks for and sends it.
func (c *logGP) answer(id uint32) {
	m := c.messages.At(id)
	near, far := m.Near(), m.Far()
	if memory, err := c.Locate(&m.Request, far); err != nil {
		c.FailOp(id, err)
	} else {
		c.Move(m.Local, near, memory, far, 0, m.size)
	}
	m.answered = true
	c.transmit(id, &c.ports[m.Target], m.size, max(1, m.size))
}

// write copies the data of a PUSH into its target's memory.
func (c *logGP) write(id uint32) {
	m := c.messages.At(id)
	near, far := m.Near(), m.Far()
	if memory, err := c.Locate(&m.Request, far); err != nil {
		c.FailOp(id, err)
	} else {
		c.Move(memory, far, m.Local, near, 0, m.size)
	}
	c.Ranks[m.Target].Touched()
}

// append copies the data of an IPUSH into its target's ring, as far as there is
// room, and reports whether that is all of it.
func (c *logGP) append(id uint32) bool {
	m := c.messages.At(id)
	r := &c.Ranks[m.Target]
	if err := r.Admits(m.initiator, m.size); err != nil {
		c.FailOp(id, err)
		return true
	}
	for {
		n := min(m.size-m.placed, c.RingPacket())
		h := r.RingPacket(m.initiator, n, m.placed+n == m.size)
		place, ok := r.Place(&h)
		if !ok {
			return false
		}
		r.Store(&h, place, m.Local[m.placed:][:n])
		if m.placed += n; m.placed == m.size {
			return true
		}
	}
}
