package window

import (
	"fmt"
	"unsafe"

	"musubi/mpi/internal/wordlock"
	"musubi/rma"
)

// Where all ranks of a window are rma.Atomics, the lock of each lies in words that the others change,
// so that an owner that computes does not keep them waiting for each other. Otherwise, and in dynamic
// windows, owners grant locks by messages.

// lockBytes is what a lock takes: lines of caches of its own.
const (
	lockBytes     = 64
	locksTogether = 64
)

// lockPlace is where the lock of a rank lies. Its segment is noSegment if it has no words.
type lockPlace struct {
	segment int32
	slot    uint16
}

// lockWords is memory for the locks of windows. The words of a lock that nobody uses are zero.
type lockWords struct {
	segments []int32
	free     []lockPlace
}

// take returns a place for a lock, and exposes more memory if need be.
func (l *lockWords) take(p rma.Process) lockPlace {
	if len(l.free) == 0 {
		segment := int32(exposeWords(p, locksTogether*lockBytes))
		l.segments = append(l.segments, segment)
		for slot := locksTogether - 1; slot >= 0; slot-- {
			l.free = append(l.free, lockPlace{segment, uint16(slot)})
		}
	}
	last := len(l.free) - 1
	place := l.free[last]
	l.free = l.free[:last]
	return place
}

// exposeWords exposes memory that begins at a word and is zero: of the interface, if it has any.
func exposeWords(p rma.Process, bytes int) int {
	segment, memory, err := p.ExposeWindow(bytes)
	if err != nil {
		words := make([]uint64, bytes/wordBytes)
		return p.Expose(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), bytes))
	}
	clear(memory)
	return segment
}

func (l *lockWords) giveBack(place lockPlace) { l.free = append(l.free, place) }

// takeLock takes words for the lock of this rank, if all are expected to change them.
func (w *Window) takeLock() lockPlace {
	if w.all.atomics != nil && w.C.Size() <= wordlock.MostRanks {
		w.ownLock = w.all.locks.take(w.e.Process)
	}
	return w.ownLock
}

// claim acquires or releases the lock of a peer, as its claim says.
func (w *Window) claim(call string, p *peer) error {
	c := &p.claim
	for {
		var err error
		switch s := c.Next(); s.Do {
		case wordlock.Nothing:
			return nil
		case wordlock.Await:
			err = w.block(call, p)
		case wordlock.Tell:
			err = w.fail(call, w.peer(s.To).sendAbout(lockMessages[s.Message], uint32(p.rank)))
			c.Told()
		default:
			err = w.changeLock(call, p, s)
		}
		if err != nil {
			return err
		}
	}
}

// lockMessages are the kinds of messages about locks in words.
var lockMessages = [...]messageKind{wordlock.Behind: lockBehind, wordlock.Turn: lockTurn, wordlock.Granted: lockPassed}

// changeLock changes a word of the lock of a peer, and waits for what it was. Nobody waits for these words but by messages,
// so that a rank that reaches them needs no more than an instruction.
func (w *Window) changeLock(call string, p *peer, s wordlock.Step) (err error) {
	if w.near != nil {
		p.claim.Changed(w.near[p.rank].lock.change(s))
		return w.pollSometimes(call)
	}
	lock, was := w.places[p.rank].lock, &w.all.lockWas
	place := rma.Address{Rank: int(p.process), Segment: int(lock.segment), Offset: int(lock.slot)*lockBytes + s.Word*wordBytes}
	var op rma.Op
	if s.Do == wordlock.Swap {
		op, err = w.all.atomics.FetchOp(place, rma.Replace, s.Operand, was)
	} else {
		op, err = w.all.atomics.CompareSwap(place, s.Expected, s.Operand, was)
	}
	if op != 0 || err != nil {
		if err := w.endFetch(call, p, op, err); err != nil {
			return err
		}
	}
	p.claim.Changed(*was)
	return nil
}

// handleLockWord takes what another rank says of the lock of a rank.
func (w *Window) handleLockWord(from *peer, id uint32, kind messageKind) error {
	if !w.locksInWords || id >= uint32(len(w.places)) {
		return fmt.Errorf("a message about the lock of rank %d of a window, which is not in words", id)
	}
	for m, of := range lockMessages {
		if of == kind && w.peer(int(id)).claim.Hear(from.rank, wordlock.Message(m)) {
			return nil
		}
	}
	return fmt.Errorf("a message of kind %d about the lock of rank %d of a window, which this rank did not expect", kind, id)
}
