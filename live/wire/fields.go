package wire

import "encoding/binary"

// The fields of the kinds, in their order on the wire. All numbers are little-endian.
// Decoding takes them as they are: who does not trust the sender checks them.

// A kind has words of 8 bytes, of which some are two halves.

func putWord(b []byte, n int, v uint64) { binary.LittleEndian.PutUint64(b[8*n:], v) }

func putHalves(b []byte, n int, first, second uint32) {
	putWord(b, n, uint64(first)|uint64(second)<<32)
}

func word(b []byte, n int) uint64 { return binary.LittleEndian.Uint64(b[8*n:]) }

func firstHalf(b []byte, n int) uint32 { return binary.LittleEndian.Uint32(b[8*n:]) }

func secondHalf(b []byte, n int) uint32 { return binary.LittleEndian.Uint32(b[8*n+4:]) }

// segment is the number of a segment, which is below 0 if there can be none of that number. It
// comes first.
func segment(b []byte) int { return int(int32(firstHalf(b, 0))) }

// WholeFields say where the data of a push belongs.
type WholeFields struct {
	Segment int
	Offset  uint64
}

// Encode writes the fields.
func (f *WholeFields) Encode(b []byte) {
	putHalves(b, 0, uint32(f.Segment), 0)
	putWord(b, 1, f.Offset)
}

// DecodeWhole reads the fields.
func DecodeWhole(b []byte) WholeFields {
	return WholeFields{Segment: segment(b), Offset: word(b, 1)}
}

// PushFields say where the data of a push belongs, of which this is the first part.
type PushFields struct {
	Segment int
	Layout  int // bytes of the layout, which follows; 0: contiguous
	Offset  uint64
	Total   uint64 // bytes of the push
}

// Encode writes the fields.
func (f *PushFields) Encode(b []byte) {
	putHalves(b, 0, uint32(f.Segment), uint32(f.Layout))
	putWord(b, 1, f.Offset)
	putWord(b, 2, f.Total)
}

// DecodePush reads the fields.
func DecodePush(b []byte) PushFields {
	return PushFields{Segment: segment(b), Layout: int(secondHalf(b, 0)), Offset: word(b, 1), Total: word(b, 2)}
}

// FarFields say which memory of two processes one of them copies.
type FarFields struct {
	Segment int
	Offset  uint64
	Total   uint64
	Memory  uint64 // address in the memory of the sender
}

// Encode writes the fields.
func (f *FarFields) Encode(b []byte) {
	putHalves(b, 0, uint32(f.Segment), 0)
	putWord(b, 1, f.Offset)
	putWord(b, 2, f.Total)
	putWord(b, 3, f.Memory)
}

// DecodeFar reads the fields.
func DecodeFar(b []byte) FarFields {
	return FarFields{Segment: segment(b), Offset: word(b, 1), Total: word(b, 2), Memory: word(b, 3)}
}

// PacketFields say which part of a message follows.
type PacketFields struct {
	First, Last bool
	Total       uint64 // bytes of the message
}

const packetFirst, packetLast = 1, 2

// Encode writes the fields.
func (f *PacketFields) Encode(b []byte) {
	flags := uint32(0)
	if f.First {
		flags |= packetFirst
	}
	if f.Last {
		flags |= packetLast
	}
	putHalves(b, 0, flags, 0)
	putWord(b, 1, f.Total)
}

// DecodePacket reads the fields.
func DecodePacket(b []byte) PacketFields {
	flags := firstHalf(b, 0)
	return PacketFields{First: flags&packetFirst != 0, Last: flags&packetLast != 0, Total: word(b, 1)}
}

// PullFields say which data is asked for, and for which operation.
type PullFields struct {
	Segment int
	Layout  int // bytes of the layout, which follows; 0: contiguous
	Offset  uint64
	Total   uint64
	Slot    uint32 // of the operation
}

// Encode writes the fields.
func (f *PullFields) Encode(b []byte) {
	putHalves(b, 0, uint32(f.Segment), uint32(f.Layout))
	putWord(b, 1, f.Offset)
	putWord(b, 2, f.Total)
	putHalves(b, 3, f.Slot, 0)
}

