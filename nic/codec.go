package nic

import (
	"encoding/binary"
	"fmt"
)

// Places of the fields in the lines of a header, as the lowest bit of each.
const (
	operationAt = 12
	longAt      = 15
	groupAt     = 16
	fromAt      = 32
	toAt        = 48

	flagsAt    = 48
	sequenceAt = 52
)

// firstLine and secondLine cut every field to its width, so that no value of one,
// least of all one that a user wrote, reaches into another.
func (h *Header) firstLine() uint64 {
	bits := uint64(h.Data)&MaxData | uint64(h.Operation&7)<<operationAt |
		uint64(h.Group)<<groupAt | uint64(h.From)<<fromAt | uint64(h.To)<<toAt
	if h.Long {
		bits |= 1 << longAt
	}
	return bits
}

func (h *Header) secondLine() uint64 {
	return h.Address&MaxAddress | uint64(h.Flags&MaxFlags)<<flagsAt | uint64(h.Sequence)<<sequenceAt
}

func (h *Header) setFirstLine(bits uint64) {
	h.Data = int(bits & MaxData)
	h.Operation = Operation(bits >> operationAt & 7)
	h.Long = bits>>longAt&1 == 1
	h.Group = uint16(bits >> groupAt)
	h.From = uint16(bits >> fromAt)
	h.To = uint16(bits >> toAt)
}

func (h *Header) setSecondLine(bits uint64) {
	h.Address = bits & MaxAddress
	h.Flags = Flags(bits >> flagsAt & MaxFlags)
	h.Sequence = uint16(bits >> sequenceAt)
}

// Encode writes the lines of the header to the front of lines, which has room for
// three, and returns how many they are. The header has passed Check; of fields
// out of range it writes the lower bits.
func (h *Header) Encode(lines []Line) int {
	lines[0] = Line{h.firstLine(), First}
	lines[1] = Line{h.secondLine(), Middle}
	n := 2
	if h.Long {
		lines[2] = Line{h.Word, Middle}
		n = 3
	}
	if h.Data&MaxData == 0 {
		lines[n-1].Tag = Last
	}
	return n
}

// DecodeHeader reads the header at the front of lines and returns how many lines
// it takes. It fails if the lines or their tags are not those of a packet.
func DecodeHeader(lines []Line) (Header, int, error) {
	var h Header
	if len(lines) < 2 {
		return h, 0, fmt.Errorf("nic: packet of %d lines; expected at least the 2 of a header", len(lines))
	}
	h.setFirstLine(lines[0].Bits)
	h.setSecondLine(lines[1].Bits)
	n := h.headerLines()
	if n == 3 {
		if len(lines) < 3 {
			return Header{}, 0, fmt.Errorf("nic: packet of 2 lines; its header is long, expected at least 3")
		}
		h.Word = lines[2].Bits
	}
	if h.Operation == 0 {
		return Header{}, 0, errNoOperation(lines[0].Bits)
	}
	total := h.Lines()
	for i, l := range lines[:n] {
		if want := tagAt(i, total); l.Tag != want {
			return Header{}, 0, errTag(i, total, l.Tag, want)
		}
	}
	return h, n, nil
}

// tagAt returns the tag of line i in a packet of so many lines.
func tagAt(i, lines int) Tag {
	switch i {
	case 0:
		return First
	case lines - 1:
		return Last
	}
	return Middle
}

func errNoOperation(bits uint64) error {
	return fmt.Errorf("nic: first line %#016x of a packet has no operation; expected %d (%v) to %d (%v)", bits, uint8(Push), Push, uint8(Nack), Nack)
}

func errTag(i, lines int, got, want Tag) error {
	return fmt.Errorf("nic: line %d of the %d of a packet is tagged %v; expected %v", i+1, lines, got, want)
}

// EncodeData writes data to the front of lines, the last line padded with zeros
// and tagged as the last of its packet, and returns how many lines it takes.
func EncodeData(lines []Line, data []byte) int {
	n := 0
	for ; len(data) > LineSize; data = data[LineSize:] {
		lines[n] = Line{binary.LittleEndian.Uint64(data), Middle}
		n++
	}
	if len(data) == 0 {
		return n
	}
	var last [LineSize]byte
	copy(last[:], data)
	lines[n] = Line{binary.LittleEndian.Uint64(last[:]), Last}
	return n + 1
}

// DecodeData reads the data of a packet from the lines that follow its header
// into the first h.Data bytes of into. It fails if there are not as many lines,
// if their tags are wrong, or if the last is padded with anything but zeros.
func DecodeData(h *Header, lines []Line, into []byte) error {
	n := dataLines(h.Data)
	if len(lines) != n || len(into) < h.Data {
		return fmt.Errorf("nic: %d bytes of data in %d lines into %d bytes; expected %d lines", h.Data, len(lines), len(into), n)
	}
	skip, total := h.headerLines(), h.Lines()
	rest := into[:h.Data]
	for i, l := range lines {
		if want := tagAt(skip+i, total); l.Tag != want {
			return errTag(skip+i, total, l.Tag, want)
		}
		var b [LineSize]byte
		binary.LittleEndian.PutUint64(b[:], l.Bits)
		k := copy(rest, b[:])
		rest = rest[k:]
		if k < LineSize && l.Bits>>(LineSize*k) != 0 {
			return errPadding(l.Bits, k)
		}
	}
	return nil
}

func errPadding(bits uint64, bytes int) error {
	return fmt.Errorf("nic: last line %#016x of a packet has %d bytes of data; expected zeros above", bits, bytes)
}
