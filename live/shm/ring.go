package shm

import (
	"musubi/live/wire"
	"sync/atomic"
	"unsafe"
)

// A ring carries records from one sender to one receiver. A record is a word and a
// body, which begins behind it; it takes whole grains, half a cache line each, so that a
// short one goes from one processor to the other at once, and two of a stream of them
// together. From the lowest bit the word has
//
//	what the sender has taken of the ring in the other direction 32 bits, bytes of the
//	body 23, of a record in the common line whether its number is odd 1, kind 7, whether the
//	sender has taken an odd number of records in the common line 1.
//
// The word is written last; a receiver that finds 0 there has taken all there is. So
// the sender clears the words of grains before a receiver can come to them, some grains
// ahead where there is room: a line that it has not yet got does not delay a record then.
// The size of a ring is a power of two. Bodies are contiguous: where one does not fit
// before the end of the ring, a record of kind skip fills the place up.

const (
	WordBytes  = 8
	LineBytes  = 64
	grainBytes = LineBytes / 2
	aheadBytes = 8 * grainBytes                  // that are cleared behind the last record
	mostBytes  = MostEager + MpiHead + WordBytes // of a record, so that the receiver need not wait long for the first
	bytesShift = 32
	turnShift  = 55
	kindShift  = 56
	oddShift   = 63
)

// RecordWord returns the word of a record. ack is what the sender has taken.
func RecordWord(k wire.Kind, n int, ack Acknowledgement) uint64 {
	return uint64(k)<<kindShift | uint64(n)<<bytesShift | uint64(ack)
}

func WordKind(word uint64) wire.Kind {
	return wire.Kind(word >> kindShift & (1<<(oddShift-kindShift) - 1))
}

func WordBody(word uint64) int { return int(word >> bytesShift & (1<<(turnShift-bytesShift) - 1)) }

// wordTurn is 1 if a record in the common line has an odd number.
func wordTurn(word uint64) uint64 { return word >> turnShift & 1 }

// Acknowledgement is what a word says of the other direction, in the bits where it does.
type Acknowledgement uint64

// AcknowledgementOf says how much of the ring has been taken, and how many records of the
// common line.
func AcknowledgementOf(taken, lines uint64) Acknowledgement {
	return Acknowledgement(lines<<oddShift | taken&(1<<bytesShift-1))
}

func WordAcknowledgement(word uint64) Acknowledgement {
	return Acknowledgement(word & (1<<oddShift | 1<<bytesShift - 1))
}

// ringWords is the memory of a ring, as the words of its grains.
type ringWords struct {
	begin unsafe.Pointer
	mask  uint64 // bytes less 1
}

func ringWordsOf(data []byte) ringWords {
	return ringWords{begin: unsafe.Pointer(unsafe.SliceData(data)), mask: uint64(len(data)) - 1}
}

// At returns the word at a position, which is always one of the ring.
func (g *ringWords) At(position uint64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(g.begin, position&g.mask))
}

// Writer is the sending end of a ring. Counts are bytes since the job began.
type Writer struct {
	ringWords
	data   []byte
	common *Half
	Most   int // bytes of the longest body
	Pair   *PairState
	calls  *callers // of the receiver, until this rank has entered itself
	from   int      // this rank
	Head   uint64
	clear  uint64 // from head to here the words of grains are 0
	tail   uint64 // all before it is known to have been taken
	own    uint64 // lines before it were taken; see takeLines
	last   int    // bytes of the last body that was not of one grain
	clean  uint64 // no operation that ends up to here has a failure that was not collected
	lines  uint64 // records so far by the common line
	odd    uint64 // 1 if an odd number of these is known to have been taken
	fenced bool   // the receiver may sleep, so what is published must be seen before its word is read
}

// newWriter returns the sending end of a ring. Its longest body is such that a skip and the
// record always fit into an empty ring, and that sender and receiver can work at once.
func newWriter(data []byte, common *Half, pair *PairState, fenced bool) Writer {
	return Writer{ringWords: ringWordsOf(data), data: data, common: common, Most: min(len(data)/4, mostBytes) - WordBytes, Pair: pair, fenced: fenced}
}

// callFirst lets a rank enter itself before its first record. The ring seems to be full until
// then, so that nothing else has to look whether that was done.
func (w *Writer) callFirst(c *callers, from int) {
	w.calls, w.from, w.tail = c, from, -uint64(len(w.data))
}

