package mpi

import (
	"encoding/binary"

	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/fault"
)

// On machines that lend messages, a blocking receive with nothing else under way needs
// no request: most often the next message is the one that it waits for.

// receive receives a message and waits for it.
func (c *Comm) receive(call string, context uint32, from, tag int, into []byte) (Status, error) {
	e := c.e
	if from == None || !e.isIdle(context) {
		return c.receiveAndWait(call, context, from, tag, into)
	}
	source := c.source(from)
	if source == int32(e.rank) {
		return c.receiveAndWait(call, context, from, tag, into)
	}
	e.now.c, e.now.call, e.now.peer, e.now.tag = c, call, source, int32(tag)
	e.awaited = &e.now
	a, data, err := e.messenger.NextInPlace()
	e.awaited = nil
	switch {
	case err != nil:
		return Status{}, c.fail(fault.Other, call, err)
	case !a.Last || !envelope.IsFor(data, context, int32(tag)) || source != int32(a.From) && source != AnySource || len(data)-envelope.ShortBytes > len(into):
		if err := e.borrowed(a, data); err != nil {
			return Status{}, c.fail(fault.Other, call, err)
		}
		return c.receiveAndWait(call, context, from, tag, into)
	case from == AnySource || tag == AnyTag:
		from, tag = c.rankOf(int32(a.From)), int(envelope.ReadShort(data).Tag())
	}
	return Status{From: from, Tag: tag, Bytes: copyShort(into, data[envelope.ShortBytes:])}, nil
}

// copyShort is copy, at less cost for a word.
func copyShort(into, data []byte) int {
	if len(data) == 8 && len(into) >= 8 {
		binary.NativeEndian.PutUint64(into, binary.NativeEndian.Uint64(data))
		return 8
	}
	return copy(into, data)
}

// isIdle reports whether the next message could only be for a receive to come: nothing
// else is under way, and all that has come in a context has been received.
func (e *engine) isIdle(context uint32) bool {
	m := e.matcher(context)
	return e.messenger != nil && m.count == 0 && m.all.first == nil && e.begun == 0 && len(e.pulls) == 0 && len(e.ready) == 0 && len(e.exchanges.active) == 0 && len(e.teams) == 0 && len(e.landings) == 0 && e.out.Flights.Count == 0
}
