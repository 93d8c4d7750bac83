package card

import (
	"musubi/nic/dimmnet"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/units"
)

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
func (w *processor) read(r *host.Process, g reading) {
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

// fill returns when a Prefetch Window holds what a command of a time asks for.
func (w *processor) fill(r *host.Process, issued units.Time, g *reading, from, n int) units.Time {
	reader := &w.readers[w.users[r.Rank()].card]
	m := &w.MemoryRead
	clocks := m.First + further(n, int(w.Card.MemoryPath))
	if g.access != nil {
		clocks += m.Piece * (g.access.Pieces(from, n) - 1)
	}
	if from+n == g.bytes {
		clocks += g.head
	}
	begin := max(*reader, issued)
	*reader = w.refreshed(begin) + w.Card.Clocks(clocks)
	return *reader
}

// copyTime is the time to copy n bytes from a Prefetch Window to memory. Uncached,
// each line is read like a register. Cached, the first cache line has to be flushed
// and waited for; those behind it are fetched ahead.
func (w *processor) copyTime(n int, as rma.Caching, missed bool) units.Time {
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
