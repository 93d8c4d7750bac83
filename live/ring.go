package live

import (
	"sync/atomic"
	"unsafe"
)

// A ring carries records from one sender to one receiver. A record is a word and a
// body, which begins behind it; it takes whole grains, half a cache line each, so that a
// short one goes from one processor to the other at once, and two of a stream of them
// together. From the lowest bit the word has
//
//	what the sender has taken of the ring in the other direction 32 bits, bytes of the
//	body 24, kind 8.
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
	kindShift  = 56
)

func recordWord(k kind, n int, ack uint32) uint64 {
	return uint64(k)<<kindShift | uint64(n)<<bytesShift | uint64(ack)
}

func wordBody(word uint64) int { return int(word >> bytesShift & (1<<24 - 1)) }

// kind of a record. Zero means that there is none.
type kind uint8

const (
	kindSkip    kind = 1 + iota
	kindWhole        // address and data of a push
	kindPush         // address, total, layout, and the first part of the data of a push
	kindMore         // further data of a push
	kindFarPush      // address, and where the data is
	kindMessage      // a message
	kindPacket       // a packet of a message that needs several
	kindPull         // address
	kindFarPull      // address, and where the data is to go
	kindAnswer       // data that a pull has asked for
	kindModify       // address of a word, and what is to be done to it
	kindResult       // what a word was before that
)

// writer is the sending end of a ring. Counts are bytes since the job began.
type writer struct {
	data   []byte
	pair   *pairState
	head   uint64
	clear  uint64 // from head to here the words of grains are 0
	tail   uint64 // all before it is known to have been taken
	clean  uint64 // no operation that ends up to here has a failure that was not collected
	fenced bool   // the receiver may sleep, so what is published must be seen before its word is read
}

// maxBody returns the bytes of the longest body: such that a skip and the record
// always fit into an empty ring, and that sender and receiver can work at once.
func (w *writer) maxBody() int { return min(len(w.data)/4, mostBytes) - wordBytes }

// reserve returns room for a body of n bytes, or nil if there is none now.
func (w *writer) reserve(n int) []byte {
	need := recordBytes(n)
	at := w.head & uint64(len(w.data)-1)
	skip := uint64(0)
	if at+need > uint64(len(w.data)) {
		skip = uint64(len(w.data)) - at
	}
	if !w.fits(skip + need + grainBytes) {
		return nil
	}
	if skip > 0 {
		w.append(skip, recordWord(kindSkip, int(skip)-wordBytes, 0))
		at = 0
	}
	return w.data[at+wordBytes:][:n:n]
}

// fits reports whether n bytes are free.
func (w *writer) fits(n uint64) bool {
	if w.head-w.tail+n <= uint64(len(w.data)) {
		return true
	}
	w.tail = w.pair.tail.Load()
	return w.head-w.tail+n <= uint64(len(w.data))
}

// publish makes the record visible whose body of n bytes was reserved and has been
// written. ack is what was taken of the other ring.
func (w *writer) publish(k kind, n int, ack uint32) {
	w.append(recordBytes(n), recordWord(k, n, ack))
	for w.clear < w.head+aheadBytes && w.clear-w.tail < uint64(len(w.data)) {
		w.clearGrain()
	}
}

// append makes a record of n bytes visible.
func (w *writer) append(n, word uint64) {
	end := w.head + n
	if w.clear <= end {
		w.clear = end
		w.clearGrain()
	}
	w.store(w.word(w.head), word)
	w.head = end
}

// clearGrain clears the word of one more grain.
func (w *writer) clearGrain() {
	storeRelease(w.word(w.clear), 0)
	w.clear += grainBytes
}

func (w *writer) store(word *atomic.Uint64, value uint64) {
	if w.fenced {
		word.Store(value)
	} else {
		storeRelease(word, value)
	}
}

// acknowledge notes what a record from the other side says: the lower bits of what
// it has taken.
func (w *writer) acknowledge(ack uint32) {
	w.clean += uint64(ack - uint32(w.clean))
	w.tail = max(w.tail, w.clean)
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

func (w *writer) word(position uint64) *atomic.Uint64 { return wordAt(w.data, position) }

// reader is the receiving end of a ring.
type reader struct {
	data      []byte
	pair      *pairState
	tail      uint64 // all before it has been taken
	published uint64 // tail that the sender can see
	fenced    bool   // the sender may sleep; see writer
	ack       uint32 // of the record that next has returned
}

// next returns the next record, kind 0 if there is none. The body is good until it
// is taken.
func (r *reader) next() (kind, []byte) {
	for {
		word := wordAt(r.data, r.tail).Load()
		if word == 0 {
			return 0, nil
		}
		if k := kind(word >> kindShift); k != kindSkip {
			r.ack = uint32(word)
			return k, r.data[r.tail&uint64(len(r.data)-1)+wordBytes:][:wordBody(word)]
		}
		r.tail += recordBytes(wordBody(word))
	}
}

// waits reports whether there is a record.
func (r *reader) waits() bool { return wordAt(r.data, r.tail).Load() != 0 }

// end returns the position behind a record with a body of n bytes that is next.
func (r *reader) end(n int) uint64 { return r.tail + recordBytes(n) }

// take gives the room of the next record back. The sender can see that when enough has
// come together, which take reports, or by flush.
func (r *reader) take(n int) bool {
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

func wordAt(data []byte, position uint64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&data[position&uint64(len(data)-1)]))
}

// recordBytes returns the room that a record with a body of n bytes takes.
func recordBytes(n int) uint64 {
	return (uint64(n) + wordBytes + grainBytes - 1) &^ (grainBytes - 1)
}
