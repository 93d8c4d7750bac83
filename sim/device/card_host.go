package device

import (
	"musubi/nic"
	"musubi/nic/register"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

// start implements model: what the processor does until the card has the command.
func (w *windows) start(r *rank, q *request) (rma.Op, error) {
	if err := w.refuse(q); err != nil {
		return 0, err
	}
	id, op := w.newJob(r, q)
	if q.by == rma.BOTF {
		w.writeWindow(r, order{op: id, role: fromWindow}, gathered(q))
		return op, nil
	}
	j := &w.jobs[id]
	o := order{op: id, rank: int32(r.number), role: fromMemory}
	if q.kind == pull {
		o.role = askFor
	}
	local := r.segmentOf(q.local)
	j.intoWindow = q.kind == pull && r.isWindow(local)
	if j.staged = local < 0 && q.bytes() > 0; j.staged && q.kind != pull {
		w.stage(r, id, gathered(q))
	}
	cost := w.m.Card.Scale(w.m.Processor.Command128)
	r.sleep(cost)
	w.tellTime("issue command", cost)
	w.issue(o)
	return op, nil
}

// gathered returns the data of a request in one piece.
func gathered(q *request) []byte {
	if q.near.IsContiguous() {
		return q.local
	}
	data := make([]byte, q.near.Bytes())
	access := q.near
	access.Gather(data, q.local, 0)
	return data
}

// writeWindow writes data, with a header, to the next Write Window, as soon as that
// is free, and issues the command for it.
func (w *windows) writeWindow(r *rank, o order, data []byte) {
	u, p := &w.users[r.number], &w.m.Processor
	o.rank, o.window = int32(r.number), u.turn
	u.turn = (u.turn + 1) % u.used
	w.awaitWindow(r, o.window)
	write := w.m.Card.Scale(w.writeTime(len(data), u.cache.touch(data)))
	r.sleep(write)
	command := w.m.Card.Scale(p.Command64)
	r.sleep(command)
	if o.role == fromWindow {
		w.tellTime("write window", write)
		w.tellTime("write command", command)
	}
	u.write[o.window].data = append(u.write[o.window].data[:0], data...)
	u.regs.SetBusy(o.window, true)
	w.issue(o)
}

// writeTime is the time to write a packet with n bytes of data to a window.
func (w *windows) writeTime(n int, missed bool) units.Time {
	p := &w.m.Processor
	t := p.Write
	if n > nic.LineSize {
		t = min(p.WriteMost, t+p.WriteRate.Transfer(units.Bytes(n-nic.LineSize)))
	}
	if missed {
		t = t * units.Time(p.WriteCold) / 100
	}
	return t
}

// awaitWindow polls the register of busy windows until one has been read out,
// unless the processor has seen that already.
func (w *windows) awaitWindow(r *rank, window int) {
	u := &w.users[r.number]
	busy := u.isBusy(window)
	if !busy && u.write[window].free <= r.looked {
		return
	}
	r.look(look{period: w.m.Card.Scale(w.m.Processor.PollRegister)})
	if busy {
		u.awaited = window
		r.block("waiting for a Write Window")
		u.awaited = none
	} else {
		r.sleep(r.looking.sees(r.since, w.q.Now()) - w.q.Now())
	}
	r.saw()
}

func (u *cardUser) isBusy(window int) bool {
	bits, _ := u.regs.Read(register.Busy, register.User)
	return bits>>window&1 != 0
}

// stage brings data that the card cannot reach into its memory, a window at a time.
func (w *windows) stage(r *rank, id uint32, data []byte) {
	for s := nic.NewSegmenter(len(data), int(w.m.Packet.Payload)); ; {
		offset, n, _, ok := s.Next()
		if !ok {
			return
		}
		w.writeWindow(r, order{op: id, role: toMemory}, data[offset:][:n])
	}
}

// issue sends a command on its way to the card.
func (w *windows) issue(o order) {
	host := w.users[o.rank].card
	k := &w.cards[host].sender
	k.coming.push(o)
	delay := w.m.Card.Scale(w.m.Card.Command)
	w.q.Push(engine.Event{At: w.q.Now() + delay, Kind: evCommand, A: uint32(host)})
	if o.role != toMemory {
		w.tellTime("command to Window Controller", delay)
	}
}

// finish implements model: data that was pulled to where the processor cannot read
// it is copied.
func (w *windows) finish(r *rank, id uint32) {
	if j := &w.jobs[id]; j.kind == pull && j.staged {
		access := j.near
		w.read(r, reading{bytes: j.bytes(), access: &access, into: j.local})
	}
}

// readRecord implements model.
func (w *windows) readRecord() units.Time { return w.m.Card.Scale(w.m.Processor.ReadStatus) }

// load implements model. Memory of the card is read through Prefetch Windows;
// exposed windows are such. If messages have come to the segment, their status is
// read first.
func (w *windows) load(r *rank, a rma.Address, access *onesided.Layout, into []byte, as rma.Caching) {
	if s := &r.segments[a.Segment]; s.unread {
		s.unread = false
		r.sleep(w.readRecord())
		w.tellTime("read status record", w.readRecord())
	}
	w.read(r, reading{bytes: len(into), access: access, into: into, as: as, direct: r.isWindow(a.Segment)})
}

// take implements model. The command that reads a message also advances the head of
// its ring; without one the processor has to write it.
func (w *windows) take(r *rank, rec *nic.Record, into []byte, as rma.Caching) {
	if into == nil {
		r.sleep(w.m.Card.Scale(w.m.Processor.Command64))
		return
	}
	w.tellTime("read status record", w.readRecord()) // which Next has done
	w.read(r, reading{bytes: rec.Bytes, into: into, as: as, head: w.m.MemoryRead.Head})
	r.inbox.fetch(rec, into)
}

// reading is data that a processor copies from the card.
type reading struct {
	bytes  int
	access *onesided.Layout // of the card's memory; nil if contiguous
	into   []byte
	as     rma.Caching
	direct bool // it is in a Prefetch Window already
	head   int  // clocks to advance the head of a ring
}

// read keeps the processor busy with copying. It tells the card to fill as many
// windows as there are, and copies one after the other, giving each a new command.
func (w *windows) read(r *rank, g reading) {
	if g.bytes == 0 {
		return
	}
	size := int(w.m.Card.Window)
	missed := w.users[r.number].cache.touch(g.into[:g.bytes])
	if g.direct {
		t := w.copyTime(g.bytes, g.as, missed)
		r.sleep(t)
		w.tellTime("copy window to memory", t)
		return
	}
	pieces := (g.bytes + size - 1) / size
	ready := make([]units.Time, pieces)
	issued := 0
	start := w.q.Now()
	now, looked := start, start
	poll := look{period: w.m.Card.Scale(w.m.Processor.Poll)}
	for i := range pieces {
		for issued < pieces && issued-i < w.users[r.number].prefetch {
			now += w.m.Card.Scale(w.m.Processor.ReadCommand)
			from := issued * size
			ready[issued] = w.fill(r, now, &g, from, min(size, g.bytes-from))
			issued++
		}
		told := now
		if ready[i] > looked {
			looked = poll.sees(now, max(now, ready[i]))
			now = looked + poll.rest()
		}
		t := w.copyTime(min(size, g.bytes-i*size), g.as, missed)
		now += t
		if pieces == 1 {
			w.tellTime("issue read command", told-start)
			w.tellTime("memory to Prefetch Window", ready[i]-told)
			w.tellTime("notice data by polling", now-t-ready[i])
			w.tellTime("copy window to memory", t)
		}
	}
	r.looked = max(r.looked, looked)
	r.sleep(now - start)
}

// fill returns when a Prefetch Window holds what a command of a time asks for.
func (w *windows) fill(r *rank, issued units.Time, g *reading, from, n int) units.Time {
	k := &w.cards[w.users[r.number].card]
	m := &w.m.MemoryRead
	clocks := m.First + further(n)
	if g.access != nil {
		clocks += m.Piece * (g.access.Pieces(from, n) - 1)
	}
	if from+n == g.bytes {
		clocks += g.head
	}
	begin := max(k.reader, issued)
	k.reader = w.refreshed(begin) + w.m.Card.Clocks(clocks)
	return k.reader
}

// copyTime is the time to copy n bytes from a Prefetch Window to memory. Uncached,
// each line is read like a register. Cached, the first cache line has to be flushed
// and waited for; those behind it are fetched ahead.
func (w *windows) copyTime(n int, as rma.Caching, missed bool) units.Time {
	p := &w.m.Processor
	if as == rma.Uncached {
		return w.m.Card.Scale(units.Time(1+further(n)) * p.Poll)
	}
	lines := units.Time((n + int(p.Line) - 1) / int(p.Line))
	t := p.Copy + (lines-1)*p.CopyLine
	if missed {
		t += lines * p.CopyCold
	}
	return w.m.Card.Scale(t)
}
