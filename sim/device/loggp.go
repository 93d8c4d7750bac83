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

// arrive handles a message at its receiver, when its interface gets to it.
func (c *Cluster) arrive(id uint32, data int) {
	t := &c.transfers[id]
	to := &c.ranks[t.target]
	question := t.pull && t.fetched == 0 && data == 0
	if t.pull && !question {
		to = &c.ranks[t.initiator]
	}
	now := c.q.Now()
	if to.recvAt > now {
		c.q.Push(engine.Event{At: to.recvAt, Kind: evArrive, A: id, B: uint32(data)})
		return
	}
	to.recvAt = now + c.m.LogGP.G + c.perByte(data)
	switch {
	case question:
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
