package device

import (
	"fmt"

	"musubi/nic"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

// In LogGP (Alexandrov et al. 1995) a message of n bytes costs its sender the
// overhead o, occupies the sender's interface for g + (n-1)G, arrives L +
// (n-1)G after it began to leave, occupies the receiver's interface likewise and
// costs the receiver o. The answer to a PULL is such a message, its question one
// of a single byte; neither costs the target's processor anything. Knowledge of
// completion travels back in L.

// logGP is the model of machines without a fabric.
type logGP struct {
	*Cluster
	ports    []logGPPort
	messages []message // by number of the operation
}

// logGPPort is the network interface of a rank.
type logGPPort struct {
	sendAt, recvAt units.Time // when it can send, or take, the next message
}

// message is a PUSH, PULL or IPUSH.
type message struct {
	request
	initiator int32
	answered  bool // the data of a PULL has been read
}

func newLogGP(c *Cluster) *logGP { return &logGP{Cluster: c, ports: make([]logGPPort, len(c.ranks))} }

// window implements model: there is no network interface to have memory.
func (c *logGP) window(_ *rank, bytes int) ([]byte, error) { return make([]byte, bytes), nil }

// completion implements model. LogGP knows no such cost.
func (c *logGP) completion() look { return look{} }

// arrival implements model.
func (c *logGP) arrival() look { return look{delay: c.m.LogGP.O} }

// useWindows implements model.
func (c *logGP) useWindows(*rank, int) error {
	return fmt.Errorf("rma: machine %s has no windows to choose from", c.m.Name)
}

// finish implements model: nothing is left.
func (c *logGP) finish(*rank, uint32) {}

// readRecord implements model.
func (c *logGP) readRecord() units.Time { return 0 }

// take implements model. Copies take no time in LogGP.
func (c *logGP) take(r *rank, rec *nic.Record, into []byte, _ rma.Caching) {
	if into != nil {
		r.inbox.fetch(rec, into)
	}
}

// load implements model.
func (c *logGP) load(*rank, rma.Address, *nic.Access, []byte, rma.Caching) {}

// released implements model.
func (c *logGP) released(*rank) {}

// start implements model.
func (c *logGP) start(r *rank, q *request) (rma.Op, error) {
	r.sleep(c.m.LogGP.O)
	id, op := c.newOp(r)
	c.messages = grown(c.messages, id)
	c.messages[id] = message{request: *q, initiator: int32(r.number)}
	c.send(id)
	return op, nil
}

// handle implements model.
func (c *logGP) handle(ev engine.Event) {
	switch ev.Kind {
	case evArrive:
		c.arrive(ev.A, int(ev.B))
	case evTake:
		c.serve(ev.A, int(ev.B))
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
	c.transmit(id, &c.ports[m.initiator], len(m.local), len(m.local))
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
	now := c.q.Now()
	to := &c.ports[c.receiver(id, data)]
	idle := to.recvAt < now
	turn := max(now, to.recvAt)
	to.recvAt = turn + c.m.LogGP.G + c.perByte(data)
	if idle {
		c.serve(id, data)
		return
	}
	c.q.Push(engine.Event{At: turn, Kind: evTake, A: id, B: uint32(data)})
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

// serve handles a message whose turn has come.
func (c *logGP) serve(id uint32, data int) {
	m := &c.messages[id]
	now := c.q.Now()
	switch {
	case m.isQuestion(data):
		c.read(id)
		m.answered = true
		c.transmit(id, &c.ports[m.target], len(m.local), max(1, len(m.local)))
	case m.kind == pull:
		c.q.Push(engine.Event{At: now + c.m.LogGP.O, Kind: evDone, A: id})
	default:
		c.write(id)
		c.ranks[m.target].touched()
		c.q.Push(engine.Event{At: now + c.m.LogGP.L, Kind: evDone, A: id})
	}
}

// write copies the data of a PUSH into its target's memory.
func (c *logGP) write(id uint32) {
	m := &c.messages[id]
	memory, err := c.ranks[m.target].segment(m.address, len(m.local))
	if err != nil {
		c.failOp(id, err)
		return
	}
	copy(memory, m.local)
}

// read copies the data of a PULL out of its target's memory.
func (c *logGP) read(id uint32) {
	m := &c.messages[id]
	memory, err := c.ranks[m.target].segment(m.address, len(m.local))
	if err != nil {
		c.failOp(id, err)
		return
	}
	copy(m.local, memory)
}
