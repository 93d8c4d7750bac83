package shm

import "musubi/live/wire"

// Reader is the receiving end of a ring.
type Reader struct {
	ringWords
	ReaderState
	data   []byte
	Common *Half
	Pair   *PairState
	lined  bool // the next record is in the common line
	fenced bool // the sender may sleep; see writer
}

// ReaderState is how far a reader has come. Programs in C have the same type; see Lane.
type ReaderState struct {
	Tail      uint64 // all before it has been taken
	published uint64 // tail that the sender can see
	Lines     uint64 // records that were taken from the common line
}

func newReader(data []byte, common *Half, pair *PairState, fenced bool) Reader {
	return Reader{ringWords: ringWordsOf(data), data: data, Common: common, Pair: pair, fenced: fenced}
}

// Look returns the word of the next record, 0 if there is none. Its body is good until it is taken.
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
	return r.Tail-r.published >= r.flushBytes() && r.Flush()
}

// flushBytes is how much is taken before the sender sees it: part of the shortest lap, so that the sender
// can begin the next one.
func (r *Reader) flushBytes() uint64 { return uint64(min(len(r.data)/8, firstLap/4)) }

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
