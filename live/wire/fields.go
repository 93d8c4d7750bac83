package wire

import "encoding/binary"

// The fields of the kinds, and where each of them begins. All numbers are little-endian.
// Decoding takes them as they are: who does not trust the sender checks them.

// WholeFields say where the data of a push belongs.
type WholeFields struct {
	Segment int
	Offset  uint64
}

// Offsets of WholeFields, and their length.
const (
	wholeSegment = 0 // 4 bytes, and 4 unused
	wholeOffset  = 8
	WholeBytes   = 16
)

// Encode writes the fields.
func (f *WholeFields) Encode(b []byte) {
	binary.LittleEndian.PutUint64(b[wholeSegment:], uint64(uint32(f.Segment)))
	binary.LittleEndian.PutUint64(b[wholeOffset:], f.Offset)
}

// DecodeWhole reads WholeFields.
func DecodeWhole(b []byte) WholeFields {
	return WholeFields{Segment: segmentAt(b, wholeSegment), Offset: binary.LittleEndian.Uint64(b[wholeOffset:])}
}

// PushFields say where the data of a push belongs, of which this is the first part.
type PushFields struct {
	Segment int
	Layout  int // bytes of the layout, which follows; 0: contiguous
	Offset  uint64
	Total   uint64 // bytes of the push
}

// Offsets of PushFields, and their length.
const (
	pushSegment = 0
	pushLayout  = 4
	pushOffset  = 8
	pushTotal   = 16
	PushBytes   = 24
)

// Encode writes the fields.
func (f *PushFields) Encode(b []byte) {
	binary.LittleEndian.PutUint32(b[pushSegment:], uint32(f.Segment))
	binary.LittleEndian.PutUint32(b[pushLayout:], uint32(f.Layout))
	binary.LittleEndian.PutUint64(b[pushOffset:], f.Offset)
	binary.LittleEndian.PutUint64(b[pushTotal:], f.Total)
}

// DecodePush reads PushFields.
func DecodePush(b []byte) PushFields {
	return PushFields{
		Segment: segmentAt(b, pushSegment), Layout: int(binary.LittleEndian.Uint32(b[pushLayout:])),
		Offset: binary.LittleEndian.Uint64(b[pushOffset:]), Total: binary.LittleEndian.Uint64(b[pushTotal:]),
	}
}

// FarFields say which memory of two processes one of them copies.
type FarFields struct {
	Segment int
	Offset  uint64
	Total   uint64
	Memory  uint64 // address in the memory of the sender
}

// Offsets of FarFields, and their length.
const (
	farSegment = 0 // 4 bytes, and 4 unused
	farOffset  = 8
	farTotal   = 16
	farMemory  = 24
	FarBytes   = 32
)

// Encode writes the fields.
func (f *FarFields) Encode(b []byte) {
	binary.LittleEndian.PutUint64(b[farSegment:], uint64(uint32(f.Segment)))
	binary.LittleEndian.PutUint64(b[farOffset:], f.Offset)
	binary.LittleEndian.PutUint64(b[farTotal:], f.Total)
	binary.LittleEndian.PutUint64(b[farMemory:], f.Memory)
}

// DecodeFar reads FarFields.
func DecodeFar(b []byte) FarFields {
	return FarFields{
		Segment: segmentAt(b, farSegment), Offset: binary.LittleEndian.Uint64(b[farOffset:]),
		Total: binary.LittleEndian.Uint64(b[farTotal:]), Memory: binary.LittleEndian.Uint64(b[farMemory:]),
	}
}

// PacketFields say which part of a message follows.
type PacketFields struct {
	First, Last bool
	Total       uint64 // bytes of the message
}

// Offsets of PacketFields, and their length.
const (
	packetFlags = 0 // 1 byte, and 7 unused
	packetTotal = 8
	PacketBytes = 16
)

const packetFirst, packetLast = 1, 2

// Encode writes the fields.
func (f *PacketFields) Encode(b []byte) {
	flags := uint64(0)
	if f.First {
		flags |= packetFirst
	}
	if f.Last {
		flags |= packetLast
	}
	binary.LittleEndian.PutUint64(b[packetFlags:], flags)
	binary.LittleEndian.PutUint64(b[packetTotal:], f.Total)
}

