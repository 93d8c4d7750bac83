package card

import (
	"musubi/nic/dimmnet"
	"musubi/nic/register"
	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// Start implements host.Model: what the processor does until the card has the command.
func (w *windows) Start(r *host.Process, q *host.Request) (rma.Op, error) {
	if err := w.refuse(q); err != nil {
		return 0, err
	}
	id, op := w.newJob(r, q)
	if q.By == rma.BOTF {
		w.writeWindow(r, order{op: id, role: fromWindow}, gathered(q))
		return op, nil
	}
	j := w.jobs.At(id)
	o := order{op: id, rank: int32(r.Rank()), role: fromMemory}
	if q.Action == host.Pull {
		o.role = askFor
	}
	local := r.SegmentOf(q.Local)
	j.intoWindow = q.Action == host.Pull && r.IsWindow(local)
	if j.staged = local < 0 && q.Bytes() > 0; j.staged && q.Action != host.Pull {
		w.stage(r, id, gathered(q))
	}
	cost := w.Card.Scale(w.Processor.Command128)
	r.Sleep(cost)
	w.TellTime("issue command", cost)
	w.issue(o)
	return op, nil
}

// gathered returns the data of a request in one piece.
func gathered(q *host.Request) []byte {
	if q.Near.IsContiguous() {
		return q.Local
	}
	data := make([]byte, q.Near.Bytes())
	access := q.Near
	access.Gather(data, q.Local, 0)
	return data
}

// writeWindow writes data, with a header, to the next Write Window, as soon as that
// is free, and issues the command for it.
func (w *windows) writeWindow(r *host.Process, o order, data []byte) {
	u, p := &w.users[r.Rank()], &w.Processor
	o.rank, o.window = int32(r.Rank()), u.turn
	u.turn = (u.turn + 1) % u.used
	w.awaitWindow(r, o.window)
	write := w.Card.Scale(w.writeTime(len(data), u.cache.touch(data)))
	r.Sleep(write)
	cost := p.Command64
	if o.role == toMemory {
		cost = p.Command128
	}
	command := w.Card.Scale(cost)
	r.Sleep(command)
	if o.role == fromWindow {
		w.TellTime("write window", write)
		w.TellTime("write command", command)
	}
	u.write[o.window].data = append(u.write[o.window].data[:0], data...)
	u.regs.SetBusy(o.window, true)
	w.issue(o)
}

// writeTime is the time to write a packet with n bytes of data to a window.
func (w *windows) writeTime(n int, missed bool) units.Time {
	p := &w.Processor
	t := p.Write.Of(units.Bytes(dimmnet.HeaderLines*dimmnet.LineSize + n))
	if missed {
		t = t * units.Time(p.WriteCold) / 100
	}
	return t
}

// awaitWindow polls the register of busy windows until one has been read out,
// unless the processor has seen that already.
func (w *windows) awaitWindow(r *host.Process, window int) {
	u := &w.users[r.Rank()]
	busy := u.isBusy(window)
	if !busy && u.write[window].free <= r.Looked {
		return
	}
	r.Look(w.lookAtRegister(w.Processor.PollRegister))
	if busy {
		u.awaited = window
		r.Block("waiting for a Write Window")
		u.awaited = none
	} else {
		r.Sleep(r.Sees() - w.Clock.Now())
	}
	r.Saw()
}

func (u *cardUser) isBusy(window int) bool {
	bits, _ := u.regs.Read(register.Busy, register.User)
	return bits>>window&1 != 0
}

// stage brings data that the card cannot reach into its memory, a window at a time.
func (w *windows) stage(r *host.Process, id uint32, data []byte) {
	for s := dimmnet.NewSegmenter(len(data), int(w.Machine.Packet.Payload)); ; {
		offset, n, _, ok := s.Next()
		if !ok {
			return
		}
		w.writeWindow(r, order{op: id, role: toMemory}, data[offset:][:n])
	}
}

// issue sends a command on its way to the card.
func (w *windows) issue(o order) {
	home := w.users[o.rank].card
	k := &w.cards[home].sender
	k.coming.Push(o)
	delay := w.Card.Scale(w.Card.Command)
	w.Clock.Push(engine.Event{At: w.Clock.Now() + delay, Kind: evCommand, A: uint32(home)})
	if o.role != toMemory {
		w.TellTime("command to Window Controller", delay)
	}
}

// Finish implements host.Model: data that was pulled to where the processor cannot read
// it is copied.
func (w *windows) Finish(r *host.Process, id uint32) {
	if j := w.jobs.At(id); j.Action == host.Pull && j.staged {
		access := j.Near
		w.read(r, reading{bytes: j.Bytes(), access: &access, into: j.Local})
	}
}

// ReadRecord implements host.Model.
func (w *windows) ReadRecord() units.Time {
	return w.Card.Scale(w.Processor.ReadStatus)
}

// Load implements host.Model. Memory of the card is read through Prefetch Windows;
// exposed windows are such. If messages have come to the segment, their status is
// read first.
func (w *windows) Load(r *host.Process, a rma.Address, access *onesided.Layout, into []byte, as rma.Caching) {
	if s := &r.Segments[a.Segment]; s.Unread {
		s.Unread = false
		r.Sleep(w.ReadRecord())
		w.TellTime("read status record", w.ReadRecord())
	}
	w.read(r, reading{bytes: len(into), access: access, into: into, as: as, direct: r.IsWindow(a.Segment)})
}

// Take implements host.Model. The command that reads a message also advances the head of
// its ring; without one the processor has to write it.
func (w *windows) Take(r *host.Process, rec *ring.Record, into []byte, as rma.Caching) {
	if into == nil {
		r.Sleep(w.Card.Scale(w.Processor.Command64))
		return
	}
	w.TellTime("read status record", w.ReadRecord()) // which Next has done
	w.read(r, reading{bytes: rec.Bytes, into: into, as: as, head: w.MemoryRead.Head})
	r.Fetch(rec, into)
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
func (w *windows) read(r *host.Process, g reading) {
	if g.bytes == 0 {
		return
	}
	size := int(w.Card.Window)
	missed := w.users[r.Rank()].copied(g.into[:g.bytes])
	if g.direct {
		t := w.copyTime(g.bytes, g.as, missed)
		r.Sleep(t)
		w.TellTime("copy window to memory", t)
		return
	}
	pieces := (g.bytes + size - 1) / size
	ready := make([]units.Time, pieces)
	issued := 0
	start := w.Clock.Now()
	now, looked := start, start
	poll := w.lookAtMemory()
	for i := range pieces {
		for issued < pieces && issued-i < w.users[r.Rank()].prefetch {
			now += w.Card.Scale(w.Processor.ReadCommand)
			from := issued * size
			ready[issued] = w.fill(r, now, &g, from, min(size, g.bytes-from))
			issued++
		}
		told := now
		if ready[i] > looked {
			looked = poll.Sees(now, max(now, ready[i]))
			now = looked + poll.Rest()
		}
		t := w.copyTime(min(size, g.bytes-i*size), g.as, missed)
		now += t
		if pieces == 1 {
			w.TellTime("issue read command", told-start)
			w.TellTime("memory to Prefetch Window", ready[i]-told)
			w.TellTime("notice data by polling", now-t-ready[i])
			w.TellTime("copy window to memory", t)
		}
	}
	r.Looked = max(r.Looked, looked)
	r.Sleep(now - start)
}

// copied notes that the processor copies to a buffer, and reports whether that has to be brought
// into the cache. Data that is fetched ahead only once (PREFETCHNTA) fills one way of it.
func (u *cardUser) copied(into []byte) (missed bool) {
	u.cache.touch(into)
	return u.copies.touch(into)
}

// fill returns when a Prefetch Window holds what a command of a time asks for.
func (w *windows) fill(r *host.Process, issued units.Time, g *reading, from, n int) units.Time {
	k := &w.cards[w.users[r.Rank()].card]
	m := &w.MemoryRead
	clocks := m.First + further(n, int(w.Card.MemoryPath))
	if g.access != nil {
		clocks += m.Piece * (g.access.Pieces(from, n) - 1)
	}
	if from+n == g.bytes {
		clocks += g.head
	}
	begin := max(k.reader, issued)
	k.reader = w.refreshed(begin) + w.Card.Clocks(clocks)
	return k.reader
}

// copyTime is the time to copy n bytes from a Prefetch Window to memory. Uncached,
// each line is read like a register. Cached, the first cache line has to be flushed
// and waited for; those behind it are fetched ahead.
func (w *windows) copyTime(n int, as rma.Caching, missed bool) units.Time {
	p := &w.Processor
	if as == rma.Uncached {
		return w.Card.Scale(units.Time(1+further(n, dimmnet.LineSize)) * p.Poll)
	}
	lines := units.Time((n + int(p.Line) - 1) / int(p.Line))
	t := p.Copy + (lines-1)*p.CopyLine
	if missed {
		t += lines * p.CopyCold
	}
	return w.Card.Scale(t)
}
