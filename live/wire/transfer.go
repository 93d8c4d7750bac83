package wire

import (
	"musubi/onesided"
	"unsafe"
)

// Part is the data of the longest part of a message that is sent in parts, in bytes.
const Part = 4 << 10

// Layout of memory. It is a pointer, so that transfers without are small; nil: contiguous.
type Layout = *onesided.Layout

// Transfer is something that one rank sends another, in one part or more.
type Transfer struct {
	Kind     Kind
	Slot     uint32 // of the operation; of answers: of the one at the target
	Segment  int
	Offset   int         // of answers: of the first byte, in the operation
	Data     []byte      // memory that is read; FarPush, FarPull: that the target reads or writes
	Gather   Layout      // of Data
	Target   []byte      // layout at the target, encoded; Modify: what to do to the word
	Change   Combination // Accumulate
	Total    int         // bytes to be moved
	Sent     int
	Begun    bool
	Fleeting bool   // Data is used for something else when the call that sends has returned
	Failed   Report // of answers; Result without a code: the hint is what the word was
}

// Answers reports whether the transfer is for an operation of the target.
func (t *Transfer) Answers() bool { return t.Kind == Answer || t.Kind == Result }

// IsOver reports whether all parts have been sent.
func (t *Transfer) IsOver() bool { return t.Begun && t.Sent >= t.Total }

// Next returns the kind of the next part, of which the body has at most some bytes.
func (t *Transfer) Next(most int) Kind {
	switch t.Kind {
	case Push:
		if t.Begun {
			return More
		}
		if t.Target == nil && WholeBytes+t.Total <= most {
			return Whole
		}
	case Message:
		if t.Total > most {
			return Packet
		}
	case Accumulate:
		if t.Begun {
			return Operands
		}
	}
	return t.Kind
}

// HeadBytes returns the length of what comes before the data in the next part.
func (t *Transfer) HeadBytes(k Kind) int { return k.FieldBytes() + t.targetBytes(k) }

func (t *Transfer) targetBytes(k Kind) int {
	if k == Push || k == Pull || k == Modify {
		return len(t.Target)
	}
	return 0
}

// DataBytes returns how many bytes of data the next part has, if there is room for some.
func (t *Transfer) DataBytes(k Kind, room int) int {
	left := t.Total - t.Sent
	switch k {
	case Pull, FarPull, FarPush, Modify, Result:
		return 0
	case Packet:
		return min(left, room, Part)
	case Accumulate, Operands:
		return min(left, WholeWords(room))
	}
	return min(left, room)
}

// PutHead writes what comes before n bytes of data in the next part.
func (t *Transfer) PutHead(k Kind, b []byte, n int) {
	offset, total := uint64(t.Offset), uint64(t.Total)
	switch k {
	case Whole:
		(&WholeFields{t.Segment, offset}).Encode(b)
	case Push:
		(&PushFields{t.Segment, len(t.Target), offset, total}).Encode(b)
	case FarPush, FarPull:
		(&FarFields{t.Segment, offset, total, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(t.Data))))}).Encode(b)
	case Packet:
		(&PacketFields{t.Sent == 0, t.Sent+n == t.Total, total}).Encode(b)
	case Pull:
		(&PullFields{t.Segment, len(t.Target), offset, total, t.Slot}).Encode(b)
	case Answer:
		(&AnswerFields{t.Slot, t.Failed, uint64(t.Offset + t.Sent)}).Encode(b)
	case Modify:
		(&ModifyFields{t.Segment, t.Slot, offset}).Encode(b)
	case Result:
		(&ResultFields{t.Slot, t.Failed}).Encode(b)
	case Accumulate:
		(&AccumulateFields{t.Segment, t.Slot, offset, total, t.Change.Encode()}).Encode(b)
	}
	if t.targetBytes(k) > 0 {
		copy(b[k.FieldBytes():], t.Target)
	}
}

// GatherInto copies the data that is next.
func (t *Transfer) GatherInto(b []byte) {
	if t.Gather == nil {
		copy(b, t.Data[t.Sent:])
		return
	}
	t.Gather.Gather(b, t.Data, t.Sent)
}

// Advance notes that the next part is written, with n bytes of data.
func (t *Transfer) Advance(k Kind, n int) {
	t.Begun = true
	switch k {
	case Pull, FarPull, FarPush:
		t.Sent = t.Total
	default:
		t.Sent += n
	}
}
