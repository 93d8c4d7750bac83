package device

import (
	"musubi/sim/engine"
	"musubi/units"
)

// wordUnit is the part of a node's network interface that changes words of memory, for
// all of its engines one after the other. So no two changes meet in a word.
type wordUnit struct {
	free units.Time // when it has made all changes so far
}

// wordTurn gives a change of a word its turn at the target.
func (c *dma) wordTurn(id uint32) {
	u := &c.units[c.nodeOf[c.transfers[id].target]]
	u.free = max(u.free, c.q.Now()) + c.m.Atomic.Time
	c.q.Push(engine.Event{At: u.free, Kind: evChanged, A: id})
}

// changed changes a word, and sends what was there before to the initiator.
func (c *dma) changed(id uint32) {
	t := &c.transfers[id]
	old, err := c.ranks[t.target].change(t.address, &t.word)
	if err != nil {
		c.failOp(id, err)
	}
	t.old = old
	if t.target == t.initiator {
		c.q.Push(engine.Event{At: c.q.Now() + c.m.NIC.Complete, Kind: evDone, A: id})
		return
	}
	c.q.Push(engine.Event{At: c.q.Now() + c.m.NIC.Reply, Kind: evReply, A: id, B: roleWord})
}

// answered writes what a word was to the memory of the initiator.
func (c *dma) answered(id uint32) {
	t := &c.transfers[id]
	_, end := c.ports[t.home].bus.write(c.q.Now()+c.m.NIC.Receive, 8, 1)
	c.q.Push(engine.Event{At: end + c.m.NIC.Complete, Kind: evDone, A: id})
}

// tellWord gives the program what the word was.
func (c *dma) tellWord(t *transfer, id uint32) {
	if t.word.was != nil && c.ops[id].err == nil {
		*t.word.was = t.old
	}
}
