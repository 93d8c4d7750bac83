package ways

import "math"

// Ways that are kept from one pass to the next take most of the memory of a balanced routing, so they are packed: what follows
// from the rest is left out, and numbers are short where they can be.

// packed is ways to be unpacked.
type packed interface{ unpack(w *Ways) }

// words are ways in words of some length, where each place begins behind the moves of the one before, and those without moves
// are last.
type words[T uint16 | uint32] struct {
	entry  []T // one more than in Ways
	states []T
	moves  []packedMove[T]
	begins []uint8 // as in Ways
	inner  int32   // as well
}

type packedMove[T uint16 | uint32] struct{ channel, to T }

// pack returns ways without what unpack finds out; nil if it would find something else.
func (w *Ways) pack() packed {
	if !w.isPlain() {
		return nil
	}
	if w.isShort() {
		return packAs[uint16](w)
	}
	return packAs[uint32](w)
}

// isPlain reports whether the first moves of places follow from where places begin.
func (w *Ways) isPlain() bool {
	x := 0
	for i, begin := range w.begins {
		if begin == 0 {
			continue
		}
		if w.first[x] != int32(i) {
			return false
		}
		x++
	}
	for ; x < len(w.first); x++ {
		if int(w.first[x]) != len(w.moves) {
			return false
		}
	}
	return true
}

// isShort reports whether all numbers have 16 bits.
func (w *Ways) isShort() bool {
	most := int32(len(w.State)) // places have lower ones
	for _, state := range w.State {
		most = max(most, state)
	}
	for _, m := range w.moves {
		most = max(most, m.Channel)
	}
	return most <= math.MaxUint16
}

// packedBytes returns at most how much memory packed ways take.
func (w *Ways) packedBytes() int { return 4*(len(w.Entry)+len(w.State)) + 9*len(w.moves) }

func packAs[T uint16 | uint32](w *Ways) *words[T] {
	p := &words[T]{entry: make([]T, len(w.Entry)), states: make([]T, len(w.State)), moves: make([]packedMove[T], len(w.moves)), begins: append([]uint8(nil), w.begins...), inner: w.inner}
	for k, x := range w.Entry {
		p.entry[k] = T(x + 1)
	}
	for x, state := range w.State {
		p.states[x] = T(state)
	}
	for i, m := range w.moves {
		p.moves[i] = packedMove[T]{T(m.Channel), T(m.To)}
	}
	return p
}

func (p *words[T]) unpack(w *Ways) {
	places, moves := len(p.states), len(p.moves)
	w.State, w.moves, w.begins, w.inner = resized(w.State, places), resized(w.moves, moves), append(w.begins[:0], p.begins...), p.inner
	w.Entry = resized(w.Entry, len(p.entry))
	for k, x := range p.entry {
		w.Entry[k] = int32(x) - 1
	}
	for x, state := range p.states {
		w.State[x] = int32(state)
	}
	for i, m := range p.moves {
		w.moves[i] = Move{int32(m.channel), int32(m.to)}
	}
	// Each move is taken for the first one of a place until that is known: a branch would be foreseen badly.
	w.first = resized(w.first, max(places, moves)+1)
	x := 0
	for i, begin := range p.begins {
		w.first[x] = int32(i)
		x += int(begin)
	}
	for ; x <= places; x++ {
		w.first[x] = int32(moves)
	}
	w.first = w.first[:places+1]
}

// resized returns a list of n elements, the same one if it has room.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}
