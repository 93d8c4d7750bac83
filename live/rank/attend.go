package rank

import (
	"sync/atomic"

	"musubi/live/queue"
	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/onesided"
)

// Short accesses of other groups to windows of this rank need no call of its program: they are done beside
// it while it computes, in their order with all else that comes by the same stream. What else it exposes it
// may read without a call, so only calls of its own write there.

// beside is what is used beside the rank.
type beside struct {
	commands *queue.Queues
	windows  windowSet
}

// windowSet is which segments of a rank are windows.
type windowSet [shm.MaxWindows / 64]atomic.Uint64

func (w *windowSet) add(segment int) {
	if segment < shm.MaxWindows {
		w[segment/64].Or(1 << (segment % 64))
	}
}

func (w *windowSet) remove(segment int) {
	if segment < shm.MaxWindows {
		w[segment/64].And(^(uint64(1) << (segment % 64)))
	}
}

func (w *windowSet) has(segment int) bool {
	return uint(segment) < shm.MaxWindows && w[segment/64].Load()>>(segment%64)&1 != 0
}

// mostAttended is how much is read beside the rank at once: more is sent as its data is acknowledged.
const mostAttended = 64 << 10

// Attend implements tcp.Receiver. What cannot be done is left to the rank, which says why.
func (in *inlet) Attend(k wire.Kind, body []byte, answer func(*wire.Transfer)) bool {
	switch k {
	case wire.Whole, wire.Pull, wire.Modify: // checks of others look at what the rank changes
	default:
		return false
	}
	if in.check(k, body, false) != nil {
		return false
	}
	switch k {
	case wire.Whole:
		f, data := wire.DecodeWhole(body), body[wire.WholeBytes:]
		return in.reach(f.Segment, f.Offset, uint64(len(data)), func(memory []byte) bool {
			copy(memory, data)
			return true
		})
	case wire.Pull:
		f := wire.DecodePull(body)
		return f.Layout == 0 && f.Total <= mostAttended && in.reach(f.Segment, f.Offset, f.Total, func(memory []byte) bool {
			answer(&wire.Transfer{Kind: wire.Answer, Slot: f.Slot, Data: memory, Total: len(memory)})
			return true
		})
	case wire.Modify:
		return in.attendModify(body, answer)
	}
	return false
}

// reach lets something use n bytes of a window beside the rank, and reports whether it has.
func (in *inlet) reach(segment int, offset, n uint64, use func(memory []byte) bool) bool {
	return in.beside.windows.has(segment) && in.beside.commands.Reach(segment, offset, n, use)
}

// attendModify changes a word.
func (in *inlet) attendModify(body []byte, answer func(*wire.Transfer)) bool {
	f := wire.DecodeModify(body)
	change, err := onesided.ParseAtomic(body[wire.ModifyBytes:])
	return err == nil && in.reach(f.Segment, f.Offset, onesided.WordSize, func(memory []byte) bool {
		word, refused := firstWord(memory, f.Offset)
		if refused.Code != 0 {
			return false
		}
		was := wire.Report{Hint: uint64(modifyWord(word, &change))}
		answer(&wire.Transfer{Kind: wire.Result, Slot: f.Slot, Failed: was})
		return true
	})
}
