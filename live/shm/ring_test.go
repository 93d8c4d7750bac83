package shm

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"musubi/internal/check"
	"musubi/live/livetest"
	"musubi/live/wire"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// newRing returns both ends of a ring in memory of this process.
func newRing(size int) (*Writer, *Reader) {
	memory := make([]uint64, size/8)
	data, pair := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), size), new(PairState)
	common := new(Half)
	w, r := newWriter(data, common, pair, false), newReader(data, common, pair, false)
	return &w, &r
}

// nextRecord returns the next record, kind 0 if there is none.
func nextRecord(r *Reader) (wire.Kind, []byte) {
	word := r.Look()
	return WordKind(word), r.Body(WordBody(word))
}

// recordBody returns the body of a record, which tells its number. It is not to be changed.
func recordBody(number, n int) []byte {
	if from := int(byte(number*31 + 1)); from+n <= len(counting) {
		return counting[from : from+n]
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(number*31 + i + 1)
	}
	return b
}

// counting has short bodies, of which there are millions.
var counting = func() (all [1 << 11]byte) {
	for i := range all {
		all[i] = byte(i)
	}
	return all
}()

// put writes a record, if there is room; one of two words as such.
func put(w *Writer, number, n int) bool {
	k := 1 + wire.Skip + wire.Kind(number%3)
	if n == 2*WordBytes {
		b := recordBody(number, n)
		word, head, data := RecordWord(k, n, Acknowledgement(uint32(number))), binary.LittleEndian.Uint64(b), b[WordBytes:]
		if w.fitsCommonLine() {
			w.publishCommon(word, head, data)
			return true
		}
		return w.publishGrain(word, head, data)
	}
	into := w.Reserve(n)
	if into == nil {
		return false
	}
	copy(into, recordBody(number, n))
	w.Publish(k, n, Acknowledgement(uint32(number)))
	return true
}

// ringModel is a ring and the records that must be in it.
type ringModel struct {
	w       *Writer
	r       *Reader
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
	ack := WordAcknowledgement(m.r.Look())
	k, got := nextRecord(m.r)
	if len(m.lengths) == 0 {
		if k != 0 {
			t.Fatalf("a record of kind %d in an empty ring", k)
		}
		return
	}
	want := recordBody(m.first, m.lengths[0])
	if wantKind := wire.Kind(1+wire.Skip) + wire.Kind(m.first%3); k != wantKind || !bytes.Equal(got, want) || ack != Acknowledgement(m.first) {
		t.Fatalf("record %d: kind %d, ack %d, % x; want kind %d, % x", m.first, k, ack, got, wantKind, want)
	}
	m.r.Take(len(got))
	if m.tells {
		m.w.Acknowledge(AcknowledgementOf(m.r.Tail, m.r.Lines))
	}
	m.lengths = m.lengths[1:]
	m.first++
}

// TestRingExhaustively tries all sequences of writing bodies of some lengths, of taking
// lines for the next one and of taking records, from all places of a small ring, and from those
// at the end of the first lap of a larger one.
func TestRingExhaustively(t *testing.T) {
	if livetest.Race {
		t.Skip("it has one goroutine")
	}
	for at := range 8 {
		tryAllFrom(t, 8*grainBytes, 8*grainBytes, at)
	}
	const lap = 8 // grains, the least that hold leastPerLap of two
	for at := lap - 2; at <= lap; at++ {
		tryAllFrom(t, 4*lap*grainBytes, lap*grainBytes, at)
	}
}

// tryAllFrom tries all sequences in a ring and with a first lap of some bytes, after a number of grains.
func tryAllFrom(t *testing.T, size, lap uint64, at int) {
	t.Helper()
	const depth = 5
	// The last is the longest that always fits.
	lengths := []int{0, 1, 2 * WordBytes, grainBytes - WordBytes, grainBytes, int(size)/4 - WordBytes}
	choices := len(lengths) + 2
	sequences := 1
	for range depth {
		sequences *= choices
	}
	var memory [32]int
	for s := range 2 * sequences {
		w, r := newRing(int(size))
		w.lap, w.wall = lap, lap
		m := &ringModel{w: w, r: r, tells: s >= sequences, lengths: memory[:0]}
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
		if r.Flush(); !w.taken(w.Head) {
			t.Fatalf("%d bytes written, %d taken after all records were", w.Head, w.tail)
		}
	}
}

// TestShortRecordsStayAtTheBeginning: where the receiver keeps up, or is a little behind, a ring uses a page
// for short records, and more only for long ones or for a receiver that is far behind.
func TestShortRecordsStayAtTheBeginning(t *testing.T) {
	if livetest.Race {
		t.Skip("it has one goroutine")
	}
	const size = 1 << 20
	for _, test := range []struct {
		name          string
		bytes, behind int
		most          uint64
	}{
		{"short", 24, 0, firstLap},
		{"1 KiB", 1 << 10, 0, firstLap},
		{"the longest of these", longRecord - 2*grainBytes, 0, 64 << 10},
		{"the longest of these, with a receiver that is a record behind", longRecord - 2*grainBytes, longRecord, 64 << 10},
		{"short, with a receiver that is a record behind", 24, 32, firstLap},
		{"1 KiB, with a receiver that is four records behind", 1 << 10, 5 << 10, 16 << 10},
		{"short, with a receiver that is far behind", 24, size - 4096, size},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, r := newRing(size)
			used := uint64(0)
			for i := range 20_000 {
				for !put(w, i, test.bytes) {
					k, body := nextRecord(r)
					if k == 0 {
						t.Fatal("no room in an empty ring")
					}
					r.Take(len(body))
					r.Flush()
				}
				used = max(used, (w.Head-1)&w.mask+1)
				for w.Head-r.Tail > uint64(test.behind) {
					if k, body := nextRecord(r); k != 0 {
						r.Take(len(body))
						w.Acknowledge(AcknowledgementOf(r.Tail, r.Lines))
					} else {
						break
					}
				}
			}
			if used > test.most || used < test.most/4 {
				t.Errorf("%d bytes of the ring are used; expected at most %d and at least a quarter of it", used, test.most)
			}
		})
	}
}

