package nic

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrShort means that the bytes end before the packet does: more are needed.
var ErrShort = errors.New("nic: the bytes end inside a packet; expected more")

// AppendWire appends a packet to b in the form for byte streams: its lines, 8
// bytes each, little-endian. Tags are not sent, as the first two lines say how long
// the packet is. The header has passed Check; data not of its size panics.
func AppendWire(b []byte, h *Header, data []byte) []byte {
	if len(data) != h.Data || h.Data > MaxData {
		panic(fmt.Sprintf("nic: %d bytes of data for a header that says %d; expected as many, at most %d", len(data), h.Data, MaxData))
	}
	b = binary.LittleEndian.AppendUint64(b, h.firstLine())
	b = binary.LittleEndian.AppendUint64(b, h.secondLine())
	if h.Long {
		b = binary.LittleEndian.AppendUint64(b, h.Word)
	}
	b = append(b, data...)
	var zeros [LineSize]byte
	return append(b, zeros[:padding(h.Data)]...)
}

// ParseWire reads a packet from the front of b. The data is part of b, as is the
// rest, which follows the packet. The error is ErrShort if b holds only the
// beginning of a packet; any other means that this is not a stream of packets.
// With an error the rest is all of b.
func ParseWire(b []byte) (h Header, data, rest []byte, err error) {
	if len(b) < LineSize {
		return Header{}, nil, b, ErrShort
	}
	first := binary.LittleEndian.Uint64(b)
	h.setFirstLine(first)
	if !h.Operation.isKnown() {
		return Header{}, nil, b, errOperation(first)
	}
	if len(b) < 2*LineSize {
		return Header{}, nil, b, ErrShort
	}
	h.setSecondLine(binary.LittleEndian.Uint64(b[LineSize:]))
	size := h.Lines() * LineSize
	if len(b) < size {
		return Header{}, nil, b, ErrShort
	}
	if h.Long {
		h.Word = binary.LittleEndian.Uint64(b[2*LineSize:])
	}
	if err := checkPadding(binary.LittleEndian.Uint64(b[size-LineSize:]), h.Data); err != nil {
		return Header{}, nil, b, err
	}
	begin := h.headerLines() * LineSize
	end := begin + h.Data
	return h, b[begin:end:end], b[size:], nil
}
