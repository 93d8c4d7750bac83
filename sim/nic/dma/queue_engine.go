package dma

import (
	"fmt"

	"musubi/nic/cmdq"
	"musubi/sim/engine"
	"musubi/sim/host"
)

// commandEngine is the part of a port that carries out commands. It is at one command
// until the last packet of that has left, and then turns to the next queue.
type commandEngine struct {
	engine cmdq.Engine[queued]
	busy   bool
	at     *queued // the command that it is at, if that does not go on by itself
	where  uint64  // position of that command
}

// nextCommand begins the next command, if there is one and the engine is free.
func (c *dma) nextCommand(port uint32) {
	p := &c.ports[port]
	if p.busy {
		return
	}
	q, position, command := p.engine.Next()
	if q == nil {
		return
	}
	p.busy, p.at, p.where = true, command, position
	switch {
	case !command.Put:
		c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Queue.NOP, Kind: evStepped, A: port})
	case !c.mayOvertake(command):
		c.put(port)
	}
}

// mayOvertake reports whether a put has to wait until those before it are complete: one
// to the same rank may be among them that is taken by another engine there.
func (c *dma) mayOvertake(command *queued) bool {
	way, known := command.of.ways[int32(command.TargetQueue.Rank)]
	return known && way != c.taker(command) && command.of.state.Running() > 1
}

// taker returns the port that a put goes to: that of the queue that takes it, or, if it
// is for none, that which the queue's last put to the same rank went to, if there was
// one, or that of the same engine.
func (c *dma) taker(command *queued) int32 {
	to := command.TargetQueue
	if q := c.findQueue(to.Rank, to.Queue); q != nil {
		return q.port
	}
	if way, known := command.of.ways[int32(to.Rank)]; known {
		return way
	}
	return c.portOf(int32(to.Rank), command.of.engine)
}

// put begins the put that an engine is at. It needs no place among the transfers that
// programs ask for.
func (c *dma) put(port uint32) {
	p := &c.ports[port]
	command, q, target, away := p.at, p.at.of, int32(p.at.TargetQueue.Rank), c.taker(p.at)
	q.ways[target], p.at = away, nil
	id, _ := c.NumberOp(q.r)
	c.transfers.New(id, transfer{
		Request:   host.Request{Action: host.Push, Target: target, Address: command.To, Local: command.Data},
		initiator: int32(q.r.Rank()), home: int32(port), away: away, size: len(command.Data),
		fetching: true, command: command, position: p.where,
	})
	c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Machine.NIC.Start, Kind: evFetch, A: id})
}

// stepped ends a NOP.
func (c *dma) stepped(port uint32) {
	p := &c.ports[port]
	q := p.at.of
	p.at = nil
	q.state.Complete(p.where, nil)
	q.r.Touched()
	c.handedOver(port)
}

// handedOver lets an engine go on after a command.
func (c *dma) handedOver(port uint32) {
	c.ports[port].busy = false
	c.nextCommand(port)
}

// commandDone ends a put at its initiator.
func (c *dma) commandDone(id uint32) {
	t := c.transfers.At(id)
	q := t.command.of
	q.state.Complete(t.position, c.OpErr(id))
	t.command = nil
	c.FreeOp(id)
	q.r.Touched()
	if p := &c.ports[q.port]; p.at != nil && p.at.Put && p.at.of == q && q.state.Running() == 1 {
		c.put(uint32(q.port))
	}
}

// takerQueue returns the queue that takes the put of a transfer; nil if there is none.
func (c *dma) takerQueue(t *transfer) *queue {
	return c.findQueue(t.command.TargetQueue.Rank, t.command.TargetQueue.Queue)
}

// isTaken reports whether the queue is open that a put is for, if it is for any, and fails
// the put if not.
func (c *dma) isTaken(id uint32) bool {
	t := c.transfers.At(id)
	if t.command.TargetQueue.Queue == 0 || c.takerQueue(t) != nil {
		return true
	}
	c.FailOp(id, fmt.Errorf("rma: put to command queue %d of rank %d, which is not open", t.command.TargetQueue.Queue, t.Target))
	return false
}

// admits reports whether a packet of a push can be received: that which ends a put with
// a notice needs a place for that.
func (c *dma) admits(id uint32) bool {
	t := c.transfers.At(id)
	if t.command == nil || !t.command.Notice || t.arrived+c.packet(t, t.arrived) < t.size {
		return true
	}
	q := c.takerQueue(t)
	return q == nil || q.state.Admit()
}

// taken does what a put asks for at its taker, now that its data is written.
func (c *dma) taken(id uint32) {
	t := c.transfers.At(id)
	if c.isTaken(id) {
		q, notice := c.takerQueue(t), (*cmdq.Notice)(nil)
		if t.command.Notice {
			notice = &cmdq.Notice{From: int(t.initiator), Word: t.command.Word}
		}
		q.state.Arrive(t.command.Advance, notice)
		q.r.Touched()
		c.nextCommand(uint32(q.port))
	}
	c.answer(id)
}
