package dma

import (
	"musubi/nic/cmdq"
	"musubi/sim/engine"
	"musubi/sim/host"
)

// commands carries out the commands of queues, each engine one after the other.
type commands struct {
	*interfaces
	*Section
	queues    *queueTable
	transfers *transfers
	sender    *sender
	ports     []commandEngine
}

// commandEngine is the part of a port that carries out commands. It is at one command
// until the last packet of that has left, and then turns to the next queue.
type commandEngine struct {
	engine cmdq.Engine[queued]
	busy   bool
	at     *queued // the command that it is at, if that does not go on by itself
	where  uint64  // position of that command
}

// open opens a queue on an engine, or on any.
func (c *commands) open(q *queue, engine int) error {
	if err := c.queues.open(q, engine); err != nil {
		return err
	}
	c.ports[q.port].engine.Add(q.state)
	return nil
}

// close closes a queue.
func (c *commands) close(q *queue) {
	c.ports[q.port].engine.Remove(q.state)
	c.queues.close(q)
}

// next begins the next command of a port, if there is one and the engine is free.
func (c *commands) next(port uint32) {
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
func (c *commands) mayOvertake(command *queued) bool {
	way, known := command.of.ways[int32(command.TargetQueue.Rank)]
	return known && way != c.queues.taker(command) && command.of.state.Running() > 1
}

// put begins the put that an engine is at. It needs no place among the transfers that
// programs ask for.
func (c *commands) put(port uint32) {
	p := &c.ports[port]
	command, q, target, away := p.at, p.at.of, int32(p.at.TargetQueue.Rank), c.queues.taker(p.at)
	q.ways[target], p.at = away, nil
	number, _ := c.NumberOp(q.r)
	id, t := c.transfers.begin(number)
	*t = transfer{
		Request: host.Request{Action: host.Push, Target: target, Address: command.To, Local: command.Data},
		op:      number, initiator: int32(q.r.Rank()), home: int32(port), away: away, size: len(command.Data),
		fetching: true, command: command, position: p.where,
	}
	c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Machine.NIC.Start, Kind: evFetch, A: id})
}

// stepped ends a NOP.
func (c *commands) stepped(port uint32) {
	p := &c.ports[port]
	q := p.at.of
	p.at = nil
	q.state.Complete(p.where, nil)
	q.touched()
	c.handedOver(port)
}

// left notes that a packet has left its network interface, and that the command is handed
// over whose last one it was.
func (c *commands) left(id uint32) {
	c.sender.left(id)
	if t := c.transfers.At(id); t.isQueued() && t.fetched == t.size && t.staged == 0 && !t.fetching {
		c.handedOver(uint32(t.home))
	}
}

// handedOver lets an engine go on after a command.
func (c *commands) handedOver(port uint32) {
	c.ports[port].busy = false
	c.next(port)
}

// done ends a put at its initiator.
func (c *commands) done(id uint32) {
	t := c.transfers.At(id)
	q, op, position := t.command.of, t.op, t.position
	c.transfers.end(id)
	if q == nil {
		c.CompleteOp(op)
		return
	}
	q.state.Complete(position, c.OpErr(op))
	c.FreeOp(op)
	q.touched()
	if p := &c.ports[q.port]; p.at != nil && p.at.Put && p.at.of == q && q.state.Running() == 1 {
		c.put(uint32(q.port))
	}
}

// admits reports whether a packet of a push can be received: that which ends a put with
// a notice needs a place for that.
func (c *commands) admits(id uint32) bool {
	t := c.transfers.At(id)
	if t.command == nil || !t.command.Notice || t.arrived+c.transfers.packet(t, t.arrived) < t.size {
		return true
	}
	q := c.queues.takes(t.command)
	return q == nil || q.state.Admit()
}

// taken does what a put asks for at the queue that takes it, now that its data is written.
func (c *commands) taken(id uint32) {
	t := c.transfers.At(id)
	if c.transfers.isTaken(id) {
		q, notice := c.queues.takes(t.command), (*cmdq.Notice)(nil)
		if t.command.Notice {
			notice = &cmdq.Notice{From: int(t.initiator), Word: t.command.Word}
		}
		q.state.Arrive(t.command.Advance, notice)
		q.r.Touched()
		c.next(uint32(q.port))
	}
	c.sender.answer(id)
}
