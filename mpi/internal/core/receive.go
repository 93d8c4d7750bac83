package core

import (
	"encoding/binary"

	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
)

// Where the machine has zero-copy receives, a blocking receive with nothing else under way needs no
// request: most often the next message is the one that it waits for.

// Receive receives a message and waits for it.
func (c *Comm) Receive(call string, from, tag int, into []byte) (Status, error) {
	e, context := c.Engine, c.Point
	if from == None || !e.isIdle(context) {
		return c.receiveAndWait(call, from, tag, into)
	}
	source := c.source(from)
	if source == int32(e.Rank) {
		return c.receiveAndWait(call, from, tag, into)
	}
	w := &e.Waiting
	w.receive.Comm, w.receive.Call, w.receive.Peer, w.receive.Tag = c, call, source, int32(tag)
	w.Awaited = w.receive
	a, data, err := e.Messenger.NextInPlace()
	w.Awaited = nil
	switch {
	case err != nil:
		return Status{}, c.Fail(fault.Other, call, err)
	case !a.Last || !envelope.IsFor(data, context, int32(tag)) || source != int32(a.From) && source != match.AnySource || len(data)-envelope.ShortBytes > len(into):
		if err := e.arrivedInPlace(a, data); err != nil {
			return Status{}, c.Fail(fault.Other, call, err)
		}
		return c.receiveAndWait(call, from, tag, into)
	case from == match.AnySource || tag == match.AnyTag:
		from, tag = c.RankOf(int32(a.From)), int(envelope.ReadShort(data).Tag())
	}
	return Status{From: from, Tag: tag, Bytes: copyShort(into, data[envelope.ShortBytes:])}, nil
}

// copyShort copies like copy, at less cost for a word.
func copyShort(into, data []byte) int {
	if len(data) == 8 && len(into) >= 8 {
		binary.NativeEndian.PutUint64(into, binary.NativeEndian.Uint64(data))
		return 8
	}
	return copy(into, data)
}

// IsPlain reports whether messages of the communicator can pass this package by, as long as the program is not in
// a call: nobody asks for them, the next one can only be for a receive that is not posted yet, and all that are
// sent go at once.
func (c *Comm) IsPlain() bool {
	return !c.Engine.guarded && c.Engine.atOnce != nil && !c.freed && c.Engine.isQuiet(c.Point)
}

// Eager returns the bytes of the longest message to a process that is sent before the receiver asks for it.
func (c *Comm) Eager(process int32) int { return c.Engine.Limits.of(process) }

// IsUnseen reports whether calls can pass this package by that only access memory: nobody checks, traces, limits or records them.
func (c *Comm) IsUnseen() bool { return c.isUsable() && !c.Engine.Records() }

// Envelope returns the short envelope of messages between two ranks, with tag 0. The tag is in its upper half.
func (c *Comm) Envelope() uint64 { return uint64(envelope.ShortOf(c.Point, 0)) }

// isIdle reports whether the next message can only be for a receive that is not posted yet, and there is one thread that calls.
func (e *Engine) isIdle(context uint32) bool { return e.Share == nil && e.isQuiet(context) }

// isQuiet reports whether the next message can only be for a receive that is not posted yet, as long as no other thread calls: nothing
// else is under way, and the queues of the context are empty.
func (e *Engine) isQuiet(context uint32) bool {
	return e.Messenger != nil && e.limit == nil && !e.Records() && e.contexts.of(context).IsEmpty() && e.begun == 0 && len(e.Pulls) == 0 && len(e.steppers.ready) == 0 && e.Sources.active == 0 && e.Out.InFlight.Count == 0
}
