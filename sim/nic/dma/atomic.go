package dma

import (
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// Ranks whose interfaces change words of memory.
type (
	atomicRank struct {
		*host.Process
		host.Atomics
	}
	atomicCommander struct {
		*commander
		host.Atomics
	}
	atomicCollector struct {
		*collector
		host.Atomics
	}
)

var (
	_ rma.Atomics   = atomicRank{}
	_ rma.Commander = atomicCommander{}
	_ rma.Collector = atomicCollector{}
)

// changer is the part of each node's network interface that changes words of memory, for
// all of its engines one after the other. So no two changes meet in a word.
type changer struct {
	*interfaces
	*Section
	transfers *transfers
	free      []units.Time // when each node has made all changes so far
}

// queue lets a change of a word wait for its turn at the target.
func (c *changer) queue(id uint32) {
	free := &c.free[c.NodeOf[c.transfers.At(id).Target]]
	*free = max(*free, c.Clock.Now()) + c.Atomic.Time
	c.Clock.Push(engine.Event{At: *free, Kind: evChanged, A: id})
}

// changed changes a word, and sends what was there before to the initiator.
func (c *changer) changed(id uint32) {
	t := c.transfers.At(id)
	old, err := c.Ranks[t.Target].Change(t.Address, t.Word())
	if err != nil {
		c.FailOp(t.op, err)
	}
	t.old = old
	if c.transfers.loops(t) {
		c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Machine.NIC.Complete, Kind: evDone, A: id})
		return
	}
	c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Machine.NIC.Reply, Kind: evReply, A: id, Args: engine.Args{B: roleWord}})
}

// answered writes what a word was to the memory of the initiator.
func (c *changer) answered(id uint32) {
	_, end := c.buses[c.transfers.At(id).home].Write(c.Clock.Now()+c.Machine.NIC.Receive, 8, 1)
	c.Clock.Push(engine.Event{At: end + c.Machine.NIC.Complete, Kind: evDone, A: id})
}

// tell gives the program what the word was.
func (c *changer) tell(t *transfer) {
	if t.Word().Was != nil && c.OpErr(t.op) == nil {
		*t.Word().Was = t.old
	}
}