// Reserve returns room for a body of n bytes, or nil if there is none now.
func (w *Writer) Reserve(n int) []byte {
	need := recordBytes(n)
	if rest := w.mask + 1 - w.Head&w.mask; need > rest && !w.skip(rest, need) {
		return nil
	}
	if !w.fits(need + grainBytes) {
		return nil
	}
	return w.data[w.Head&w.mask+WordBytes:][:n:n]
}

// skip fills up the rest of the ring, if a record that needs more has room behind that.
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

// publishGrain makes a record of one grain visible, if there is room. It never needs a skip.
func (w *Writer) publishGrain(word, head uint64, data []byte) bool {
	if !w.fits(2 * grainBytes) {
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

// Reader is the receiving end of a ring.
type Reader struct {
	ringWords
	data      []byte
	Common    *Half
	Pair      *PairState
	Tail      uint64          // all before it has been taken
	published uint64          // tail that the sender can see
	Lines     uint64          // records that were taken from the common line
	lined     bool            // the next record is there
	fenced    bool            // the sender may sleep; see writer
	Ack       Acknowledgement // of the record that next has returned
}

func newReader(data []byte, common *Half, pair *PairState, fenced bool) Reader {
	return Reader{ringWords: ringWordsOf(data), data: data, Common: common, Pair: pair, fenced: fenced}
}

// Next returns the next record, kind 0 if there is none. The body is good until it
// is taken.
func (r *Reader) Next() (wire.Kind, []byte) {
	word := r.Look()
	r.Ack = WordAcknowledgement(word)
	return WordKind(word), r.Body(WordBody(word))
}

// Look returns the word of the next record, 0 if there is none.
func (r *Reader) Look() uint64 {
	if r.lined = r.IsLined(); r.lined {
		return r.Common.Word.Load()
	}
	word := r.At(r.Tail).Load()
	if WordKind(word) == wire.Skip {
		r.Tail += recordBytes(WordBody(word))
		word = r.At(r.Tail).Load()
	}
	if r.lined = word != 0 && r.IsLined(); r.lined { // it was written before
		return r.Common.Word.Load()
	}
	return word
}

// IsLined reports whether the common line has a record that was not taken.
func (r *Reader) IsLined() bool { return wordTurn(r.Common.Word.Load()) != r.Lines&1 }

// Body returns the first n bytes of the body of the record that look has found.
func (r *Reader) Body(n int) []byte {
	if r.lined {
		return r.Common.Body[:n]
	}
	return r.data[r.Tail&r.mask+WordBytes:][:n]
}

// Short returns the body of the record that look has found, if that is one of a grain.
func (r *Reader) Short() *ShortBody {
	if r.lined {
		return &r.Common.Body
	}
	return shortBodyOf(r.data, r.Tail&r.mask)
}

// HasRecord reports whether the ring has a record that was not taken.
func (r *Reader) HasRecord() bool { return r.At(r.Tail).Load() != 0 }

// Waits reports whether there is a record, in the common line or in the ring.
func (r *Reader) Waits() bool { return r.IsLined() || r.HasRecord() }

// End returns the position behind a record with a body of n bytes that look has found. One of
// the common line has none in the ring; it gets one at which no other record ends.
func (r *Reader) End(n int) uint64 {
	if r.lined {
		return r.Tail + 1
	}
	return r.Tail + recordBytes(n)
}

// Take gives the room of the record back that look has found. The sender can see that when
// enough has come together, which take reports, or by flush.
func (r *Reader) Take(n int) bool {
	if r.lined {
		r.Lines++
		return false
	}
	r.Tail = r.End(n)
	return r.Tail-r.published >= uint64(len(r.data)/8) && r.Flush()
}

// Flush lets the sender see what has been taken, and reports whether that is more.
func (r *Reader) Flush() bool {
	if r.published == r.Tail {
		return false
	}
	r.published = r.Tail
	if r.fenced {
		r.Pair.tail.Store(r.Tail)
	} else {
		StoreRelease(&r.Pair.tail, r.Tail)
	}
	return true
}

// recordBytes returns the room that a record with a body of n bytes takes.
func recordBytes(n int) uint64 {
	return (uint64(n) + WordBytes + grainBytes - 1) &^ (grainBytes - 1)
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

// MpiHead is what package mpi may set before a message, in bytes.
const MpiHead = 64

// MostEager is the longest message for which records have room, in bytes.
const MostEager = 16 << 10
