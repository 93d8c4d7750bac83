package live

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
	wordBytes  = 8
	lineBytes  = 64
	grainBytes = lineBytes / 2
	aheadBytes = 8 * grainBytes                     // that are cleared behind the last record
	mostBytes  = eagerInRings + mpiHead + wordBytes // of a record, so that the receiver need not wait long for the first
	bytesShift = 32
	turnShift  = 55
	kindShift  = 56
	oddShift   = 63
)

// recordWord returns the word of a record. ack is what the sender has taken.
func recordWord(k wire.Kind, n int, ack acknowledgement) uint64 {
	return uint64(k)<<kindShift | uint64(n)<<bytesShift | uint64(ack)
}

func wordKind(word uint64) wire.Kind {
	return wire.Kind(word >> kindShift & (1<<(oddShift-kindShift) - 1))
}

func wordBody(word uint64) int { return int(word >> bytesShift & (1<<(turnShift-bytesShift) - 1)) }

// wordTurn is 1 if a record in the common line has an odd number.
func wordTurn(word uint64) uint64 { return word >> turnShift & 1 }

// acknowledgement is what a word says of the other direction, in the bits where it does.
type acknowledgement uint64

// acknowledgementOf says how much of the ring has been taken, and how many records of the
// common line.
func acknowledgementOf(taken, lines uint64) acknowledgement {
	return acknowledgement(lines<<oddShift | taken&(1<<bytesShift-1))
}

func wordAcknowledgement(word uint64) acknowledgement {
	return acknowledgement(word & (1<<oddShift | 1<<bytesShift - 1))
}

// ringWords is the memory of a ring, as the words of its grains.
type ringWords struct {
	begin unsafe.Pointer
	mask  uint64 // bytes less 1
}

func ringWordsOf(data []byte) ringWords {
	return ringWords{begin: unsafe.Pointer(unsafe.SliceData(data)), mask: uint64(len(data)) - 1}
}

// at returns the word at a position, which is always one of the ring.
func (g *ringWords) at(position uint64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(g.begin, position&g.mask))
}

