package mbc

// receive takes a packet that has come over a channel, or as a copy of a multicast.
func (w *memoryWorld) receive(host int, h Header, data []byte) error {
	switch h.Type {
	case Ack, Answer, Result, CombinedAck:
		return w.reply(host, h, data)
	case Moved:
		return w.moved(host, h)
	}
	d := pendingAccess{header: h, access: h, data: data, payload: data}
	if h.Type == Chain {
		var err error
		if d.access, d.payload, err = ChainWrite(&h, data); err != nil {
			return err
		}
	}
	if w.repeated(host, &h) {
		return w.finish(host, d, nil)
	}
	return w.check(host, d)
}

// repeated reports whether a packet is a multicast that has been done before. Whether its
// access id is still the right one does not matter then.
func (w *memoryWorld) repeated(host int, h *Header) bool {
	p := w.processes[h.ToNode]
	if h.Type != Multicast || w.fault == takesMulticastsTwice || w.fault == checksAgain || p.host != host {
		return false
	}
	seen := p.once.Seen(h.FromNode, h.Sequence)
	if w.fault == notesOnArrival {
		p.once.Fresh(h.FromNode, h.Sequence)
	}
	if seen {
		w.total.again++
	}
	return seen
}

// check does what the interface does by itself.
func (w *memoryWorld) check(host int, d pendingAccess) error {
	at := &w.hosts[host]
	asked := d.access
	if w.fault == trustsAccessID && at.running != none {
		asked.To.Access = w.processes[at.running].id.Access
	}
	result := at.gate.Check(&asked)
	w.total.cases[result]++
	switch {
	case result == Behind && w.fault == overtakesOthers && at.gate.Resolve(&d.access) == Direct || result == Absent && w.fault == ignoresAbsence:
		at.gate.Served(&d.access)
		return w.do(host, d, true)
	case result == NotScheduled && w.fault == acksAtOnce && d.header.Type == Write:
		d.header.Flags &^= Confirm
		at.pending = append(at.pending, d)
		return w.sendReply(host, d.header, Ack, nil)
	case result.Waits():
		at.pending = append(at.pending, d)
		return nil
	case result.Refuses():
		return w.refuse(host, d, result)
	}
	return w.do(host, d, true)
}

// serve lets the operating system turn to an access.
func (w *memoryWorld) serve(host, i int) error {
	at := &w.hosts[host]
	d := at.pending[i]
	if w.repeated(host, &d.header) {
		w.removePending(at, i)
		return w.finish(host, d, nil)
	}
	result := at.gate.Resolve(&d.access)
	w.total.cases[result]++
	if result == Absent {
		p := w.processes[d.access.ToNode]
		w.setPage(p, int(d.access.At/PageSize), true)
		return nil // others may come between
	}
	w.removePending(at, i)
	switch {
	case result == Elsewhere:
		return w.forward(host, d)
	case result.Refuses():
		return w.refuse(host, d, result)
	}
	return w.do(host, d, false)
}

func (w *memoryWorld) removePending(at *memoryHost, i int) {
	at.gate.Served(&at.pending[i].access)
	at.pending = append(at.pending[:i:i], at.pending[i+1:]...)
}

// mayServe reports whether an access is the first of its pair.
func (at *memoryHost) mayServe(i int) bool {
	for _, d := range at.pending[:i] {
		if d.access.FromNode == at.pending[i].access.FromNode && d.access.ToNode == at.pending[i].access.ToNode {
			return false
		}
	}
	return true
}

// forward sends an access on to where the process has gone, and tells its source.
func (w *memoryWorld) forward(host int, d pendingAccess) error {
	w.total.forwarded++
	a, err := w.accessOf(d.header.Type, d.header.ReplyTo)
	if err != nil {
		return err
	}
	if w.fault == losesWhatMoved {
		return nil
	}
	d.header.Flags |= Forwarded
	a.forwarded = true
	if err := w.send(host, w.hosts[host].forward[d.header.ToNode], d.header, d.data, int(d.header.ToNode)); err != nil || !a.isPlain() {
		return err
	}
	return w.sendReply(host, d.access, Moved, nil)
}

// moved takes the news that a process is elsewhere.
func (w *memoryWorld) moved(host int, h Header) error {
	p := w.processes[h.ToNode]
	if p.host != host {
		return w.send(host, w.hosts[host].forward[h.ToNode], h, nil, none)
	}
	if p.table.Invalidate(h.FromNode) {
		w.ask(p, h.FromNode)
	}
	return nil
}
