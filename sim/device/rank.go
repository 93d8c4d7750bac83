package device

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

// rank is a process, its processor, memory bus and network interface.
type rank struct {
	c      *Cluster
	number int
	co     *engine.Coroutine
	err    error // what the program returned

	segments [][]byte
	blocked  string // the call that it is blocked in without a time to wake
	watching bool   // blocked in WaitUntil
	waiting  uint32 // transfer that it is blocked for in Wait, 0 if none

	bus    bus
	queue  []uint32 // transfers that wait for the network interface
	active int      // transfers under way
	sendAt units.Time
	recvAt units.Time // LogGP: when the interface can take the next message
}

var _ rma.Process = (*rank)(nil)

// Rank implements rma.Process.
func (r *rank) Rank() int { return r.number }

// Size implements rma.Process.
func (r *rank) Size() int { return len(r.c.ranks) }

// Now implements rma.Process.
func (r *rank) Now() units.Time { return r.c.q.Now() }

// Compute implements rma.Process.
func (r *rank) Compute(d units.Time) {
	if d > 0 {
		r.sleep(d)
	}
}

// sleep suspends the program for a time.
func (r *rank) sleep(d units.Time) {
	if d == 0 {
		return
	}
	r.wakeAfter(d)
	r.co.Suspend()
}

func (r *rank) wakeAfter(d units.Time) {
	r.c.q.Push(engine.Event{At: r.c.q.Now() + d, Kind: evResume, A: uint32(r.number)})
}

// block suspends the program until somebody wakes it.
func (r *rank) block(call string) {
	r.blocked = call
	r.co.Suspend()
	r.blocked = ""
}

// Expose implements rma.Process.
func (r *rank) Expose(memory []byte) int {
	r.segments = append(r.segments, memory)
	return len(r.segments) - 1
}

// Push implements rma.Process.
func (r *rank) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	if err := r.checkRank("Push", to); err != nil {
		return 0, err
	}
	if by != rma.DMA && by != rma.PIO {
		return 0, fmt.Errorf("rma: Push by %v; expected %v or %v", by, rma.DMA, rma.PIO)
	}
	host := &r.c.m.Host
	cost := host.Post
	if r.c.fabric == nil {
		cost = r.c.m.LogGP.O
	} else if by == rma.PIO {
		limit := r.c.m.NIC.PIOPayload
		if units.Bytes(len(data)) > limit {
			return 0, fmt.Errorf("rma: Push of %d bytes by PIO; machine %s takes at most %d", len(data), r.c.m.Name, limit)
		}
		cost = host.PIO
		if len(data) > 0 && host.PIORate > 0 {
			cost += host.PIORate.Transfer(units.Bytes(len(data)))
		}
	}
	return r.post(transfer{target: int32(to.Rank), address: to, local: data, pio: by == rma.PIO}, cost), nil
}

// Pull implements rma.Process.
func (r *rank) Pull(from rma.Address, into []byte) (rma.Op, error) {
	if err := r.checkRank("Pull", from); err != nil {
		return 0, err
	}
	cost := r.c.m.Host.Post
	if r.c.fabric == nil {
		cost = r.c.m.LogGP.O
	}
	return r.post(transfer{target: int32(from.Rank), address: from, local: into, pull: true}, cost), nil
}

func (r *rank) checkRank(call string, a rma.Address) error {
	if a.Rank < 0 || a.Rank >= len(r.c.ranks) {
		return fmt.Errorf("rma: %s names rank %d; there are ranks 0 to %d", call, a.Rank, len(r.c.ranks)-1)
	}
	return nil
}

// post occupies the processor for cost and then hands a transfer to the network
// interface.
func (r *rank) post(t transfer, cost units.Time) rma.Op {
	r.sleep(cost)
	t.initiator = int32(r.number)
	id, op := r.c.newTransfer(t)
	r.c.command(id)
	return op
}

// Wait implements rma.Process.
func (r *rank) Wait(op rma.Op) error {
	if op == 0 {
		return nil
	}
	id, err := r.c.lookup(op, r.number)
	if err != nil {
		return err
	}
	if !r.c.transfers[id].complete {
		r.waiting = id
		r.block("Wait")
	} else {
		r.sleep(r.c.completionCost())
	}
	err = r.c.transfers[id].err
	r.c.freeTransfer(id)
	return err
}

// WaitUntil implements rma.Process.
func (r *rank) WaitUntil(condition func() bool) error {
	if condition() {
		r.sleep(r.c.pollCost())
		return nil
	}
	for {
		r.watching = true
		r.block("WaitUntil")
		if condition() {
			return nil
		}
	}
}

// touched wakes a rank that watches its memory.
func (r *rank) touched() {
	if r.watching {
		r.watching = false
		r.wakeAfter(r.c.pollCost())
	}
}

// pollCost is what it takes the processor to notice that a message has arrived.
func (c *Cluster) pollCost() units.Time {
	if c.fabric == nil {
		return c.m.LogGP.O
	}
	return c.m.Host.Poll
}
