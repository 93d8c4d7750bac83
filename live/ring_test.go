package live

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"musubi/live/wire"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// newRing returns both ends of a ring in memory of this process.
func newRing(size int) (*writer, *reader) {
	memory := make([]uint64, size/8)
	data, pair := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), size), new(pairState)
	common := new(half)
	w, r := newWriter(data, common, pair, false), newReader(data, common, pair, false)
	return &w, &r
}

// body makes the body of a record, which tells its number.
func body(number, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(number*31 + i + 1)
	}
	return b
}

// put writes a record, if there is room; one of two words as such.
func put(w *writer, number, n int) bool {
	k := 1 + wire.Skip + wire.Kind(number%3)
	if n == 2*wordBytes {
		b := body(number, n)
		word, head, data := recordWord(k, n, acknowledgement(uint32(number))), binary.LittleEndian.Uint64(b), b[wordBytes:]
		if w.canSpeak() {
			w.speak(word, head, data)
			return true
		}
		return w.publishGrain(word, head, data)
	}
	into := w.reserve(n)
	if into == nil {
		return false
	}
	copy(into, body(number, n))
	w.publish(k, n, acknowledgement(uint32(number)))
	return true
}

// ringModel is a ring and the records that must be in it.
type ringModel struct {
	w       *writer
	r       *reader
	lengths []int // of the records in the ring
	first   int   // number of the first
	tells   bool  // the reader tells the writer at once what it has taken
}

// put writes a record if there is room, which there must be in an empty ring.
func (m *ringModel) put(t *testing.T, n int) {
	if put(m.w, m.first+len(m.lengths), n) {
		m.lengths = append(m.lengths, n)
		return
	}
	if len(m.lengths) == 0 {
		t.Fatalf("no room for %d bytes in an empty ring of %d", n, len(m.w.data))
	}
}

// take takes a record and compares it.
func (m *ringModel) take(t *testing.T) {
	k, got := m.r.next()
	if len(m.lengths) == 0 {
		if k != 0 {
			t.Fatalf("a record of kind %d in an empty ring", k)
		}
		return
	}
	want := body(m.first, m.lengths[0])
	if wantKind := wire.Kind(1+wire.Skip) + wire.Kind(m.first%3); k != wantKind || !bytes.Equal(got, want) || m.r.ack != acknowledgement(m.first) {
		t.Fatalf("record %d: kind %d, ack %d, % x; want kind %d, % x", m.first, k, m.r.ack, got, wantKind, want)
	}
	m.r.take(len(got))
	if m.tells {
		m.w.acknowledge(acknowledgementOf(m.r.tail, m.r.lines))
	}
	m.lengths = m.lengths[1:]
	m.first++
}

// TestRingExhaustively tries all sequences of writing bodies of some lengths, of taking
// lines for the next one and of taking records, from all places of a small ring.
func TestRingExhaustively(t *testing.T) {
	const size, depth = 8 * grainBytes, 5
	lengths := []int{0, 1, 2 * wordBytes, grainBytes - wordBytes, grainBytes, size/4 - wordBytes} // the last is the longest that always fits
	choices := len(lengths) + 2
	sequences := 1
	for range depth {
		sequences *= choices
	}
	for at := range size / grainBytes {
		for s := range 2 * sequences {
			w, r := newRing(size)
			m := &ringModel{w: w, r: r, tells: s >= sequences}
			for range at { // records without a body take a grain
				m.put(t, 0)
				m.take(t)
			}
			for range depth {
				switch c := s % choices; c {
				case len(lengths):
					w.takeLines()
				case len(lengths) + 1:
					m.take(t)
				default:
					m.put(t, lengths[c])
				}
				s /= choices
			}
			for len(m.lengths) > 0 {
				m.take(t)
			}
			m.take(t)
			if r.flush(); !w.taken(w.head) {
				t.Fatalf("%d bytes written, %d taken after all records were", w.head, w.tail)
			}
		}
	}
}

// TestRingBetweenThreads writes and takes at the same time.
func TestRingBetweenThreads(t *testing.T) {
	const records = 10_000
	for _, size := range []int{4 * grainBytes, 1 << 10, 64 << 10} {
		for _, fenced := range []bool{false, true} {
			w, r := newRing(size)
			w.fenced = fenced
			sizes := func() func() int {
				rng := rand.New(rand.NewPCG(uint64(size), 1))
				return func() int { return rng.IntN(w.most + 1) }
			}
			var writing sync.WaitGroup
			writing.Go(func() {
				next := sizes()
				for i := range records {
					for n := next(); !put(w, i, n); {
						runtime.Gosched()
					}
					w.takeLines()
				}
			})
			next := sizes()
			for i := range records {
				n := next()
				k, got := r.next()
				for ; k == 0; k, got = r.next() {
					r.flush()
					runtime.Gosched()
				}
				if !bytes.Equal(got, body(i, n)) {
					t.Fatalf("ring of %d bytes: record %d is not what was written", size, i)
				}
				r.take(n)
			}
			r.flush()
			writing.Wait()
			if !w.taken(w.head) {
				t.Errorf("ring of %d bytes: %d bytes written, %d taken", size, w.head, w.tail)
			}
		}
	}
}

// Acknowledgements are lower halves of counts that only grow.
func TestAcknowledgementsPassTheirRange(t *testing.T) {
	w, _ := newRing(128)
	for _, count := range []uint64{0, 8, 1<<32 - 8, 1 << 32, 1<<32 + 100, 1<<33 + 5} {
		w.acknowledge(acknowledgementOf(count, 0))
		if w.clean != count || w.tail != count {
			t.Errorf("after the acknowledgement of %d bytes: %d, and %d taken", count, w.clean, w.tail)
		}
	}
}