// DecodePacket reads PacketFields.
func DecodePacket(b []byte) PacketFields {
	flags := b[packetFlags]
	return PacketFields{First: flags&packetFirst != 0, Last: flags&packetLast != 0, Total: binary.LittleEndian.Uint64(b[packetTotal:])}
}

// PullFields say which data is asked for, and for which operation.
type PullFields struct {
	Segment int
	Layout  int // bytes of the layout, which follows; 0: contiguous
	Offset  uint64
	Total   uint64
	Slot    uint32 // of the operation
}

// Offsets of PullFields, and their length.
const (
	pullSegment = 0
	pullLayout  = 4
	pullOffset  = 8
	pullTotal   = 16
	pullSlot    = 24 // 4 bytes, and 4 unused
	PullBytes   = 32
)

// Encode writes the fields.
func (f *PullFields) Encode(b []byte) {
	binary.LittleEndian.PutUint32(b[pullSegment:], uint32(f.Segment))
	binary.LittleEndian.PutUint32(b[pullLayout:], uint32(f.Layout))
	binary.LittleEndian.PutUint64(b[pullOffset:], f.Offset)
	binary.LittleEndian.PutUint64(b[pullTotal:], f.Total)
	binary.LittleEndian.PutUint64(b[pullSlot:], uint64(f.Slot))
}

// DecodePull reads PullFields.
func DecodePull(b []byte) PullFields {
	return PullFields{
		Segment: segmentAt(b, pullSegment), Layout: int(binary.LittleEndian.Uint32(b[pullLayout:])), Offset: binary.LittleEndian.Uint64(b[pullOffset:]),
		Total: binary.LittleEndian.Uint64(b[pullTotal:]), Slot: binary.LittleEndian.Uint32(b[pullSlot:]),
	}
}

// AnswerFields say where data belongs that an operation has asked for, or why it does not come.
type AnswerFields struct {
	Slot   uint32
	Failed Report
	At     uint64 // of the first byte, in the operation
}

// Offsets of AnswerFields, and their length.
const (
	answerSlot  = 0
	answerCode  = 4
	answerHint  = 8
	answerAt    = 16
	AnswerBytes = 24
)

// Encode writes the fields.
func (f *AnswerFields) Encode(b []byte) {
	binary.LittleEndian.PutUint32(b[answerSlot:], f.Slot)
	binary.LittleEndian.PutUint32(b[answerCode:], uint32(f.Failed.Code))
	binary.LittleEndian.PutUint64(b[answerHint:], f.Failed.Hint)
	binary.LittleEndian.PutUint64(b[answerAt:], f.At)
}

// DecodeAnswer reads AnswerFields.
func DecodeAnswer(b []byte) AnswerFields {
	return AnswerFields{
		Slot:   binary.LittleEndian.Uint32(b[answerSlot:]),
		Failed: Report{Code(binary.LittleEndian.Uint32(b[answerCode:])), binary.LittleEndian.Uint64(b[answerHint:])},
		At:     binary.LittleEndian.Uint64(b[answerAt:]),
	}
}

// NackFields say which operation has failed, and why.
type NackFields struct {
	Position uint64 // in the way to who says so, behind its last packet
	Failed   Report
}

// Offsets of NackFields, and their length.
const (
	nackPosition = 0
	nackCode     = 8
	nackHint     = 16
	NackBytes    = 24
)

// Encode writes the fields.
func (f *NackFields) Encode(b []byte) {
	binary.LittleEndian.PutUint64(b[nackPosition:], f.Position)
	binary.LittleEndian.PutUint64(b[nackCode:], uint64(f.Failed.Code))
	binary.LittleEndian.PutUint64(b[nackHint:], f.Failed.Hint)
}

// DecodeNack reads NackFields.
func DecodeNack(b []byte) NackFields {
	return NackFields{
		Position: binary.LittleEndian.Uint64(b[nackPosition:]),
		Failed:   Report{Code(binary.LittleEndian.Uint64(b[nackCode:])), binary.LittleEndian.Uint64(b[nackHint:])},
	}
}

// segmentAt reads the number of a segment, which is below 0 if there can be none of that number.
func segmentAt(b []byte, at int) int { return int(int32(binary.LittleEndian.Uint32(b[at:]))) }
