package hosttest_test

import (
	"math/rand/v2"
	"slices"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/units"
)

// plan is a random program: what each rank does, and with which rings.
type plan struct {
	packet  int         // most data of a packet in a ring
	rings   []rma.Rings // of each rank
	actions [][]action  // of each rank, in order
	expects [][]int     // messages that a rank gets from each sender
}

// action is one transfer. In the memory of the target every rank has a region of
// its own to write to, so that what is there in the end does not depend on time.
type action struct {
	kind      host.Action
	to        int
	by        rma.Mechanism
	offset    int    // in the region of the target
	size      int    // in bytes
	local     []byte // what is pushed, or has room for what is pulled
	near, far rma.Layout
	refused   bool // no ring of the target can take it
	pause     units.Time
}

const (
	region     = 6000 // bytes
	maxActions = 12   // of a rank
)

// newPlan draws a program for a cluster.
func newPlan(rng *rand.Rand, c *host.Cluster, ranks int) *plan {
	p := &plan{packet: c.RingPacket(), actions: make([][]action, ranks), expects: make([][]int, ranks)}
	for r := range ranks {
		p.rings = append(p.rings, drawRings(rng, len(c.Ranks), p.packet))
		p.expects[r] = make([]int, ranks)
	}
	for r := range ranks {
		for range rng.IntN(maxActions + 1) {
			a := p.draw(rng, r, inline(c))
			if a.kind == host.IPush && !a.refused {
				p.expects[a.to][r]++
			}
			p.actions[r] = append(p.actions[r], a)
		}
	}
	return p
}

// inline returns how much data a transfer by BOTF may have.
func inline(c *host.Cluster) int {
	switch {
	case c.Fabric == nil:
		return region
	case c.Traits.Windows > 0:
		return int(c.Machine.Packet.Payload)
	}
	return int(c.Machine.NIC.PIOPayload)
}

// drawRings draws small rings: some senders have one of their own, some share one,
// some use that for all others and now and then some have none.
func drawRings(rng *rand.Rand, ranks, packet int) rma.Rings {
	var rings rma.Rings
	size := func() int { return packet + rng.IntN(3*packet) }
	var sharers []int
	for _, sender := range rng.Perm(ranks) {
		switch rng.IntN(4) {
		case 0:
			rings.Private = append(rings.Private, rma.Ring{Bytes: size(), Senders: []int{sender}})
		case 1:
			rings.Private = append(rings.Private, rma.Ring{Bytes: size(), Senders: []int{sender}, Status: rma.PerPacket})
		case 2:
			sharers = append(sharers, sender)
		}
	}
	if len(sharers) > 0 {
		rings.Private = append(rings.Private, rma.Ring{Bytes: size(), Senders: sharers, Status: rma.PerPacket})
	}
	if rng.IntN(4) > 0 {
		rings.Other = rma.Ring{Bytes: size(), Status: rma.PerPacket}
	}
	rings.Records = rng.IntN(20) // 0: the usual number
	return rings
}

// ringFor is the ring that a rank has for a sender.
func ringFor(rings *rma.Rings, sender int) (rma.Ring, bool) {
	for _, ring := range rings.Private {
		if slices.Contains(ring.Senders, sender) {
			return ring, true
		}
	}
	return rings.Other, rings.Other.Bytes > 0
}

// draw draws what a rank does next.
func (p *plan) draw(rng *rand.Rand, rank, inline int) action {
	a := action{kind: host.Action(rng.IntN(3)), to: rng.IntN(len(p.rings)), size: rng.IntN([]int{2, 100, 3*p.packet + 2}[rng.IntN(3)])}
	a.size = min(a.size, region/2)
	if rng.IntN(2) == 0 {
		a.pause = units.Time(rng.IntN(5000)) * units.Nanosecond
	}
	if a.kind != host.Pull && rng.IntN(2) == 0 && a.size <= inline {
		a.by = rma.BOTF
	}
	near := a.size
	if a.kind == host.IPush {
		ring, ok := ringFor(&p.rings[a.to], rank)
		a.refused = !ok || ring.Status == rma.PerMessage && a.size > ring.Bytes
	} else {
		a.near, near = drawLayout(rng, a.size, a.kind == host.Pull)
		var far int
		a.far, far = drawLayout(rng, a.size, a.kind == host.Push)
		a.offset = rng.IntN(region - far + 1)
	}
	a.local = make([]byte, near)
	for i := range a.local {
		a.local[i] = byte(rng.Uint32())
	}
	return a
}

// drawLayout draws a layout of so many bytes, and how much memory it needs. Elements
// that are written do not overlap.
func drawLayout(rng *rand.Rand, size int, written bool) (rma.Layout, int) {
	if size == 0 || rng.IntN(2) == 0 {
		return rma.Layout{}, size
	}
	element := 1 + rng.IntN(size)
	for size%element != 0 {
		element--
	}
	count := size / element
	if count <= 20 && rng.IntN(2) == 0 {
		return drawList(rng, element, count, written)
	}
	stride := element + rng.IntN(1+(region-size)/count)
	if !written {
		stride = rng.IntN(stride + 1)
	}
	return rma.Strided(element, stride, count), (count-1)*stride + element
}

func drawList(rng *rand.Rand, element, count int, written bool) (rma.Layout, int) {
	places := region / element
	offsets := rng.Perm(places)[:min(count, places)]
	for i := range offsets {
		offsets[i] *= element
		if !written {
			offsets[i] = rng.IntN(region - element + 1)
		}
	}
	return rma.List(element, offsets...), region
}

// places lists where the bytes of a layout are, one by one.
func places(l rma.Layout, size int) []int {
	var at []int
	for i := range size {
		switch {
		case l.Element == 0:
			at = append(at, i)
		case l.Offsets != nil:
			at = append(at, l.Offsets[i/l.Element]+i%l.Element)
		default:
			at = append(at, i/l.Element*l.Stride+i%l.Element)
		}
	}
	return at
}