// DecodePull reads the fields.
func DecodePull(b []byte) PullFields {
	return PullFields{
		Segment: segment(b), Layout: int(secondHalf(b, 0)), Offset: word(b, 1), Total: word(b, 2), Slot: firstHalf(b, 3),
	}
}

// AnswerFields say where data belongs that an operation has asked for, or why it does not come.
type AnswerFields struct {
	Slot   uint32
	Failed Report
	At     uint64 // of the first byte, in the operation
}

// Encode writes the fields.
func (f *AnswerFields) Encode(b []byte) {
	putHalves(b, 0, f.Slot, uint32(f.Failed.Code))
	putWord(b, 1, f.Failed.Hint)
	putWord(b, 2, f.At)
}

// DecodeAnswer reads the fields.
func DecodeAnswer(b []byte) AnswerFields {
	return AnswerFields{Slot: firstHalf(b, 0), Failed: Report{Code(secondHalf(b, 0)), word(b, 1)}, At: word(b, 2)}
}

// NackFields say which operation has failed, and why.
type NackFields struct {
	Position uint64 // in the way to who says so, behind its last packet
	Failed   Report
}

// Encode writes the fields.
func (f *NackFields) Encode(b []byte) {
	putWord(b, 0, f.Position)
	putWord(b, 1, uint64(f.Failed.Code))
	putWord(b, 2, f.Failed.Hint)
}

// DecodeNack reads the fields.
func DecodeNack(b []byte) NackFields {
	return NackFields{Position: word(b, 0), Failed: Report{Code(word(b, 1)), word(b, 2)}}
}

// ModifyFields say which word is to be changed, and for which operation.
type ModifyFields struct {
	Segment int
	Slot    uint32
	Offset  uint64
}

// Encode writes the fields.
func (f *ModifyFields) Encode(b []byte) {
	putHalves(b, 0, uint32(f.Segment), f.Slot)
	putWord(b, 1, f.Offset)
}

// DecodeModify reads the fields.
func DecodeModify(b []byte) ModifyFields {
	return ModifyFields{Segment: segment(b), Slot: secondHalf(b, 0), Offset: word(b, 1)}
}

// ResultFields say what a word was, or why it was not changed.
type ResultFields struct {
	Slot   uint32
	Failed Report // without a code, its hint is what the word was
}

// Encode writes the fields.
func (f *ResultFields) Encode(b []byte) {
	putHalves(b, 0, f.Slot, uint32(f.Failed.Code))
	putWord(b, 1, f.Failed.Hint)
}

// DecodeResult reads the fields.
func DecodeResult(b []byte) ResultFields {
	return ResultFields{Slot: firstHalf(b, 0), Failed: Report{Code(secondHalf(b, 0)), word(b, 1)}}
}

// AccumulateFields say which words are to be changed and how, and for which operation.
type AccumulateFields struct {
	Segment int
	Slot    uint32
	Offset  uint64
	Total   uint64 // bytes of operands
	Change  uint64 // an encoded Combination
}

// Encode writes the fields.
func (f *AccumulateFields) Encode(b []byte) {
	putHalves(b, 0, uint32(f.Segment), f.Slot)
	putWord(b, 1, f.Offset)
	putWord(b, 2, f.Total)
	putWord(b, 3, f.Change)
}

// DecodeAccumulate reads the fields.
func DecodeAccumulate(b []byte) AccumulateFields {
	return AccumulateFields{
		Segment: segment(b), Slot: secondHalf(b, 0), Offset: word(b, 1), Total: word(b, 2), Change: word(b, 3),
	}
}

// Lengths of the fields.
const (
	WholeBytes      = 16
	PushBytes       = 24
	FarBytes        = 32
	PacketBytes     = 16
	PullBytes       = 32
	AnswerBytes     = 24
	NackBytes       = 24
	ModifyBytes     = 16
	ResultBytes     = 16
	AccumulateBytes = 32
)
