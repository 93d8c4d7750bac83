package host

import (
	"fmt"

	"musubi/sim/machine"
	"musubi/units"
)

// Sharing is what machine files say about hosts that run several ranks: parameters for the
// section of a model that lets them, and for its Traits.
type Sharing struct {
	Cores   int        `param:"host.cores" zero:"each rank has a processor for itself"`                                     // processors of a host
	Quantum units.Time `param:"host.quantum" zero:"a host runs no more ranks than it has processors"`                       // for how long a rank has the processor at a time, if others share it
	Memory  units.Rate `param:"host.memory" zero:"no limit but host.copy"`                                                  // copies by all processors of a host together
	Shared  units.Time `param:"host.shared" zero:"ranks of a host reach each other by the loopback of their own interface"` // a processor tells another rank of its host, by shared memory, what it has copied
}

// Check fails if values do not fit together, or not to those of the machine.
func (s *Sharing) Check(m *machine.Machine) error {
	switch {
	case s.Quantum > 0 && s.Cores == 0:
		return fmt.Errorf("host.quantum of %v collides with host.cores of 0: each rank has a processor for itself", s.Quantum)
	case s.Memory > 0 && s.Memory < m.Host.Copy:
		return fmt.Errorf("host.memory of %v collides with host.copy of %v: one processor copies as fast as that", s.Memory, m.Host.Copy)
	}
	return nil
}

// limit returns how many ranks a host runs, and the parameter that says so, if any does.
func (s *Sharing) limit() (int, string) {
	if s.Cores == 0 || s.Quantum > 0 {
		return MaxSenders, ""
	}
	return s.Cores, "host.cores"
}

// shareProcessors lets the ranks of a host take turns on its processors where it has more ranks.
// Those of a processor follow each other without a gap.
func (c *Env) shareProcessors() {
	s := c.Traits.Sharing
	if s == nil || s.Cores == 0 {
		return
	}
	seen := make([]int, c.Nodes)
	for r, node := range c.NodeOf {
		core, turn := seen[node]%s.Cores, seen[node]/s.Cores
		seen[node]++
		ranks := (c.ranksAt[node] - core + s.Cores - 1) / s.Cores
		if ranks == 1 {
			continue
		}
		if c.Processors == nil {
			c.Processors = make([]Processor, len(c.Ranks))
		}
		c.Processors[r] = TakingTurns(ranks, turn, 1, s.Quantum, 0)
	}
}

// memoryBus is what the copies of all processors of a host cross.
type memoryBus struct {
	free units.Time // when it has carried what was asked of it so far
}

// busPiece is how much a processor copies until others have their turn at the bus.
const busPiece = 4 << 10

// copies keeps the processor of a rank busy while it copies n bytes within memory.
func (c *Env) copies(r *Process, n int) {
	for n > 0 {
		next, takes := c.copiesNext(r, n)
		r.Sleep(takes)
		n -= next
	}
}

// copiesNext returns how many of n bytes the processor of a rank copies within memory next, and for how long that keeps it busy.
// If the ranks of its host could want more than its memory gives, they take turns.
func (c *Env) copiesNext(r *Process, n int) (next int, takes units.Time) {
	each, s := c.Machine.Host.Copy, c.Traits.Sharing
	if each == 0 {
		return n, 0
	}
	if s == nil || s.Memory == 0 || units.Rate(c.ranksAt[c.NodeOf[r.number]])*each <= s.Memory {
		return n, each.Transfer(units.Bytes(n))
	}
	bus, now := &c.memories[c.NodeOf[r.number]], c.Clock.Now()
	next = min(n, busPiece)
	bus.free = max(bus.free, now) + s.Memory.Transfer(units.Bytes(next))
	return next, max(each.Transfer(units.Bytes(next)), bus.free-now)
}
