package wire

import (
	"encoding/binary"
	"errors"
)

// Header begins each packet on a connection. The body follows: fields and what else its kind has.
type Header struct {
	Kind     Kind
	Awaited  bool   // the sender may wait until the message has been taken
	Beside   bool   // an answer of who serves the stream beside the rank: it has no number
	Sequence uint16 // of packets but Acks, Nacks and answers beside; of an Ack the one that is expected next
	Group    uint16 // process group of the job
	From, To uint16 // ranks
	Body     int    // bytes that follow; 0 in a frame of its own, all of which they are
}

// Offsets of a Header, and its length.
const (
	headerKind     = 0
	headerFlags    = 1
	headerSequence = 2
	headerGroup    = 4
	headerFrom     = 6
	headerTo       = 8 // 2 bytes, and 2 unused
	headerBody     = 12
	HeaderBytes    = 16
)

const (
	flagAwaited = 1
	flagBeside  = 2
)

// MaxHead is the length of the longest header with its fields.
const MaxHead = HeaderBytes + max(PushBytes, PullBytes, AnswerBytes, AccumulateBytes, NackBytes)

// Encode writes the header.
func (h *Header) Encode(b []byte) {
	_ = b[HeaderBytes-1]
	b[headerKind], b[headerFlags] = byte(h.Kind), 0
	switch {
	case h.Awaited:
		b[headerFlags] = flagAwaited
	case h.Beside:
		b[headerFlags] = flagBeside
	}
	binary.LittleEndian.PutUint16(b[headerSequence:], h.Sequence)
	binary.LittleEndian.PutUint16(b[headerGroup:], h.Group)
	binary.LittleEndian.PutUint16(b[headerFrom:], h.From)
	binary.LittleEndian.PutUint32(b[headerTo:], uint32(h.To))
	binary.LittleEndian.PutUint32(b[headerBody:], uint32(h.Body))
}

var (
	errShort = errors.New("it ends inside a packet")
	errKind  = errors.New("a packet of a kind that there is not")
	errFlags = errors.New("a packet with flags that there are not")
	errBody  = errors.New("a packet that is shorter than its kind has fields")
)

// Decode reads the header that b begins with. It fails if that is none.
func (h *Header) Decode(b []byte) error {
	if len(b) < HeaderBytes {
		return errShort
	}
	*h = Header{
		Kind: Kind(b[headerKind]), Awaited: b[headerFlags] == flagAwaited, Beside: b[headerFlags] == flagBeside,
		Sequence: binary.LittleEndian.Uint16(b[headerSequence:]),
		Group:    binary.LittleEndian.Uint16(b[headerGroup:]), From: binary.LittleEndian.Uint16(b[headerFrom:]),
		To: binary.LittleEndian.Uint16(b[headerTo:]), Body: int(binary.LittleEndian.Uint32(b[headerBody:])),
	}
	switch {
	case !h.Kind.isPacket():
		return errKind
	case b[headerFlags] > flagBeside:
		return errFlags
	}
	return nil
}

// AppendPacket appends a packet with a body.
func AppendPacket(b []byte, h *Header, body []byte) []byte {
	h.Body = len(body)
	at := len(b)
	b = append(b, make([]byte, HeaderBytes)...)
	h.Encode(b[at:])
	return append(b, body...)
}

// Parse reads the packet that b begins with: its header, and where its body is, which has at
// least the fields of its kind. The rest of b follows the packet. long says that the packet has a
// frame of its own, which is b.
func (h *Header) Parse(b []byte, long bool) (body, rest []byte, err error) {
	if err := h.Decode(b); err != nil {
		return nil, b, err
	}
	body = b[HeaderBytes:]
	switch {
	case long && h.Body != 0:
		return nil, b, errBody
	case long:
		h.Body = len(body)
	case h.Body > len(body):
		return nil, b, errShort
	}
	if h.Body < h.Kind.FieldBytes() {
		return nil, b, errBody
	}
	return body[:h.Body:h.Body], body[h.Body:], nil
}
