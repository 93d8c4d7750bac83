package mpi

import (
	"encoding/binary"
	"fmt"
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
//	12  id: what the sender knows the message by; an answer repeats it
//	16  segment that the sender has exposed the data as
//	20  zero
//	24  bytes of data, 8 bytes
//
// and the data of an eager one follows. Who has sent it the arrival tells.
const (
	envelopeBytes = 32
	shortBytes    = 8
)

// kind of an envelope.
type kind uint8

const (
	eager     kind = iota + 1 // a message with its data, and a short envelope
	eagerSync                 // a message with its data; its sender waits for an answer
	request                   // a message whose data the receiver may pull
	done                      // answer: the message has been matched, and pulled
	failed                    // answer: pulling it has failed
	remote                    // for a window; see window_message.go
)

// envelope is what is known of a message before its data.
type envelope struct {
	kind    kind
	context uint32
	tag     int32
	id      uint32
	segment uint32
	bytes   int
}

// encode writes the envelope to the beginning of a buffer.
func (v *envelope) encode(b []byte) {
	binary.LittleEndian.PutUint32(b, uint32(v.kind))
	binary.LittleEndian.PutUint32(b[4:], v.context)
	binary.LittleEndian.PutUint32(b[8:], uint32(v.tag))
	binary.LittleEndian.PutUint32(b[12:], v.id)
	binary.LittleEndian.PutUint32(b[16:], v.segment)
	binary.LittleEndian.PutUint32(b[20:], 0)
	binary.LittleEndian.PutUint64(b[24:], uint64(v.bytes))
}

// shortEnvelope is a short envelope, as a word. Zero is none.
type shortEnvelope uint64

func shortOf(context uint32, tag int32) shortEnvelope {
	return shortEnvelope(eager) | shortEnvelope(context)<<8 | shortEnvelope(uint32(tag))<<32
}

// encode writes the envelope to the beginning of a buffer.
func (v shortEnvelope) encode(b []byte) { binary.LittleEndian.PutUint64(b, uint64(v)) }

func (v shortEnvelope) context() uint32 { return uint32(v) >> 8 }
func (v shortEnvelope) tag() int32      { return int32(v >> 32) }

// isIn reports whether it is one, and of a context.
func (v shortEnvelope) isIn(context uint32) bool { return v != 0 && v.context() == context }

// fixedBits are those that are the same in all short envelopes: of the kind, above the
// largest context, and the sign of the tag.
const fixedBits = 1<<63 | (1<<32 - maxContext<<8) | 1<<8 - 1

// readShort returns the short envelope that a message begins with; zero if it has none.
func readShort(b []byte) shortEnvelope {
	if len(b) < shortBytes {
		return 0
	}
	v := binary.LittleEndian.Uint64(b)
	if v&fixedBits != uint64(eager) {
		return 0
	}
	return shortEnvelope(v)
}

// decode reads the envelope of a whole message, and returns what follows it. It fails if
// that is not one that encode, or shortOf, can have made.
func decode(b []byte) (envelope, []byte, error) {
	if v := readShort(b); v != 0 {
		data := b[shortBytes:]
		return envelope{kind: eager, context: v.context(), tag: v.tag(), bytes: len(data)}, data, nil
	}
	v, err := decodeLong(b)
	if err != nil {
		return v, nil, err
	}
	return v, b[envelopeBytes:], nil
}

func decodeLong(b []byte) (envelope, error) {
	if len(b) < envelopeBytes {
		return envelope{}, fmt.Errorf("a message of %d bytes; expected an envelope of %d", len(b), envelopeBytes)
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	bytes := binary.LittleEndian.Uint64(b[24:])
	v := envelope{context: word(4), tag: int32(word(8)), id: word(12), segment: word(16), bytes: int(bytes)}
	switch k := word(0); {
	case k < uint32(eagerSync) || k > uint32(remote):
		return v, fmt.Errorf("an envelope of kind %d; expected %d to %d", k, eagerSync, remote)
	case v.bytes < 0:
		return v, fmt.Errorf("an envelope of %d bytes", bytes)
	default:
		v.kind = kind(k)
	}
	if word(20) != 0 || v.tag < 0 || v.context >= maxContext || v.segment > maxSegment {
		return v, fmt.Errorf("an envelope with tag %d, context %d and segment %d; expected no such", v.tag, v.context, v.segment)
	}
	follow := 0
	if v.kind == eagerSync || v.kind == remote {
		follow = v.bytes
	}
	if len(b)-envelopeBytes != follow {
		return v, fmt.Errorf("an envelope of %d bytes of data, followed by %d; expected %d", v.bytes, len(b)-envelopeBytes, follow)
	}
	return v, nil
}

// Limits of what envelopes can name.
const (
	maxContext = 1 << 20 // two for each communicator
	maxSegment = 1<<31 - 1
)
