package device

import (
	"musubi/sim/engine"
	"musubi/units"
)

// In LogGP (Alexandrov et al. 1995) a message of n bytes costs its sender the
// overhead o, occupies the sender's interface for g + (n-1)G, arrives L +
// (n-1)G after it began to leave, occupies the receiver's interface likewise and
// costs the receiver o. The answer to a PULL is such a message, its question one
// of a single byte; neither costs the target's processor anything. Knowledge of
// completion travels back in L.

// sendLogGP sends a PUSH, or the question of a PULL.
func (c *Cluster) sendLogGP(id uint32) {
	t := &c.transfers[id]
	if t.pull {
		c.messageLogGP(id, &c.ranks[t.initiator], 1, 0)
		return
	}
	c.messageLogGP(id, &c.ranks[t.initiator], len(t.local), len(t.local))
}

// messageLogGP sends n bytes, which carry data bytes of the transfer.
func (c *Cluster) messageLogGP(id uint32, from *rank, n, data int) {
	start := max(c.q.Now(), from.sendAt)
	bytes := c.perByte(n)
	from.sendAt = start + c.m.LogGP.G + bytes
	c.q.Push(engine.Event{At: start + c.m.LogGP.L + bytes, Kind: evArrive, A: id, B: uint32(data)})
}

// perByte returns (n-1)G.
func (c *Cluster) perByte(n int) units.Time {
	if n < 2 || c.m.LogGP.B == 0 {
		return 0
	}
	return c.m.LogGP.B.Transfer(units.Bytes(n - 1))
}

// arrive gives a message its turn at its receiver's interface, behind those that
// have arrived before it.
func (c *Cluster) arrive(id uint32, data int) {
	now := c.q.Now()
	to := &c.ranks[c.receiverLogGP(id, data)]
	idle := to.recvAt < now
	turn := max(now, to.recvAt)
	to.recvAt = turn + c.m.LogGP.G + c.perByte(data)
	if idle {
		c.take(id, data)
		return
	}
	c.q.Push(engine.Event{At: turn, Kind: evTake, A: id, B: uint32(data)})
}

// isQuestion tells whether a message asks for the data of a PULL.
func (t *transfer) isQuestion(data int) bool { return t.pull && t.fetched == 0 && data == 0 }

// receiverLogGP returns the rank that a message of a transfer goes to.
func (c *Cluster) receiverLogGP(id uint32, data int) int32 {
	t := &c.transfers[id]
	if t.pull && !t.isQuestion(data) {
		return t.initiator
	}
	return t.target
}

// take handles a message whose turn has come.
func (c *Cluster) take(id uint32, data int) {
	t := &c.transfers[id]
	to := &c.ranks[c.receiverLogGP(id, data)]
	now := c.q.Now()
	switch {
	case t.isQuestion(data):
		t.err = c.read(t, len(t.local))
		t.fetched = len(t.local)
		c.messageLogGP(id, to, len(t.local), max(1, len(t.local)))
	case t.pull:
		c.q.Push(engine.Event{At: now + c.m.LogGP.O, Kind: evDone, A: id})
	default:
		t.err = c.write(t, len(t.local))
		to.touched()
		c.q.Push(engine.Event{At: now + c.m.LogGP.L, Kind: evDone, A: id})
	}
}