// TestLongRecordsGoAround: laps of long records become as long as the ring after a while, also if short ones are among them,
// and those of short records are as before soon.
func TestLongRecordsGoAround(t *testing.T) {
	w, r := newRing(1 << 20)
	send := func(lengths ...int) {
		for i, n := range lengths {
			if !put(w, i, n) {
				t.Fatal("no room in an empty ring")
			}
			_, body := nextRecord(r)
			r.Take(len(body))
			w.Acknowledge(AcknowledgementOf(r.Tail, r.Lines))
		}
	}
	for range 10 {
		send(24, 1000)
	}
	before := w.used()
	for range 2 * farTurns * len(w.data) / MostEager {
		send(MostEager, 100, 24)
		if w.Head < 4*firstLap*farTurns && w.used() > 64<<10 {
			t.Fatalf("laps of %d bytes after %d: they grew at once", w.used(), w.Head)
		}
	}
	if w.used() != uint64(len(w.data)) {
		t.Errorf("laps of long records take %d bytes of %d", w.used(), len(w.data))
	}
	for range 2 * len(w.data) / 1000 {
		send(24, 1000)
	}
	if most := uint64(64 << 10); before > firstLap || w.used() > most {
		t.Errorf("laps of short records take %d bytes before long ones and %d behind them; expected at most %d and %d", before, w.used(), firstLap, most)
	}
}

// TestBurstsFindRoomAtOnce: a burst of records that is as long as a lap soon has room, without the
// receiver taking the skip before it. The ring uses not much more for that.
func TestBurstsFindRoomAtOnce(t *testing.T) {
	const burst = firstLap / (2 * grainBytes) // records
	w, r := newRing(1 << 20)
	takeAll := func() {
		for k, body := nextRecord(r); k != 0; k, body = nextRecord(r) {
			r.Take(len(body))
		}
		r.Flush()
	}
	used, lacked := uint64(0), 0
	for i := range 50 * burst {
		if !put(w, i, grainBytes) {
			lacked++
			if takeAll(); !put(w, i, grainBytes) {
				t.Fatal("no room in an empty ring")
			}
		}
		used = max(used, (w.Head-1)&w.mask+1)
		if i%burst == burst-1 {
			takeAll()
		}
	}
	if lacked > 2 || used > 4*firstLap {
		t.Errorf("%d bursts lacked room, %d bytes of the ring are used; expected at most 2, and %d", lacked, used, 4*firstLap)
	}
}

// TestEmptyRingsHaveRoom: whatever was in a ring, and however far behind the receiver was, a record of any length
// finds room once all before it were taken. Most rings are small, so that many laps are tried in a short time.
func TestEmptyRingsHaveRoom(t *testing.T) {
	if livetest.Race {
		t.Skip("it has one goroutine")
	}
	const lap, steps = 8 * grainBytes, 40
	for _, ring := range []struct {
		size      int
		lap       uint64
		sequences int
	}{{4 * lap, lap, 2000}, {8 * lap, lap, 1000}, {16 * lap, lap, 1000}, {256 << 10, firstLap, 50}} {
		for seed := range uint64(ring.sequences) {
			rng := rand.New(rand.NewPCG(seed, uint64(ring.size)))
			w, r := newRing(ring.size)
			w.lap, w.wall = ring.lap, ring.lap
			m := &ringModel{w: w, r: r, tells: seed%2 == 0}
			for range steps {
				for range rng.IntN(6) {
					m.put(t, rng.IntN(w.Most+1))
				}
				for range rng.IntN(6) {
					m.take(t)
				}
				if rng.IntN(4) == 0 {
					for len(m.lengths) > 0 {
						m.take(t)
					}
					r.Flush()
				}
			}
		}
	}
}

// TestRingBetweenThreads writes and takes at the same time.
func TestRingBetweenThreads(t *testing.T) {
	records := 3_000
	if livetest.Race {
		records = 1000
	}
	for _, size := range []int{4 * grainBytes, 1 << 10, 64 << 10} {
		for _, fenced := range []bool{false, true} {
			w, r := newRing(size)
			w.fenced = fenced
			sizes := func() func() int {
				rng := rand.New(rand.NewPCG(uint64(size), 1))
				return func() int { return rng.IntN(w.Most + 1) }
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
				k, got := nextRecord(r)
				for ; k == 0; k, got = nextRecord(r) {
					r.Flush()
					runtime.Gosched()
				}
				if !bytes.Equal(got, recordBody(i, n)) {
					t.Fatalf("ring of %d bytes: record %d is not what was written", size, i)
				}
				r.Take(n)
			}
			r.Flush()
			writing.Wait()
			if !w.taken(w.Head) {
				t.Errorf("ring of %d bytes: %d bytes written, %d taken", size, w.Head, w.tail)
			}
		}
	}
}

// Acknowledgements are lower halves of counts that only grow.
func TestAcknowledgementsPassTheirRange(t *testing.T) {
	w, _ := newRing(128)
	for _, count := range []uint64{0, 8, 1<<32 - 8, 1 << 32, 1<<32 + 100, 1<<33 + 5} {
		w.Acknowledge(AcknowledgementOf(count, 0))
		if w.clean != count || w.tail != count {
			t.Errorf("after the acknowledgement of %d bytes: %d, and %d taken", count, w.clean, w.tail)
		}
	}
}
