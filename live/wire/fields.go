package wire

import "encoding/binary"

// The fields of the kinds, in their order on the wire. All numbers are little-endian.
// Decoding takes them as they are: who does not trust the sender checks them.

// codec writes fields one after the other, or reads them.
type codec struct {
	b     []byte
	at    int
	reads bool
}

// word is a field of 8 bytes.
func (c *codec) word(v *uint64) {
	if c.reads {
		*v = binary.LittleEndian.Uint64(c.b[c.at:])
	} else {
		binary.LittleEndian.PutUint64(c.b[c.at:], *v)
	}
	c.at += 8
}

// half is a field of 4 bytes.
func (c *codec) half(v *uint32) {
	if c.reads {
		*v = binary.LittleEndian.Uint32(c.b[c.at:])
	} else {
		binary.LittleEndian.PutUint32(c.b[c.at:], *v)
	}
	c.at += 4
}

// unused is 4 bytes that are 0.
func (c *codec) unused() {
	zero := uint32(0)
	c.half(&zero)
}

// segment is the number of a segment in 4 bytes, which is below 0 if there can be none of that number.
func (c *codec) segment(v *int) {
	n := uint32(*v)
	c.half(&n)
	*v = int(int32(n))
}

// length is a number of bytes in 4 bytes.
func (c *codec) length(v *int) {
	n := uint32(*v)
	c.half(&n)
	*v = int(n)
}

// report is a code in 4 bytes and a hint.
func (c *codec) report(v *Report) {
	n := uint32(v.Code)
	c.half(&n)
	v.Code = Code(n)
	c.word(&v.Hint)
}

// WholeFields say where the data of a push belongs.
type WholeFields struct {
	Segment int
	Offset  uint64
}

func (f *WholeFields) code(c *codec) {
	c.segment(&f.Segment)
	c.unused()
	c.word(&f.Offset)
}

// PushFields say where the data of a push belongs, of which this is the first part.
type PushFields struct {
	Segment int
	Layout  int // bytes of the layout, which follows; 0: contiguous
	Offset  uint64
	Total   uint64 // bytes of the push
}

func (f *PushFields) code(c *codec) {
	c.segment(&f.Segment)
	c.length(&f.Layout)
	c.word(&f.Offset)
	c.word(&f.Total)
}

// FarFields say which memory of two processes one of them copies.
type FarFields struct {
	Segment int
	Offset  uint64
	Total   uint64
	Memory  uint64 // address in the memory of the sender
}

func (f *FarFields) code(c *codec) {
	c.segment(&f.Segment)
	c.unused()
	c.word(&f.Offset)
	c.word(&f.Total)
	c.word(&f.Memory)
}

// PacketFields say which part of a message follows.
type PacketFields struct {
	First, Last bool
	Total       uint64 // bytes of the message
}

const packetFirst, packetLast = 1, 2

func (f *PacketFields) code(c *codec) {
	flags := uint32(0)
	if f.First {
		flags |= packetFirst
	}
	if f.Last {
		flags |= packetLast
	}
	c.half(&flags)
	f.First, f.Last = flags&packetFirst != 0, flags&packetLast != 0
	c.unused()
	c.word(&f.Total)
}

// PullFields say which data is asked for, and for which operation.
type PullFields struct {
	Segment int
	Layout  int // bytes of the layout, which follows; 0: contiguous
	Offset  uint64
	Total   uint64
	Slot    uint32 // of the operation
}

func (f *PullFields) code(c *codec) {
	c.segment(&f.Segment)
	c.length(&f.Layout)
	c.word(&f.Offset)
	c.word(&f.Total)
	c.half(&f.Slot)
	c.unused()
}

// AnswerFields say where data belongs that an operation has asked for, or why it does not come.
type AnswerFields struct {
	Slot   uint32
	Failed Report
	At     uint64 // of the first byte, in the operation
}

func (f *AnswerFields) code(c *codec) {
	c.half(&f.Slot)
	c.report(&f.Failed)
	c.word(&f.At)
}

// NackFields say which operation has failed, and why.
type NackFields struct {
	Position uint64 // in the way to who says so, behind its last packet
	Failed   Report
}

func (f *NackFields) code(c *codec) {
	c.word(&f.Position)
	code := uint64(f.Failed.Code)
	c.word(&code)
	f.Failed.Code = Code(code)
	c.word(&f.Failed.Hint)
}

// ModifyFields say which word is to be changed, and for which operation.
type ModifyFields struct {
	Segment int
	Slot    uint32
	Offset  uint64
}

func (f *ModifyFields) code(c *codec) {
	c.segment(&f.Segment)
	c.half(&f.Slot)
	c.word(&f.Offset)
}

// ResultFields say what a word was, or why it was not changed.
type ResultFields struct {
	Slot   uint32
	Failed Report // without a code, its hint is what the word was
}

func (f *ResultFields) code(c *codec) {
	c.half(&f.Slot)
	c.report(&f.Failed)
}

// AccumulateFields say which words are to be changed and how, and for which operation.
type AccumulateFields struct {
	Segment int
	Slot    uint32
	Offset  uint64
	Total   uint64 // bytes of operands
	Change  uint64 // an encoded Combination
}

func (f *AccumulateFields) code(c *codec) {
	c.segment(&f.Segment)
	c.half(&f.Slot)
	c.word(&f.Offset)
	c.word(&f.Total)
	c.word(&f.Change)
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

// Encode writes the fields.
func (f *WholeFields) Encode(b []byte)      { f.code(&codec{b: b}) }
func (f *PushFields) Encode(b []byte)       { f.code(&codec{b: b}) }
func (f *FarFields) Encode(b []byte)        { f.code(&codec{b: b}) }
func (f *PacketFields) Encode(b []byte)     { f.code(&codec{b: b}) }
func (f *PullFields) Encode(b []byte)       { f.code(&codec{b: b}) }
func (f *AnswerFields) Encode(b []byte)     { f.code(&codec{b: b}) }
func (f *NackFields) Encode(b []byte)       { f.code(&codec{b: b}) }
func (f *ModifyFields) Encode(b []byte)     { f.code(&codec{b: b}) }
func (f *ResultFields) Encode(b []byte)     { f.code(&codec{b: b}) }
func (f *AccumulateFields) Encode(b []byte) { f.code(&codec{b: b}) }

// The functions that follow read fields.

func DecodeWhole(b []byte) (f WholeFields)           { f.code(&codec{b: b, reads: true}); return f }
func DecodePush(b []byte) (f PushFields)             { f.code(&codec{b: b, reads: true}); return f }
func DecodeFar(b []byte) (f FarFields)               { f.code(&codec{b: b, reads: true}); return f }
func DecodePacket(b []byte) (f PacketFields)         { f.code(&codec{b: b, reads: true}); return f }
func DecodePull(b []byte) (f PullFields)             { f.code(&codec{b: b, reads: true}); return f }
func DecodeAnswer(b []byte) (f AnswerFields)         { f.code(&codec{b: b, reads: true}); return f }
func DecodeNack(b []byte) (f NackFields)             { f.code(&codec{b: b, reads: true}); return f }
func DecodeModify(b []byte) (f ModifyFields)         { f.code(&codec{b: b, reads: true}); return f }
func DecodeResult(b []byte) (f ResultFields)         { f.code(&codec{b: b, reads: true}); return f }
func DecodeAccumulate(b []byte) (f AccumulateFields) { f.code(&codec{b: b, reads: true}); return f }
