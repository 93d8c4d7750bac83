package mpi

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/mpi/internal/envelope"
	"musubi/rma"
)

// Options of a job. All its processes need the same.
type Options struct {
	// Rings is how each process receives: in "private" rings, one for every sender, or
	// in one that is "shared" by all. Empty: private if the machine has room for that.
	// Rings that the user of the machine has chosen take the place of either; if they
	// tell of whole messages they have to hold Eager and 32 bytes more.
	Rings string
	// RingBytes is the size of each ring in bytes. 0: as much as is usual.
	RingBytes int
	// Eager is the largest message, in bytes, that is sent without asking whether
	// somebody waits for it. 0: what the machine suggests (rma.Eager), or else 8 KiB;
	// negative: none but empty ones.
	Eager int
}

const (
	usualEager   = 8 << 10
	usualPrivate = 64 << 10 // bytes of a private ring
	leastPrivate = 4 << 10
	usualArea    = 4 << 20 // bytes of the private rings of a process together
	usualShared  = 1 << 20 // bytes of a shared ring
)

// setRings gives a process its rings, for messages of which the longest that are sent
// eagerly have some bytes. It reports whether senders share them.
func (o *Options) setRings(p rma.Process, longest int) (shared bool, err error) {
	if o.RingBytes < 0 {
		return false, fmt.Errorf("rings of %d bytes; expected at least a packet, or 0", o.RingBytes)
	}
	switch o.Rings {
	case "private":
		return false, p.Rings(o.private(p.Size(), longest))
	case "shared":
		return true, p.Rings(o.shared())
	case "":
		if p.Rings(o.private(p.Size(), longest)) == nil {
			return false, nil
		}
		return true, p.Rings(o.shared())
	}
	return false, fmt.Errorf("rings %q; expected private or shared", o.Rings)
}

// private returns rings of one sender each. They tell of whole messages if they can
// hold those that are sent eagerly.
func (o *Options) private(ranks, longest int) rma.Rings {
	bytes := o.RingBytes
	if bytes == 0 {
		bytes = min(usualPrivate, max(leastPrivate, usualArea/ranks))
	}
	rings := rma.PrivateRings(ranks, bytes)
	if bytes < envelope.Bytes+longest {
		for i := range rings.Private {
			rings.Private[i].Status = rma.PerPacket
		}
	}
	return rings
}

func (o *Options) shared() rma.Rings {
	if o.RingBytes == 0 {
		return rma.SharedRing(usualShared)
	}
	return rma.SharedRing(o.RingBytes)
}

// limits are the largest messages that a process sends eagerly.
type limits struct {
	usual int
	to    []int // each process, where they differ; else nil
}

func (o *Options) limits(p rma.Process) limits {
	if o.Eager != 0 {
		return limits{usual: max(o.Eager, 0)}
	}
	l := limits{usual: usualEager}
	world, ok := p.(rma.Eager)
	if !ok {
		return l
	}
	l.to = make([]int, p.Size())
	for other := range l.to {
		l.to[other] = cmp.Or(world.EagerBytes(other), usualEager)
	}
	return l
}

// of returns that for messages to a process.
func (l *limits) of(to int32) int {
	if l.to == nil {
		return l.usual
	}
	return l.to[to]
}

// atOnce returns those for messages that leave a process, to each other.
func (l *limits) atOnce(rank, ranks int) []int {
	most := make([]int, ranks)
	for to := range most {
		most[to] = l.of(int32(to))
	}
	most[rank] = -1
	return most
}

// longest returns the largest for any process.
func (l *limits) longest() int {
	if l.to == nil {
		return l.usual
	}
	return slices.Max(l.to)
}
