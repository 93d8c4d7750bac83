package shm

import (
	"sync/atomic"

	"musubi/live/wire"
)

// Writer is the sending end of a ring. Counts are bytes since the job began.
type Writer struct {
	ringWords
	WriterState
	data   []byte
	common *Half
	Most   int // bytes of the longest body
	Pair   *PairState
	calls  *callers // of the receiver, until this rank has entered itself
	from   int      // this rank
	laps   lapState
	fenced bool // the receiver may sleep, so what is published must be seen before its word is read
}

// WriterState is how far a writer has come. Programs in C have the same type; see Lane.
type WriterState struct {
	Head  uint64
	wall  uint64 // where pass decides how to go on; no record lies across it
	clear uint64 // from head to here the words of grains are 0
	tail  uint64 // all before it is known to have been taken
	clean uint64 // no operation that ends up to here has a failure that was not collected
	lines uint64 // records so far by the common line
	odd   uint64 // 1 if an odd number of these is known to have been taken
	last  int    // bytes of the last body that was not of one grain
	lap   uint64 // bytes of the ring that are used before the writer begins anew, if it can
	long  uint64 // bytes of long records since the lap began
	own   uint64 // lines before it were taken; see takeLines
	inC   uint64 // bytes of the longest body that programs in C write
}

// newWriter returns the sending end of a ring. Its longest body is such that a skip and the
// record always fit into an empty ring, and that sender and receiver can work at once.
func newWriter(data []byte, common *Half, pair *PairState, fenced bool) Writer {
	lap := min(uint64(len(data)), firstLap)
	return Writer{ringWords: ringWordsOf(data), WriterState: WriterState{wall: lap, lap: lap}, data: data, common: common, Most: min(len(data)/4, mostBytes) - WordBytes, Pair: pair, fenced: fenced}
}

// callFirst lets a rank enter itself before its first record. The ring seems to be full until
// then, so that nothing else has to look whether that was done.
func (w *Writer) callFirst(c *callers, from int) {
	w.calls, w.from, w.tail = c, from, -uint64(len(w.data))
}

// Reserve returns room for a body of n bytes, or nil if there is none now.
func (w *Writer) Reserve(n int) []byte {
	need := recordBytes(n)
	if w.Head+need > w.wall && !w.pass(need) || !w.fits(need+grainBytes) {
		w.lengthen()
		return nil
	}
	if need >= longRecord {
		w.long += need
	}
	return w.data[w.Head&w.mask+WordBytes:][:n:n]
}

// A ring is memory that both sides have to map page by page, and that takes room in their caches: the
// first look at a page takes as long as hundreds of short records. So the writer uses only the beginning
// of it at first, and again and again as long as the receiver has taken half of a lap at its end. In a
// stream it has not, and a longer lap lets the two work at once. More than enoughPerLap records help them
// only if there was no room; see lengthen. A lap has leastPerLap records of the length of the present one
// in any case, so that behind a skip there is room for it if the receiver has taken all, though it tells
// so only now and then: two records, a grain and flushBytes are less than a lap. What long records take is told in ring_laps.go.
const (
	firstLap     = 4 << 10 // a page
	leastPerLap  = 3
	enoughPerLap = 64
)

// pass lets a record of need bytes lie beyond the wall: behind a skip to the beginning of the ring, or
// in a longer lap if this one is too short. It returns false if there is no room.
func (w *Writer) pass(need uint64) bool {
	size := w.mask + 1
	for w.Head+need > w.wall {
		at, used := w.Head&w.mask, w.used()
		switch rest := size - at; {
		case at == 0 && used == size: // the end of the ring
			w.turn(used)
			w.wall += w.lap
		case used < size && (leastPerLap*need > used || enoughPerLap*need > used && !w.taken(w.Head-min(w.Head, used/2))):
			w.wall += used
			w.lap = max(w.lap, 2*used)
		case !w.skip(rest, need):
			return false
		default:
			w.turn(used)
			w.wall = w.Head + w.lap
		}
	}
	return true
}

// used is the length of the present lap, which the next one may exceed; see lengthen.
func (w *Writer) used() uint64 { return (w.wall-1)&w.mask + 1 }

// lengthen makes the next lap longer than the present one, which had no room: until the receiver takes
// the skip before a lap, that is all the room that there is, and too little for a burst of records.
func (w *Writer) lengthen() {
	if used := w.used(); w.lap == used && used <= w.mask {
		w.lap = 2 * used
	}
}

