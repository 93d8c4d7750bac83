package dimmnet

import (
	"encoding/binary"
	"fmt"
)

// Places of the fields in the lines of a header, as the lowest bit of each.
const (
	sequenceAt = 4
	groupAt    = 16
	fromAt     = 32
	toAt       = 48

	dataAt  = 46
	longAt  = 59
	flagsAt = 60

	maxOperation = 1<<sequenceAt - 1
)

// firstLine and secondLine cut every field to its width, so that no value of one,
// least of all one that a user wrote, reaches into another.
func (h *Header) firstLine() uint64 {
	return uint64(h.Operation&maxOperation) | uint64(h.Sequence&MaxSequence)<<sequenceAt |
		uint64(h.Group)<<groupAt | uint64(h.From)<<fromAt | uint64(h.To)<<toAt
}

func (h *Header) secondLine() uint64 {
	bits := h.Address&MaxAddress | uint64(h.Data)&MaxData<<dataAt | uint64(h.Flags)<<flagsAt
	if h.Long {
		bits |= 1 << longAt
	}
	return bits
}

func (h *Header) setFirstLine(bits uint64) {
	h.Operation = Operation(bits & maxOperation)
	h.Sequence = uint16(bits >> sequenceAt & MaxSequence)
	h.Group = uint16(bits >> groupAt)
	h.From = uint16(bits >> fromAt)
	h.To = uint16(bits >> toAt)
}

func (h *Header) setSecondLine(bits uint64) {
	h.Address = bits & MaxAddress
	h.Data = int(bits >> dataAt & MaxData)
	h.Long = bits>>longAt&1 == 1
	h.Flags = Flags(bits >> flagsAt)
}

// Encode writes the two or three lines of the header to the front of lines, and
// returns how many they are. The header has passed Check; of fields out of range
// it writes the lower bits.
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
	if len(lines) < 2 {
		return Header{}, 0, errTruncated(len(lines), 2)
	}
	var h Header
	h.setFirstLine(lines[0].Bits)
	h.setSecondLine(lines[1].Bits)
	if !h.Operation.isKnown() {
		return Header{}, 0, errOperation(lines[0].Bits)
	}
	n := h.headerLines()
	if len(lines) < n {
		return Header{}, 0, errTruncated(len(lines), n)
	}
	if h.Long {
		h.Word = lines[2].Bits
	}
	if err := checkTags(lines[:n], 0, h.Lines()); err != nil {
		return Header{}, 0, err
	}
	return h, n, nil
}

// checkTags fails if lines, which begin with line first of a packet of so many
// lines in total, are not tagged as such.
func checkTags(lines []Line, first, total int) error {
	for i := range lines {
		if want := tagAt(first+i, total); lines[i].Tag != want {
			return errTag(first+i, total, lines[i].Tag, want)
		}
	}
	return nil
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

func errTruncated(lines, header int) error {
	return fmt.Errorf("dimmnet: packet of %d lines; expected at least the %d of its header", lines, header)
}

func errOperation(bits uint64) error {
	return fmt.Errorf("dimmnet: first line %#016x of a packet has operation %d; expected %d (%v) to %d (%v)", bits, bits&maxOperation, uint8(Push), Push, uint8(lastOperation), lastOperation)
}

func errTag(i, lines int, got, want Tag) error {
	return fmt.Errorf("dimmnet: line %d of the %d of a packet is tagged %v; expected %v", i+1, lines, got, want)
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
	if h.Data < 0 || len(lines) != n || len(into) < h.Data {
		return fmt.Errorf("dimmnet: %d bytes of data from %d lines to %d bytes; expected %d lines and at least as many bytes", h.Data, len(lines), len(into), n)
	}
	if err := checkTags(lines, h.headerLines(), h.Lines()); err != nil || n == 0 {
		return err
	}
	whole := h.Data / LineSize
	for i := range whole {
		binary.LittleEndian.PutUint64(into[i*LineSize:], lines[i].Bits)
	}
	var last [LineSize]byte
	binary.LittleEndian.PutUint64(last[:], lines[n-1].Bits)
	copy(into[whole*LineSize:h.Data], last[:])
	return checkPadding(lines[n-1].Bits, h.Data)
}

// checkPadding fails if the last line of so many bytes of data has more in it. A
// line without padding, which that of a header is too, always passes.
func checkPadding(bits uint64, data int) error {
	if used := LineSize - padding(data); bits>>(8*used) != 0 {
		return fmt.Errorf("dimmnet: last line %#016x of a packet has %d bytes of data; expected zeros above", bits, used)
	}
	return nil
}

// padding returns how many bytes fill up the last line of so many bytes of data.
func padding(data int) int { return -data & (LineSize - 1) }
