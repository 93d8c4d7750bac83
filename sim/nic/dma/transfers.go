package dma

import (
	"fmt"

	"musubi/onesided"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// transfers are those under way, with the memory that they read and write. They have numbers of their own:
// a transfer is over long before its program looks whether the operation is, and there are far more of these.
type transfers struct {
	*host.Env
	*Section
	queues *queueTable
	all    host.Slab[transfer] // by number, from 1 on
	made   uint32              // numbers given so far
	unused uint32              // the number given back last, 0 if none is left
}

// At returns a transfer under way.
func (c *transfers) At(id uint32) *transfer { return c.all.At(id) }

// begin numbers the transfer that carries out an operation.
func (c *transfers) begin(op uint32) (id uint32, t *transfer) {
	if id = c.unused; id != 0 {
		t = c.At(id)
		c.unused = t.follower
	} else {
		c.made++
		id = c.made
		t = c.all.New(id)
	}
	*t = transfer{op: op}
	return id, t
}

// end gives back the number of a transfer that is over.
func (c *transfers) end(id uint32) {
	*c.At(id) = transfer{follower: c.unused}
	c.unused = id
}

// loops reports whether a transfer does not leave its network interface. Engines with command
// queues reach other ranks of their node by its router.
func (c *transfers) loops(t *transfer) bool {
	if c.queues != nil {
		return t.Target == t.initiator
	}
	return c.NodeOf[t.Target] == c.NodeOf[t.initiator]
}

// packet returns how many bytes the packet carries that begins at an offset: all of a bulk.
func (c *transfers) packet(t *transfer, offset int) int {
	most := int(c.Machine.Packet.Payload)
	switch {
	case t.bulk:
		return t.size
	case t.Action == host.IPush:
		most = c.RingPacket()
	}
	return min(t.size-offset, most)
}

// isTaken reports whether the queue is open that a put is for, if it is for any, and fails
// the put if not.
func (c *transfers) isTaken(id uint32) bool {
	t := c.At(id)
	if t.command.TargetQueue.Queue == 0 || c.queues.takes(t.command) != nil {
		return true
	}
	c.FailOp(t.op, fmt.Errorf("rma: put to command queue %d of rank %d, which is not open", t.command.TargetQueue.Queue, t.Target))
	return false
}

// reachable reports whether the target of a PUSH or PULL has the memory that it
// accesses, and fails the operation if not.
func (c *transfers) reachable(id uint32) bool {
	t := c.At(id)
	if t.memory != nil {
		return true
	}
	if t.command != nil && (t.size == 0 || !c.isTaken(id)) {
		return false
	}
	memory, err := c.Locate(&t.Request, t.Far())
	if err != nil {
		c.FailOp(t.op, err)
		return false
	}
	t.memory = memory
	return true
}

// pieces returns in how many contiguous pieces n bytes of a transfer lie in the
// memory of one side, where the target has it.
func (c *transfers) pieces(id uint32, access *onesided.Layout, offset, n int) int {
	if access.IsContiguous() || access == c.At(id).Far() && !c.reachable(id) {
		return 1
	}
	return access.Pieces(offset, n)
}

// read copies the next n bytes of a PULL out of its target's memory.
func (c *transfers) read(id uint32, n int) {
	if t := c.At(id); c.reachable(id) {
		c.Move(t.Local, t.Near(), t.memory, t.Far(), t.fetched, n)
	}
}

// write copies the next n bytes of a PUSH into its target's memory.
func (c *transfers) write(id uint32, n int) {
	t := c.At(id)
	if c.reachable(id) {
		c.Move(t.memory, t.Far(), t.Local, t.Near(), t.written, n)
	}
	c.Ranks[t.Target].Touched()
}

// complete lets the initiator of a transfer see that it is complete.
func (c *transfers) complete(id uint32, now units.Time) {
	done := now + c.Machine.NIC.Complete
	c.TellStage(c.NodeOf[c.At(id).initiator], "complete", "nic.complete", now, done)
	c.Clock.Push(engine.Event{At: done, Kind: evDone, A: id})
}
