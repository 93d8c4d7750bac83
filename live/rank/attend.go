package rank

import (
	"musubi/live/wire"
	"musubi/onesided"
)

// Short accesses of other groups to memory that this rank exposes need no call of its program: they are
// done beside it while it computes, in their order with all else that comes by the same stream.

// mostAttended is how much is read beside the rank at once: more is sent as its data is acknowledged.
const mostAttended = 64 << 10

// Attend implements tcp.Receiver. What cannot be done is left to the rank, which says why.
func (in *inlet) Attend(k wire.Kind, body []byte, answer func(*wire.Transfer)) bool {
	if in.check(k, body, false) != nil {
		return false
	}
	switch k {
	case wire.Whole:
		f, data := wire.DecodeWhole(body), body[wire.WholeBytes:]
		return in.commands.Reach(f.Segment, f.Offset, uint64(len(data)), func(memory []byte) bool {
			copy(memory, data)
			return true
		})
	case wire.Pull:
		f := wire.DecodePull(body)
		return f.Layout == 0 && f.Total <= mostAttended && in.commands.Reach(f.Segment, f.Offset, f.Total, func(memory []byte) bool {
			answer(&wire.Transfer{Kind: wire.Answer, Slot: f.Slot, Data: memory, Total: len(memory)})
			return true
		})
	case wire.Modify:
		return in.attendModify(body, answer)
	}
	return false
}

// attendModify changes a word.
func (in *inlet) attendModify(body []byte, answer func(*wire.Transfer)) bool {
	f := wire.DecodeModify(body)
	change, err := onesided.ParseAtomic(body[wire.ModifyBytes:])
	return err == nil && in.commands.Reach(f.Segment, f.Offset, onesided.WordSize, func(memory []byte) bool {
		word, refused := firstWord(memory, f.Offset)
		if refused.Code != 0 {
			return false
		}
		was := wire.Report{Hint: uint64(modifyWord(word, &change))}
		answer(&wire.Transfer{Kind: wire.Result, Slot: f.Slot, Failed: was})
		return true
	})
}
