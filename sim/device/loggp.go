package device

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/machine"
	"musubi/units"
)

// In LogGP (Alexandrov et al. 1995) a message of n bytes costs its sender the
// overhead o, occupies the sender's interface for g + (n-1)G, arrives L +
// (n-1)G after it began to leave, occupies the receiver's interface likewise and
// costs the receiver o. The answer to a PULL is such a message, its question one
// of a single byte; neither costs the target's processor anything. Knowledge of
// completion travels back in L.

// An IPUSH is appended to its ring in pieces when its turn at the receiver's
// interface has come. Each takes ring.manage more. If there is no room for one, the
// message keeps the interface until there is.

// logGP is the model of machines without a fabric.
type logGP struct {
	*Env
	sharedMemory
	ports    []logGPPort
	messages []message // by number of the operation
}

// logGPPort is the network interface of a rank.
type logGPPort struct {
	sendAt, recvAt units.Time     // when it can send, or take, the next message
	waiting        fifo[delivery] // messages that have arrived and not been taken
	stalled        bool           // the first of them finds no room in a ring
}

// delivery is a message that brings data bytes of an operation.
type delivery struct {
	id   uint32
	data int
}

// message is a PUSH, PULL or IPUSH.
type message struct {
	request
	initiator int32
	size      int  // in bytes
	answered  bool // the data of a PULL has been read
	placed    int  // bytes of an IPUSH that are in the ring
}

// piece is how much data goes into a ring at once, as there are no packets.
const piece = 4 << 10

var logGPKind = Kind{Traits: func(*machine.Machine) Traits { return Traits{RingPacket: piece} }, New: newLogGP}

func newLogGP(c *Env) (model, error) {
	return &logGP{Env: c, sharedMemory: sharedMemory{c}, ports: make([]logGPPort, len(c.ranks))}, nil
}

// completion implements model. LogGP knows no such cost.
func (c *logGP) completion() look { return look{} }

// arrival implements model.
func (c *logGP) arrival() look { return look{delay: c.m.LogGP.O} }

// released implements model.
func (c *logGP) released(r *rank) {
	if to := &c.ports[r.number]; to.stalled {
		to.stalled = false
		c.serve(uint32(r.number))
	}
}

// start implements model.
func (c *logGP) start(r *rank, q *request) (rma.Op, error) {
	r.sleep(c.m.LogGP.O)
	id, op := c.newOp(r)
	c.messages = grown(c.messages, id)
	c.messages[id] = message{request: *q, initiator: int32(r.number), size: q.bytes()}
	c.send(id)
	return op, nil
}

// handle implements model.
func (c *logGP) handle(ev engine.Event) {
	switch ev.Kind {
	case evArrive:
		c.arrive(ev.A, int(ev.B))
	case evTake:
		c.serve(ev.A)
	case evDone:
		c.completeOp(ev.A)
	default:
		panic(fmt.Sprintf("device: event of unknown kind %d", ev.Kind))
	}
}

// send sends a PUSH, or the question of a PULL.
func (c *logGP) send(id uint32) {
	m := &c.messages[id]
	if m.kind == pull {
		c.transmit(id, &c.ports[m.initiator], 1, 0)
		return
	}
	c.transmit(id, &c.ports[m.initiator], m.size, m.size)
}

// transmit sends n bytes, which carry data bytes of the transfer.
func (c *logGP) transmit(id uint32, from *logGPPort, n, data int) {
	start := max(c.q.Now(), from.sendAt)
	bytes := c.perByte(n)
	from.sendAt = start + c.m.LogGP.G + bytes
	c.q.Push(engine.Event{At: start + c.m.LogGP.L + bytes, Kind: evArrive, A: id, B: uint32(data)})
}

// perByte returns (n-1)G.
func (c *logGP) perByte(n int) units.Time {
	if n < 2 || c.m.LogGP.B == 0 {
		return 0
	}
	return c.m.LogGP.B.Transfer(units.Bytes(n - 1))
}

