package window

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/wordlock"
	"musubi/rma"
)

// Where the processors of all ranks of a window reach its memory, each rank combines elements by itself, so that the
// target need not make progress. It holds a word meanwhile, which lies behind those of the lock of the target's memory. All
// accumulates of the window go this way, those of a rank to itself included, or all go by messages.

// nearMemory is the memory of a rank that this one reaches.
type nearMemory struct {
	bytes []byte
	lock  *nearLock
}

// nearLock is the lock of a rank in words.
type nearLock [lockBytes / wordBytes]atomic.Int64

// heldWord is the word of a lock that is 1 while somebody combines elements, behind those that package wordlock uses.
const heldWord = lockBytes/wordBytes - 1

// held is that word.
func (l *nearLock) held() *atomic.Int64 { return &l[heldWord] }

// state is the word that says who has the lock.
func (l *nearLock) state() *atomic.Int64 { return &l[wordlock.State] }

// change changes a word as a step says, and returns what it was.
func (l *nearLock) change(s wordlock.Step) int64 {
	word := &l[s.Word]
	if s.Do == wordlock.Swap {
		return word.Swap(s.Operand)
	}
	for {
		switch was := word.Load(); {
		case was != s.Expected:
			return was
		case word.CompareAndSwap(was, s.Operand):
			return was
		}
	}
}

// isNear reports whether the processors of ranks that share memory with this one reach its memory of the window.
func (w *Window) isNear() bool {
	p, ok := w.e.Process.(rma.SharedMemory)
	if !ok || w.all.unordered == nil || w.e.Records() || !shares(w.C) || w.ownLock.segment == noSegment {
		return false
	}
	if _, err := p.SharedBy(w.e.Rank, int(w.ownLock.segment)); err != nil {
		return false
	}
	_, err := p.SharedBy(w.e.Rank, w.segment)
	return len(w.Memory) == 0 || err == nil
}

// findNear finds the memory of all ranks, if they all say that it is near.
func (w *Window) findNear(call string) error {
	if slices.ContainsFunc(w.places, func(p extent) bool { return !p.Near }) {
		return nil
	}
	p := w.e.Process.(rma.SharedMemory)
	w.near = make([]nearMemory, len(w.places))
	for rank, place := range w.places {
		process := int(w.C.Process(rank))
		words, err := p.SharedBy(process, int(place.lock.segment))
		if err != nil {
			return w.fail(call, err)
		}
		w.near[rank].lock = (*nearLock)(unsafe.Pointer(&words[int(place.lock.slot)*lockBytes]))
		if place.Length == 0 {
			continue
		}
		if w.near[rank].bytes, err = p.SharedBy(process, int(place.Segment)); err != nil {
			return w.fail(call, err)
		}
	}
	return nil
}

// mostAtOnce is how many bytes an access has at most that is an instruction or a few. Longer ones are for the machine, which
// knows how to copy them.
const mostAtOnce = 256

// memoryAtOnce returns where some bytes of a rank lie that this one may access by itself, as all memory is near and it has the lock;
// nil: it may not.
func (w *Window) memoryAtOnce(p *peer, at, bytes int) []byte {
	if p.lock == noLock || bytes > mostAtOnce {
		return nil
	}
	return w.near[p.rank].bytes[at*w.element:][:bytes]
}

// completeAtOnce lets all ranks see what this one has written by itself, before it looks at anything else. The release of
// a lock does that, too.
func (w *Window) completeAtOnce() {
	if w.wrote {
		w.wrote = false
		w.fence.Swap(0)
	}
}

// hold waits until nobody else combines elements of a rank, and keeps others from it. At times it makes progress before. Where the
// wait takes long, it is a matter of the machine, which knows whether ranks share processors, and whether the other one has gone.
func (w *Window) hold(call string, p *peer) error {
	const atOnce = 100
	if err := w.pollSometimes(call); err != nil {
		return err
	}
	held := w.near[p.rank].lock.held()
	for range atOnce {
		if held.CompareAndSwap(0, 1) {
			return nil
		}
	}
	lock, was := w.places[p.rank].lock, int64(1)
	place := rma.Address{Rank: int(p.process), Segment: int(lock.segment), Offset: int(lock.slot)*lockBytes + heldWord*wordBytes}
	for was != 0 {
		op, err := w.all.atomics.CompareSwap(place, 0, 1, &was)
		if err = w.endFetch(call, p, op, err); err != nil {
			return err
		}
	}
	return nil
}

// combineNear combines the elements of a rank that a type names with data, and copies the old ones if was is not nil.
func (w *Window) combineNear(call string, p *peer, at int, there *datatype.Type, data, was []byte, op reduction.ID) error {
	if err := w.hold(call, p); err != nil {
		return err
	}
	defer w.near[p.rank].lock.held().Store(0)
	memory, apply := w.near[p.rank].bytes[at*w.element:], reduction.Of(op, w.kindNow())
	for i := range there.Runs() {
		r := there.Run(i)
		elements := memory[r.At:][:r.Bytes]
		if was != nil {
			was = was[copy(was, elements):]
		}
		if op != reduction.NoOpID && r.Bytes > 0 {
			apply(data[:r.Bytes], elements)
			data = data[r.Bytes:]
		}
	}
	return nil
}

// swapNear replaces an element of a rank if it is the expected one.
func (w *Window) swapNear(call string, p *peer, at int, expected, replacement, was []byte) error {
	if err := w.hold(call, p); err != nil {
		return err
	}
	defer w.near[p.rank].lock.held().Store(0)
	element := w.near[p.rank].bytes[at*w.element:][:len(expected)]
	copy(was, element)
	if string(element) == string(expected) {
		copy(element, replacement)
	}
	return nil
}
