package wire

import "encoding/binary"

// ModifyFields say which word is to be changed, and for which operation.
type ModifyFields struct {
	Segment int
	Slot    uint32
	Offset  uint64
}

// Offsets of ModifyFields, and their length.
const (
	modifySegment = 0
	modifySlot    = 4
	modifyOffset  = 8
	ModifyBytes   = 16
)

// Encode writes the fields.
func (f *ModifyFields) Encode(b []byte) {
	binary.LittleEndian.PutUint32(b[modifySegment:], uint32(f.Segment))
	binary.LittleEndian.PutUint32(b[modifySlot:], f.Slot)
	binary.LittleEndian.PutUint64(b[modifyOffset:], f.Offset)
}

// DecodeModify reads ModifyFields.
func DecodeModify(b []byte) ModifyFields {
	return ModifyFields{
		Segment: segmentAt(b, modifySegment), Slot: binary.LittleEndian.Uint32(b[modifySlot:]), Offset: binary.LittleEndian.Uint64(b[modifyOffset:]),
	}
}

// ResultFields say what a word was, or why it was not changed.
type ResultFields struct {
	Slot   uint32
	Failed Report // without a code, its hint is what the word was
}

// Offsets of ResultFields, and their length.
const (
	resultSlot  = 0
	resultCode  = 4
	resultHint  = 8
	ResultBytes = 16
)

// Encode writes the fields.
func (f *ResultFields) Encode(b []byte) {
	binary.LittleEndian.PutUint32(b[resultSlot:], f.Slot)
	binary.LittleEndian.PutUint32(b[resultCode:], uint32(f.Failed.Code))
	binary.LittleEndian.PutUint64(b[resultHint:], f.Failed.Hint)
}

// DecodeResult reads ResultFields.
func DecodeResult(b []byte) ResultFields {
	return ResultFields{
		Slot:   binary.LittleEndian.Uint32(b[resultSlot:]),
		Failed: Report{Code(binary.LittleEndian.Uint32(b[resultCode:])), binary.LittleEndian.Uint64(b[resultHint:])},
	}
}

// AccumulateFields say which words are to be changed and how, and for which operation.
type AccumulateFields struct {
	Segment int
	Slot    uint32
	Offset  uint64
	Total   uint64 // bytes of operands
	Change  uint64 // an encoded Combination
}

// Offsets of AccumulateFields, and their length.
const (
	accumulateSegment = 0
	accumulateSlot    = 4
	accumulateOffset  = 8
	accumulateTotal   = 16
	accumulateChange  = 24
	AccumulateBytes   = 32
)

// Encode writes the fields.
func (f *AccumulateFields) Encode(b []byte) {
	binary.LittleEndian.PutUint32(b[accumulateSegment:], uint32(f.Segment))
	binary.LittleEndian.PutUint32(b[accumulateSlot:], f.Slot)
	binary.LittleEndian.PutUint64(b[accumulateOffset:], f.Offset)
	binary.LittleEndian.PutUint64(b[accumulateTotal:], f.Total)
	binary.LittleEndian.PutUint64(b[accumulateChange:], f.Change)
}

// DecodeAccumulate reads AccumulateFields.
func DecodeAccumulate(b []byte) AccumulateFields {
	return AccumulateFields{
		Segment: segmentAt(b, accumulateSegment), Slot: binary.LittleEndian.Uint32(b[accumulateSlot:]),
		Offset: binary.LittleEndian.Uint64(b[accumulateOffset:]), Total: binary.LittleEndian.Uint64(b[accumulateTotal:]),
		Change: binary.LittleEndian.Uint64(b[accumulateChange:]),
	}
}