// skip fills up the rest of the ring, if a record behind that has room.
func (w *Writer) skip(rest, need uint64) bool {
	if !w.fits(rest + need + grainBytes) {
		return false
	}
	w.append(rest, RecordWord(wire.Skip, int(rest)-WordBytes, 0))
	return true
}

// fits reports whether n bytes are free.
func (w *Writer) fits(n uint64) bool { return w.Head-w.tail+n <= w.mask+1 || w.fitsNow(n) }

// fitsNow is fits that looks what the receiver has taken meanwhile.
func (w *Writer) fitsNow(n uint64) bool {
	if w.calls != nil {
		w.calls.enter(w.from)
		w.calls = nil
	}
	w.tail = w.Pair.tail.Load()
	return w.Head-w.tail+n <= w.mask+1
}

// Publish makes the record visible whose body of n bytes was reserved and has been
// written. ack is what was taken of the other direction.
func (w *Writer) Publish(k wire.Kind, n int, ack Acknowledgement) {
	w.append(recordBytes(n), RecordWord(k, n, ack))
	w.last = n
	for w.clear < w.Head+aheadBytes && w.clear-w.tail <= w.mask {
		w.clearGrain()
	}
}

// fitsCommonLine reports whether a record can go by the common line: all before it are known to have
// been taken.
func (w *Writer) fitsCommonLine() bool { return w.Head == w.tail && w.lines&1 == w.odd }

// publishCommon makes a record of one grain visible by the common line.
func (w *Writer) publishCommon(word, head uint64, data []byte) {
	w.common.Body.set(head, data)
	w.lines++
	w.store(&w.common.Word, word|w.lines&1<<turnShift)
}

// publishGrain makes a record of one grain visible, if there is room.
func (w *Writer) publishGrain(word, head uint64, data []byte) bool {
	if w.Head == w.wall && !w.pass(grainBytes) || !w.fits(2*grainBytes) {
		w.lengthen()
		return false
	}
	shortBodyOf(w.data, w.Head&w.mask).set(head, data)
	w.append(grainBytes, word)
	if w.clear < w.Head+aheadBytes && w.clear-w.tail <= w.mask {
		w.clearGrain()
	}
	return true
}

// shortBodyOf returns the room behind the word at a place of a ring.
func shortBodyOf(data []byte, at uint64) *ShortBody { return (*ShortBody)(data[at+WordBytes:]) }

// append makes a record of n bytes visible.
func (w *Writer) append(n, word uint64) {
	end := w.Head + n
	if w.clear <= end {
		w.clear = end
		w.clearGrain()
	}
	w.store(w.At(w.Head), word)
	w.Head = end
}

// clearGrain clears the word of one more grain.
func (w *Writer) clearGrain() {
	StoreRelease(w.At(w.clear), 0)
	w.clear += grainBytes
}

func (w *Writer) store(word *atomic.Uint64, value uint64) {
	if w.fenced {
		word.Store(value)
	} else {
		StoreRelease(word, value)
	}
}

// Acknowledge notes what the word of a record from the other side says: the lower bits of
// what it has taken.
func (w *Writer) Acknowledge(ack Acknowledgement) {
	w.clean += uint64(uint32(ack) - uint32(w.clean))
	w.tail = max(w.tail, w.clean)
	w.odd = uint64(ack) >> oddShift
}

// Taken reports whether the receiver has taken all before a position.
func (w *Writer) taken(position uint64) bool {
	if w.tail < position {
		w.tail = w.Pair.tail.Load()
	}
	return w.tail >= position
}

// linesAtOnce is how many lines are taken between two looks for an answer.
const linesAtOnce = 16

// takeLines takes lines where the next record will lie, as far as there is room. It is likely
// to be as long as the last one.
func (w *Writer) takeLines() bool {
	end := min(w.Head+recordBytes(w.last)+aheadBytes, w.tail+w.mask+1)
	w.own = max(w.own, w.Head&^(LineBytes-1)+LineBytes) // the receiver looks at the line before
	for range linesAtOnce {
		if w.own >= end {
			return false
		}
		StoreRelease(w.At(w.own), 0)
		w.own += LineBytes
	}
	return true
}
