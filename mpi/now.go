package mpi

// On machines that lend messages, a blocking receive with nothing else under way needs
// no request: most often the next message is the one that it waits for.

// receiveNow waits for the next message, and receives it if it is the one that a
// receive asks for. It reports false if that cannot be or was another one, which it has
// dealt with.
func (c *Comm) receiveNow(call string, context uint32, from, tag int, into []byte) (Status, bool, error) {
	e := c.e
	if e.messenger == nil || from == None || !e.isIdle(context) {
		return Status{}, false, nil
	}
	source := c.source(from)
	if source == int32(e.rank) {
		return Status{}, false, nil
	}
	e.now.c, e.now.call, e.now.peer, e.now.tag = c, call, source, int32(tag)
	e.awaited = &e.now
	a, data, err := e.messenger.Borrow()
	e.awaited = nil
	if err != nil {
		return Status{}, false, err
	}
	v, sender := readShort(data), int32(a.From)
	if !v.isFor(context, int32(tag)) || source != sender && source != AnySource || !a.Last || len(data)-shortBytes > len(into) {
		return Status{}, false, e.borrowed(a, data)
	}
	return Status{From: c.rankOf(sender), Tag: int(v.tag()), Bytes: copy(into, data[shortBytes:])}, true, nil
}

// isIdle reports whether the next message could only be for a receive to come: nothing
// else is under way, and all that has come in a context has been received.
func (e *engine) isIdle(context uint32) bool {
	m := e.matcher(context)
	return m.count == 0 && m.all.first == nil && e.begun == 0 && len(e.pulls) == 0 && len(e.ready) == 0 && len(e.exchanges.active) == 0 && len(e.teams) == 0 && len(e.landings) == 0 && e.out.flights.count == 0
}