// writer is the sending end of a ring. Counts are bytes since the job began.
type writer struct {
	ringWords
	data   []byte
	common *half
	most   int // bytes of the longest body
	pair   *pairState
	calls  *callers // of the receiver, until this rank has entered itself
	from   int      // this rank
	head   uint64
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
func newWriter(data []byte, common *half, pair *pairState, fenced bool) writer {
	return writer{ringWords: ringWordsOf(data), data: data, common: common, most: min(len(data)/4, mostBytes) - wordBytes, pair: pair, fenced: fenced}
}

// callFirst lets a rank enter itself before its first record. The ring seems to be full until
// then, so that nothing else has to look whether that was done.
func (w *writer) callFirst(c *callers, from int) {
	w.calls, w.from, w.tail = c, from, -uint64(len(w.data))
}

// reserve returns room for a body of n bytes, or nil if there is none now.
func (w *writer) reserve(n int) []byte {
	need := recordBytes(n)
	if rest := w.mask + 1 - w.head&w.mask; need > rest && !w.skip(rest, need) {
		return nil
	}
	if !w.fits(need + grainBytes) {
		return nil
	}
	return w.data[w.head&w.mask+wordBytes:][:n:n]
}

// skip fills up the rest of the ring, if a record that needs more has room behind that.
func (w *writer) skip(rest, need uint64) bool {
	if !w.fits(rest + need + grainBytes) {
		return false
	}
	w.append(rest, recordWord(wire.Skip, int(rest)-wordBytes, 0))
	return true
}

// fits reports whether n bytes are free.
func (w *writer) fits(n uint64) bool { return w.head-w.tail+n <= w.mask+1 || w.fitsNow(n) }

// fitsNow is fits that looks what the receiver has taken meanwhile.
func (w *writer) fitsNow(n uint64) bool {
	if w.calls != nil {
		w.calls.enter(w.from)
		w.calls = nil
	}
	w.tail = w.pair.tail.Load()
	return w.head-w.tail+n <= w.mask+1
}

// publish makes the record visible whose body of n bytes was reserved and has been
// written. ack is what was taken of the other direction.
func (w *writer) publish(k wire.Kind, n int, ack acknowledgement) {
	w.append(recordBytes(n), recordWord(k, n, ack))
	w.last = n
	for w.clear < w.head+aheadBytes && w.clear-w.tail <= w.mask {
		w.clearGrain()
	}
}

// canSpeak reports whether a record can go by the common line: all before it are known to have
// been taken.
func (w *writer) canSpeak() bool { return w.head == w.tail && w.lines&1 == w.odd }

// speak makes a record of one grain visible by the common line.
func (w *writer) speak(word, head uint64, data []byte) {
	w.common.body.set(head, data)
	w.lines++
	w.store(&w.common.word, word|w.lines&1<<turnShift)
}

// publishGrain makes a record of one grain visible, if there is room. It never needs a skip.
func (w *writer) publishGrain(word, head uint64, data []byte) bool {
	if !w.fits(2 * grainBytes) {
		return false
	}
	shortBodyOf(w.data, w.head&w.mask).set(head, data)
	w.append(grainBytes, word)
	if w.clear < w.head+aheadBytes && w.clear-w.tail <= w.mask {
		w.clearGrain()
	}
	return true
}

// shortBodyOf returns the room behind the word at a place of a ring.
func shortBodyOf(data []byte, at uint64) *shortBody { return (*shortBody)(data[at+wordBytes:]) }

// append makes a record of n bytes visible.
func (w *writer) append(n, word uint64) {
	end := w.head + n
	if w.clear <= end {
		w.clear = end
		w.clearGrain()
	}
	w.store(w.at(w.head), word)
	w.head = end
}

// clearGrain clears the word of one more grain.
func (w *writer) clearGrain() {
	storeRelease(w.at(w.clear), 0)
	w.clear += grainBytes
}

func (w *writer) store(word *atomic.Uint64, value uint64) {
	if w.fenced {
		word.Store(value)
	} else {
		storeRelease(word, value)
	}
}

// acknowledge notes what the word of a record from the other side says: the lower bits of
// what it has taken.
func (w *writer) acknowledge(ack acknowledgement) {
	w.clean += uint64(uint32(ack) - uint32(w.clean))
	w.tail = max(w.tail, w.clean)
	w.odd = uint64(ack) >> oddShift
}

// taken reports whether the receiver has taken all before a position.
func (w *writer) taken(position uint64) bool {
	if w.tail < position {
		w.tail = w.pair.tail.Load()
	}
	return w.tail >= position
}

// isDone reports whether the other rank has done all before a position, or failed it.
func (w *writer) isDone(position uint64) bool { return w.clean >= position || w.taken(position) }

// reader is the receiving end of a ring.
type reader struct {
	ringWords
	data      []byte
	common    *half
	pair      *pairState
	tail      uint64          // all before it has been taken
	published uint64          // tail that the sender can see
	lines     uint64          // records that were taken from the common line
	lined     bool            // the next record is there
	fenced    bool            // the sender may sleep; see writer
	ack       acknowledgement // of the record that next has returned
}

func newReader(data []byte, common *half, pair *pairState, fenced bool) reader {
	return reader{ringWords: ringWordsOf(data), data: data, common: common, pair: pair, fenced: fenced}
}

// next returns the next record, kind 0 if there is none. The body is good until it
// is taken.
func (r *reader) next() (wire.Kind, []byte) {
	word := r.look()
	r.ack = wordAcknowledgement(word)
	return wordKind(word), r.body(wordBody(word))
}

// look returns the word of the next record, 0 if there is none.
func (r *reader) look() uint64 {
	if r.lined = r.isLined(); r.lined {
		return r.common.word.Load()
	}
	word := r.at(r.tail).Load()
	if wordKind(word) == wire.Skip {
		r.tail += recordBytes(wordBody(word))
		word = r.at(r.tail).Load()
	}
	if r.lined = word != 0 && r.isLined(); r.lined { // it was written before
		return r.common.word.Load()
	}
	return word
}

// isLined reports whether the common line has a record that was not taken.
func (r *reader) isLined() bool { return wordTurn(r.common.word.Load()) != r.lines&1 }

// body returns the first n bytes of the body of the record that look has found.
func (r *reader) body(n int) []byte {
	if r.lined {
		return r.common.body[:n]
	}
	return r.data[r.tail&r.mask+wordBytes:][:n]
}

// short returns the body of the record that look has found, if that is one of a grain.
func (r *reader) short() *shortBody {
	if r.lined {
		return &r.common.body
	}
	return shortBodyOf(r.data, r.tail&r.mask)
}

// waits reports whether there is a record.
func (r *reader) waits() bool { return r.isLined() || r.at(r.tail).Load() != 0 }

// end returns the position behind a record with a body of n bytes that look has found. One of
// the common line has none in the ring; it gets one at which no other record ends.
func (r *reader) end(n int) uint64 {
	if r.lined {
		return r.tail + 1
	}
	return r.tail + recordBytes(n)
}

// take gives the room of the record back that look has found. The sender can see that when
// enough has come together, which take reports, or by flush.
func (r *reader) take(n int) bool {
	if r.lined {
		r.lines++
		return false
	}
	r.tail = r.end(n)
	return r.tail-r.published >= uint64(len(r.data)/8) && r.flush()
}

// flush lets the sender see what has been taken, and reports whether that is more.
func (r *reader) flush() bool {
	if r.published == r.tail {
		return false
	}
	r.published = r.tail
	if r.fenced {
		r.pair.tail.Store(r.tail)
	} else {
		storeRelease(&r.pair.tail, r.tail)
	}
	return true
}

// recordBytes returns the room that a record with a body of n bytes takes.
func recordBytes(n int) uint64 {
	return (uint64(n) + wordBytes + grainBytes - 1) &^ (grainBytes - 1)
}