// arrive gives a message its turn at its receiver's interface, behind those that
// have arrived before it.
func (c *logGP) arrive(id uint32, data int) {
	at := uint32(c.receiver(id, data))
	to := &c.ports[at]
	to.waiting.push(delivery{id, data})
	if to.waiting.len() == 1 {
		c.giveTurn(at)
	}
}

// giveTurn lets an interface take its first message as soon as it is free.
func (c *logGP) giveTurn(at uint32) {
	now, to := c.q.Now(), &c.ports[at]
	manage := c.manage(to.waiting.front().id)
	if manage == 0 && to.recvAt < now {
		c.serve(at)
		return
	}
	c.q.Push(engine.Event{At: max(now, to.recvAt) + manage, Kind: evTake, A: at})
}

// manage returns what choosing the places of a message in a ring takes.
func (c *logGP) manage(id uint32) units.Time {
	m := &c.messages[id]
	if m.kind != ipush || c.m.Ring.Manage == 0 {
		return 0
	}
	pieces := max(1, (m.size+c.packetData()-1)/c.packetData())
	return units.Time(pieces) * c.m.Ring.Manage
}

// isQuestion tells whether a message asks for the data of a PULL.
func (m *message) isQuestion(data int) bool { return m.kind == pull && !m.answered && data == 0 }

// receiver returns the rank that a message of a transfer goes to.
func (c *logGP) receiver(id uint32, data int) int32 {
	m := &c.messages[id]
	if m.kind == pull && !m.isQuestion(data) {
		return m.initiator
	}
	return m.target
}

// serve takes the first message of an interface, whose turn has come.
func (c *logGP) serve(at uint32) {
	to := &c.ports[at]
	d := *to.waiting.front()
	if !c.receive(d) {
		to.stalled = true
		return
	}
	to.recvAt = c.q.Now() + c.m.LogGP.G + c.perByte(d.data)
	to.waiting.pop()
	if to.waiting.len() > 0 {
		c.giveTurn(at)
	}
}

// receive handles a message, or returns false if not all of it finds room.
func (c *logGP) receive(d delivery) bool {
	m := &c.messages[d.id]
	done := c.q.Now() + c.m.LogGP.L
	switch {
	case m.isQuestion(d.data):
		c.answer(d.id)
		return true
	case m.kind == pull:
		done = c.q.Now() + c.m.LogGP.O
	case m.kind == push:
		c.write(d.id)
	default:
		if !c.append(d.id) {
			return false
		}
	}
	c.q.Push(engine.Event{At: done, Kind: evDone, A: d.id})
	return true
}

// answer reads the data that a PULL asks for and sends it.
func (c *logGP) answer(id uint32) {
	m := &c.messages[id]
	near, far := m.near, m.far
	if memory, err := c.locate(&m.request, &far); err != nil {
		c.failOp(id, err)
	} else {
		c.move(m.local, &near, memory, &far, 0, m.size)
	}
	m.answered = true
	c.transmit(id, &c.ports[m.target], m.size, max(1, m.size))
}

// write copies the data of a PUSH into its target's memory.
func (c *logGP) write(id uint32) {
	m := &c.messages[id]
	near, far := m.near, m.far
	if memory, err := c.locate(&m.request, &far); err != nil {
		c.failOp(id, err)
	} else {
		c.move(memory, &far, m.local, &near, 0, m.size)
	}
	c.ranks[m.target].touched()
}

// append copies the data of an IPUSH into its target's ring, as far as there is
// room, and reports whether that is all of it.
func (c *logGP) append(id uint32) bool {
	m := &c.messages[id]
	r := &c.ranks[m.target]
	if err := r.admits(m.initiator, m.size); err != nil {
		c.failOp(id, err)
		return true
	}
	for {
		n := min(m.size-m.placed, c.packetData())
		h := r.ringHeader(m.initiator, m.placed, n, m.size)
		place, ok := r.place(&h)
		if !ok {
			return false
		}
		r.store(&h, place, m.local[m.placed:][:n])
		if m.placed += n; m.placed == m.size {
			return true
		}
	}
}
