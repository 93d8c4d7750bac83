package core

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"testing"

	"musubi/mpi/internal/envelope"
	"musubi/rma"
)

// Options are how processes receive, and what is sent eagerly; package mpi documents them.
type Options struct {
	Rings     string
	RingBytes int
	Eager     int
	Check     Check
}

// Check says whether calls are checked; package mpi documents it.
type Check uint8

// Whether calls are checked.
const (
	CheckAuto Check = iota
	CheckOn
	CheckOff
)

// isOn reports whether calls are to be checked.
func (c Check) isOn() bool {
	return c.isAsked() || c == CheckAuto && (testing.Testing() || underRace)
}

// isAsked reports whether somebody asks for checks, so that they may cost messages.
func (c Check) isAsked() bool {
	return c == CheckOn || c == CheckAuto && os.Getenv(checkVariable) == "on"
}

// CheckIfAsked is on if the environment asks for checks, and off otherwise.
func CheckIfAsked() Check {
	if CheckAuto.isAsked() {
		return CheckOn
	}
	return CheckOff
}

// checkVariable of the environment is "on" if calls of programs that have not set Check are checked.
const checkVariable = "MUSUBI_CHECK"

const (
	defaultEager        = 8 << 10
	mostPrivate         = 64 << 10 // bytes of a private ring
	leastPrivate        = 4 << 10
	mostPrivateTogether = 4 << 20 // bytes of all private rings of a process
	defaultShared       = 1 << 20 // bytes of a shared ring
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
		bytes = min(mostPrivate, max(leastPrivate, mostPrivateTogether/ranks))
	}
	status := rma.PerMessage
	if bytes < envelope.ShortBytes+envelope.Bytes+longest { // the word is before envelopes that interfaces match
		status = rma.PerPacket
	}
	return rma.RingForEach(bytes, status)
}

func (o *Options) shared() rma.Rings {
	if o.RingBytes == 0 {
		return rma.SharedRing(defaultShared)
	}
	return rma.SharedRing(o.RingBytes)
}

// limits are the largest messages that a process sends eagerly.
type limits struct {
	Default int
	to      []int // each process, where they differ; else nil
}

func (o *Options) limits(p rma.Process) limits {
	if o.Eager != 0 {
		return limits{Default: max(o.Eager, 0)}
	}
	l := limits{Default: defaultEager}
	world, ok := p.(rma.Eager)
	if !ok {
		return l
	}
	l.to = make([]int, p.Size())
	for other := range l.to {
		l.to[other] = cmp.Or(world.EagerBytes(other), defaultEager)
	}
	return l
}

// of returns the largest message to a process.
func (l *limits) of(to int32) int {
	if l.to == nil {
		return l.Default
	}
	return l.to[to]
}

// atOnce returns the largest message to each process, -1 for the process itself.
func (l *limits) atOnce(rank, ranks int) []int {
	most := make([]int, ranks)
	for to := range most {
		most[to] = l.of(int32(to))
	}
	most[rank] = -1
	return most
}

// longest returns the largest message to any process.
func (l *limits) longest() int {
	if l.to == nil {
		return l.Default
	}
	return slices.Max(l.to)
}
