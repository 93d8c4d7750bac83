package dma

import (
	"fmt"

	"musubi/nic/barrier"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// groups is the part of the network interfaces that does barriers and reductions of one
// word. A node passes a gate of one channel after the other. Its packets leave by
// the first port, in the class of replies: they have a place wherever they come, and so
// wait for nothing.
type groups struct {
	*host.Env
	*Section
	free     []units.Time  // when each node has passed the last gate so far
	channels []*membership // of all nodes, each as many as the machine has; nil if not open
	flying   []flight      // packets, by number
	landed   []uint32      // numbers to be used again
}

// flight is a packet under way.
type flight struct {
	to     uint32 // channel
	packet barrier.Packet
}

// newGroups returns nil if the machine does no barriers by its interfaces.
func newGroups(c *dma) *groups {
	if c.Barrier.Channels == 0 {
		return nil
	}
	return &groups{
		Env: c.Env, Section: c.Section,
		free: make([]units.Time, c.Nodes), channels: make([]*membership, c.Nodes*c.Barrier.Channels),
	}
}

// open opens a channel of the node of a rank; nil if all are.
func (g *groups) open(r *host.Process) *membership {
	first := uint32(g.NodeOf[r.Rank()]) * uint32(g.Barrier.Channels)
	for number := first; number < first+uint32(g.Barrier.Channels); number++ {
		if g.channels[number] == nil {
			g.channels[number] = &membership{g: g, r: r, number: number}
			return g.channels[number]
		}
	}
	return nil
}

// find returns the channel that a rank has opened as a part; nil if there is none.
func (g *groups) find(rank int, part uint64) *membership {
	if part >= uint64(g.Barrier.Channels) {
		return nil
	}
	if ch := g.channels[uint64(g.NodeOf[rank])*uint64(g.Barrier.Channels)+part]; ch != nil && ch.r.Rank() == rank {
		return ch
	}
	return nil
}

// passGate passes a gate of a channel, when the node has passed those before, if there is what
// the channel waits for.
func (g *groups) passGate(ch *membership) {
	if ch.firing || !ch.state.Ready() {
		return
	}
	ch.firing = true
	free := &g.free[g.NodeOf[ch.r.Rank()]]
	*free = max(*free, g.Clock.Now()) + g.Barrier.Gate
	g.Clock.Push(engine.Event{At: *free, Kind: evFired, A: ch.number})
}

// handle handles an event of channels.
func (g *groups) handle(ev engine.Event) {
	switch ev.Kind {
	case evFired:
		g.fired(g.channels[ev.A])
	case evCrossed:
		g.arrived(ev.A)
	case evTold:
		ch := g.channels[ev.A]
		ch.told = true
		ch.r.Touched()
	}
}

// fired goes on when a gate has been passed.
func (g *groups) fired(ch *membership) {
	ch.firing = false
	if p, sends := ch.state.Fire(); sends {
		g.send(ch, p)
	}
	if ch.state.Running() {
		g.passGate(ch)
		return
	}
	g.Clock.Push(engine.Event{At: g.Clock.Now() + g.Machine.NIC.Complete, Kind: evTold, A: ch.number})
}

// send sends a packet to a member of the group of a channel.
func (g *groups) send(ch *membership, p barrier.Packet) {
	id := uint32(len(g.flying))
	if last := len(g.landed) - 1; last >= 0 {
		id, g.landed = g.landed[last], g.landed[:last]
	}
	g.flying = host.Grown(g.flying, id)
	to := ch.members[p.To]
	g.flying[id] = flight{to, p}
	from, at := g.Hosts[ch.r.Rank()], g.Hosts[g.channels[to].r.Rank()]
	if from == at {
		g.Clock.Push(engine.Event{At: g.Clock.Now() + g.Queue.Self, Kind: evCrossed, A: id})
		return
	}
	g.Fabric.Send(fabric.Packet{Src: from, Dst: at, Flits: g.Machine.Packet.Reply, Class: g.Machine.Switch.Classes - 1, Tag: tag(id, roleBarrier)})
}

// arrived gives a packet to its channel.
func (g *groups) arrived(id uint32) {
	f := &g.flying[id]
	ch := g.channels[f.to]
	ch.state.Arrive(f.packet)
	g.landed = append(g.landed, id)
	g.passGate(ch)
}

// unmet says which operations of groups have been started and are not complete; empty if
// there are none.
func (g *groups) unmet() string {
	if g == nil {
		return ""
	}
	var waits []string
	for _, ch := range g.channels {
		if ch == nil || !ch.state.Running() {
			continue
		}
		if late := ch.late(); late >= 0 {
			waits = append(waits, fmt.Sprintf("the network interface of rank %d does operation %d (%v) of a group of %d ranks, which rank %d has not started",
				ch.r.Rank(), ch.started, ch.reduction, len(ch.members), late))
		}
	}
	return host.JoinSome(waits, "; ")
}
