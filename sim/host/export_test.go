package host

import "musubi/rma"

// UsualRings returns the rings of a rank that sets none.
func (c *Cluster) UsualRings() rma.Rings { return c.usualRings().Lists(len(c.Ranks)) }

// MessagesInRings returns how many messages have come to the rings of a rank.
func (r *Process) MessagesInRings() int { return int(r.inbox.rx.Counters().Messages) }

// FirstRing returns the size of the first ring of a rank.
func (r *Process) FirstRing() int { return r.inbox.layout.Rings()[0].Size }

// NoRoom returns how many packets the rings of a rank have had no room for.
func (r *Process) NoRoom() uint64 { return r.inbox.rx.Counters().Full }
