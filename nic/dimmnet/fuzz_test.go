package dimmnet

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// FuzzHeader encodes headers with any values in their fields.
func FuzzHeader(f *testing.F) {
	f.Add(uint8(IPush), uint8(EndOfMessage), 8, uint16(1), uint16(2), uint16(3), uint64(4), uint16(5), true, uint64(6))
	f.Add(uint8(Push), uint8(0), 0, uint16(1), uint16(2), uint16(3), uint64(4), uint16(5), false, uint64(0))
	f.Add(uint8(0xff), uint8(0xff), -1, uint16(1), uint16(2), uint16(3), ^uint64(0), uint16(0xffff), false, uint64(6))
	f.Fuzz(func(t *testing.T, operation, flags uint8, data int, group, from, to uint16, address uint64, sequence uint16, long bool, word uint64) {
		h := Header{Operation(operation), Flags(flags), data, group, from, to, address, sequence, long, word}
		var lines [3]Line
		n := h.Encode(lines[:])
		got, read, err := DecodeHeader(lines[:n])
		if wrong := h.Check(); wrong == nil && (got != h || read != n || err != nil) {
			t.Fatalf("%+v came back as %+v in %d of %d lines, error %v", h, got, read, n, err)
		}
		if err == nil && (got.Group != group || got.From != from || got.To != to || got.Long != long) {
			t.Fatalf("%+v came back as %+v", h, got)
		}
	})
}

// linesOf makes lines of bytes: a tag, then eight for the bits.
func linesOf(b []byte) []Line {
	var lines []Line
	for ; len(b) > LineSize; b = b[1+LineSize:] {
		lines = append(lines, Line{binary.LittleEndian.Uint64(b[1:]), Tag(b[0])})
	}
	return lines
}

func bytesOf(lines []Line) []byte {
	var b []byte
	for _, l := range lines {
		b = binary.LittleEndian.AppendUint64(append(b, byte(l.Tag)), l.Bits)
	}
	return b
}

func seedPackets() [][]Line {
	var all [][]Line
	for _, h := range []Header{
		{Operation: Push},
		{Operation: Ack, Long: true, Word: 1},
		{Operation: IPush, Data: 8, Flags: StartOfMessage, Group: 1, From: 2, To: 3, Address: 4, Sequence: 5},
		{Operation: Pull, Data: 24, Long: true, Word: ^uint64(0)},
		{Operation: Answer, Data: 17},
	} {
		all = append(all, encodePacket(&h, bytes.Repeat([]byte{0xa5}, h.Data)))
	}
	return all
}

// FuzzDecodePacket reads any lines as one packet. What decodes is in range and
// gives the same lines again.
func FuzzDecodePacket(f *testing.F) {
	for _, lines := range seedPackets() {
		f.Add(bytesOf(lines))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		lines := linesOf(b)
		h, n, err := DecodeHeader(lines)
		if err != nil {
			return
		}
		if err := h.Check(); err != nil {
			t.Fatalf("decoded a header that fails: %v", err)
		}
		var again [3]Line
		if m := h.Encode(again[:]); !slices.Equal(again[:m], lines[:n]) {
			t.Fatalf("%+v encodes to %x; it was decoded from %x", h, again[:m], lines[:n])
		}
		data := make([]byte, h.Data)
		if DecodeData(&h, lines[n:], data) == nil && !slices.Equal(encodePacket(&h, data), lines) {
			t.Fatalf("%+v with %x encodes to %x; it was decoded from %x", h, data, encodePacket(&h, data), lines)
		}
	})
}
