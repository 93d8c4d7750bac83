// Package envelope is the wire format of messages: the envelope before their data, as bytes and as
// fields.
package envelope

import (
	"encoding/binary"
	"fmt"

	"musubi/internal/phantom"
)

// Each IPush begins with an envelope, all numbers little-endian. That of an eager message whose
// sender does not wait is short, as each byte of it takes time on buses and links:
//
//	0  kind
//	1  context, 3 bytes
//	4  tag
//
// All that follows is data. Other messages begin with
//
//	 0  kind
//	 1  zero, 3 bytes
//	 4  context
//	 8  tag
//	12  id of the message at its sender; an answer repeats it
//	16  segment that the sender has exposed the data as, or how many later messages there are
//	20  zero
//	24  bytes of data, 8 bytes
//
// and the data of an eager one follows. The arrival names the sender.
const (
	Bytes      = 32
	ShortBytes = 8
)

// Kind of an envelope.
type Kind uint8

const (
	Eager       Kind = iota + 1 // a message with its data, and a short envelope
	EagerSync                   // a message with its data; its sender waits for an answer
	Request                     // a message whose data the receiver may pull, by the encoded layout behind the envelope
	Done                        // answer: the message has been matched, and pulled
	Failed                      // answer: pulling it has failed
	ForWindow                   // for a window; see package window
	Revoke                      // the sender takes back a message that it waits for, unless a receive has matched it
	Revoked                     // answer: it is taken back
	RevokeEager                 // the sender takes back an eager message that has Segment later ones with its tag, unless a receive has matched it
)

// Fields are the fields of an envelope.
type Fields struct {
	Kind    Kind
	Context uint32
	Tag     int32
	ID      uint32
	Segment uint32
	Bytes   int
}

// Encode writes the envelope to the beginning of a buffer.
func (v *Fields) Encode(b []byte) {
	binary.LittleEndian.PutUint32(b, uint32(v.Kind))
	binary.LittleEndian.PutUint32(b[4:], v.Context)
	binary.LittleEndian.PutUint32(b[8:], uint32(v.Tag))
	binary.LittleEndian.PutUint32(b[12:], v.ID)
	binary.LittleEndian.PutUint32(b[16:], v.Segment)
	binary.LittleEndian.PutUint32(b[20:], 0)
	binary.LittleEndian.PutUint64(b[24:], uint64(v.Bytes))
}

// IsMatched reports whether the envelope is of a message that a receive matches.
func (v *Fields) IsMatched() bool { return v.Kind <= Request }

// Word returns what an interface compares of such a message: its short envelope, but for the kind.
func (v *Fields) Word() Short { return ShortOf(v.Context, v.Tag) - Short(Eager) + Short(v.Kind) }

// DecodeCompared is Decode of a message that an interface has compared. Those with a long envelope
// have a word before it.
func DecodeCompared(b []byte) (Fields, []byte, error) {
	if ReadShort(b) == 0 && len(b) >= ShortBytes {
		b = b[ShortBytes:]
	}
	return Decode(b)
}

// Short is a short envelope, as a word. Zero is none.
type Short uint64

// ShortOf returns the short envelope of a message in a context with a tag.
func ShortOf(context uint32, tag int32) Short {
	return Short(Eager) | Short(context)<<8 | Short(uint32(tag))<<32
}

// Encode writes the envelope to the beginning of a buffer.
func (v Short) Encode(b []byte) { binary.LittleEndian.PutUint64(b, uint64(v)) }

// Context returns the context of the message.
func (v Short) Context() uint32 { return uint32(v) >> 8 }

// Tag returns the tag of the message.
func (v Short) Tag() int32 { return int32(v >> 32) }

// isIn reports whether there is a short envelope, and it has a context.
func (v Short) isIn(context uint32) bool { return v != 0 && v.Context() == context }

// fixedBits are the bits that are the same in all short envelopes: the kind, the bits of the context
// above the largest one, and the sign of the tag.
const fixedBits = 1<<63 | (1<<32 - maxContext<<8) | 1<<8 - 1

// ReadShort returns the short envelope that a message begins with; zero if it has none.
func ReadShort(b []byte) Short {
	if len(b) < ShortBytes {
		return 0
	}
	v := binary.LittleEndian.Uint64(b)
	if v&fixedBits != uint64(Eager) {
		return 0
	}
	return Short(v)
}

// Decode reads the envelope of a whole message, and returns the data behind it. It fails if neither
// Fields.Encode nor ShortOf can have made the envelope.
//
// Of a message whose data is phantom it reads the head.
func Decode(b []byte) (Fields, []byte, error) {
	head := phantom.Head(b)
	if v := ReadShort(head); v != 0 {
		data := b[ShortBytes:]
		return Fields{Kind: Eager, Context: v.Context(), Tag: v.Tag(), Bytes: len(data)}, data, nil
	}
	v, err := decodeLong(head, len(b))
	if err != nil {
		return v, nil, err
	}
	return v, b[Bytes:], nil
}

// decodeLong reads the long envelope that a message of n bytes begins with.
func decodeLong(b []byte, n int) (Fields, error) {
	if len(b) < Bytes {
		return Fields{}, fmt.Errorf("a message of %d bytes; expected an envelope of %d", n, Bytes)
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	bytes := binary.LittleEndian.Uint64(b[24:])
	v := Fields{Context: word(4), Tag: int32(word(8)), ID: word(12), Segment: word(16), Bytes: int(bytes)}
	switch k := word(0); {
	case k < uint32(EagerSync) || k > uint32(RevokeEager):
		return v, fmt.Errorf("an envelope of kind %d; expected %d to %d", k, EagerSync, RevokeEager)
	case v.Bytes < 0:
		return v, fmt.Errorf("an envelope of %d bytes", bytes)
	default:
		v.Kind = Kind(k)
	}
	if word(20) != 0 || v.Tag < 0 || v.Context >= maxContext || v.Segment > maxSegment {
		return v, fmt.Errorf("an envelope with tag %d, context %d and segment %d; expected no such", v.Tag, v.Context, v.Segment)
	}
	follow := 0
	switch v.Kind {
	case EagerSync, ForWindow:
		follow = v.Bytes
	case Request: // a layout, or nothing
		follow = n - Bytes
	}
	if n-Bytes != follow {
		return v, fmt.Errorf("an envelope of %d bytes of data, followed by %d; expected %d", v.Bytes, n-Bytes, follow)
	}
	return v, nil
}

// Limits of what envelopes can name.
const (
	maxContext = 1 << 20 // two for each communicator
	maxSegment = 1<<31 - 1
)

// anyTag is match.AnyTag, which no envelope has.
const anyTag = -1

// IsFor reports whether a message begins with a short envelope that matches a context and a tag,
// which may be match.AnyTag.
func IsFor(data []byte, context uint32, tag int32) bool {
	return len(data) >= ShortBytes && binary.LittleEndian.Uint64(data) == uint64(ShortOf(context, tag)) || tag == anyTag && ReadShort(data).isIn(context)
}
