package ring

import (
	"crypto/sha256"
	"fmt"

	"musubi/internal/sparse"
)

func (w *world) Blank() *world { return new(world) }

// copyFrom makes a world a copy of another, reusing its memory.
func (w *world) CopyFrom(o *world) {
	w.scenario, w.stalled = o.scenario, o.stalled
	chunks := w.receiver.status.chunks
	w.copyReceiver(o)
	for len(chunks) < len(o.receiver.status.chunks) {
		chunks = append(chunks, new([slotChunk]slot))
	}
	chunks = chunks[:len(o.receiver.status.chunks)]
	for i, chunk := range o.receiver.status.chunks {
		*chunks[i] = *chunk
	}
	w.receiver.status.chunks = chunks
	w.memory = append(w.memory[:0], o.memory...)
	w.arriving = append(w.arriving[:0], o.arriving...)
	w.held = append(w.held[:0], o.held...)
	if w.lanes == nil {
		w.lanes = make([]lane, len(o.lanes))
	}
	for i := range o.lanes {
		packets, answers := w.lanes[i].packets[:0], w.lanes[i].answers[:0]
		w.lanes[i] = o.lanes[i]
		w.lanes[i].packets = append(packets, o.lanes[i].packets...)
		w.lanes[i].answers = append(answers, o.lanes[i].answers...)
	}
}

// copyReceiver copies the receiver but for the chunks of its status ring.
func (w *world) copyReceiver(o *world) {
	others, heads := w.receiver.others, w.receiver.heads
	if w.lanes == nil {
		others, heads = sparse.New[ring](len(o.config.Rings)), sparse.New[uint64](len(o.config.Rings))
	}
	w.receiver = o.receiver
	for i := range int32(len(o.config.Rings)) {
		*others.At(i), *heads.At(i) = *o.receiver.others.At(i), *o.receiver.heads.At(i)
	}
	w.receiver.others, w.receiver.heads, w.receiver.recent = others, heads, nil
}

// fingerprint tells states apart. Worlds with the same one behave alike: it leaves
// out only which slots of the status ring records lie in, the order in which the
// consumer holds them, and how often a ring has been gone round.
func (w *world) Fingerprint() [16]byte {
	b := append(make([]byte, 0, 512), byte(w.stalled))
	for i := range w.lanes {
		b = w.lanes[i].encode(b)
	}
	b = append(b, byte(len(w.arriving)))
	for _, a := range w.arriving {
		b = append(b, byte(a.from), byte(a.packet))
	}
	for i := range w.config.Rings {
		g := w.receiver.look(i)
		b = g.encode(b, &w.receiver.status)
	}
	for i, n := w.receiver.status.first, 0; i != none; i, n = w.receiver.status.slot(i).behind, n+1 {
		mustEnd(n, &w.receiver.status)
		b = append(b, byte(w.receiver.status.slot(i).ring))
	}
	b = append(b, w.memory...)
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

func (l *lane) encode(b []byte) []byte {
	in := l.in // a copy, as asking for a Nack changes it
	first, n := l.out.Outstanding()
	expected := in.Expected()
	b = append(b, byte(first), byte(first>>8), byte(n), byte(expected), byte(expected>>8), bit(!in.Nack()))
	b = append(b, byte(l.sent), byte(l.again), byte(l.accepted), byte(l.records), byte(l.received), byte(l.message), byte(l.part))
	b = append(b, byte(len(l.packets)), byte(len(l.answers)))
	for _, p := range l.packets {
		b = append(b, byte(p))
	}
	for _, a := range l.answers {
		b = append(b, byte(a.sequence), byte(a.sequence>>8), bit(a.nack))
	}
	return b
}

// noSlot ends the records of a ring; no sender of a small case has that number.
const noSlot = 0xff

func (g *ring) encode(b []byte, s *status) []byte {
	b = append(b, byte(g.head%uint64(g.size)), byte(g.used), byte(g.promised), byte(g.written), byte(g.told))
	b = append(b, byte(g.owner), bit(g.waiting), bit(g.closed))
	for i, n := g.oldest, 0; i != none; i, n = s.slot(i).newer, n+1 {
		mustEnd(n, s)
		slot := s.slot(i)
		b = append(b, byte(slot.from), byte(slot.bytes), byte(slot.extra), byte(slot.state), bit(slot.last))
	}
	return append(b, noSlot)
}

// mustEnd panics if a list has more slots than there are, so that a broken one ends
// the test and not the memory.
func mustEnd(n int, s *status) {
	if n >= int(s.made) {
		panic(fmt.Sprintf("a list of records has more than %d slots", s.made))
	}
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
