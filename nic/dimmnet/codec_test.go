package dimmnet

import (
	"bytes"
	"musubi/internal/check"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// encodePacket returns all lines of a packet.
func encodePacket(h *Header, data []byte) []Line {
	lines := make([]Line, h.Lines())
	n := h.Encode(lines)
	n += EncodeData(lines[n:], data)
	return lines[:n]
}

// decodePacket reads a packet that takes all of lines.
func decodePacket(lines []Line) (Header, []byte, error) {
	h, n, err := DecodeHeader(lines)
	if err != nil {
		return h, nil, err
	}
	data := make([]byte, h.Data)
	return h, data, DecodeData(&h, lines[n:], data)
}

// drawPacket draws a packet that passes Check, often one of a size at a limit.
func drawPacket(t *rapid.T) (Header, []byte) {
	h := Header{
		Operation: Operation(rapid.IntRange(int(Push), int(Nack)).Draw(t, "operation")),
		Flags:     Flags(rapid.IntRange(0, MaxFlags).Draw(t, "flags")),
		Data:      rapid.OneOf(rapid.SampledFrom([]int{0, 1, 7, 8, 9, MaxData - 1, MaxData}), rapid.IntRange(0, 100)).Draw(t, "size"),
		Group:     rapid.Uint16().Draw(t, "group"),
		From:      rapid.Uint16().Draw(t, "from"),
		To:        rapid.Uint16().Draw(t, "to"),
		Address:   rapid.Uint64Max(MaxAddress).Draw(t, "address"),
		Sequence:  rapid.Uint16Max(MaxSequence).Draw(t, "sequence"),
		Long:      rapid.Bool().Draw(t, "long"),
	}
	if h.Long {
		h.Word = rapid.Uint64().Draw(t, "word")
	}
	data := make([]byte, h.Data)
	pattern := rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "pattern")
	for i := range data {
		data[i] = pattern[i%len(pattern)]
	}
	return h, data
}

// The layout of the packet format, line by line.
func TestEncode(t *testing.T) {
	short := Header{
		Operation: IPush, Flags: EndOfMessage, Data: 9, Group: 0x1111, From: 0x2222, To: 0x3333,
		Address: 0x0444_4444_4444, Sequence: 0x555,
	}
	long := short
	long.Long, long.Word = true, 0x6666_6666_6666_6666
	empty := short
	empty.Data = 0
	longEmpty := long
	longEmpty.Data = 0
	data := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, test := range []struct {
		name   string
		header Header
		data   []byte
		want   []Line
	}{
		{"short", short, data, []Line{
			{0x3333_2222_1111_5552, First}, {0x2002_4444_4444_4444, Middle}, {0x0807060504030201, Middle}, {0x09, Last}}},
		{"long", long, data, []Line{
			{0x3333_2222_1111_5552, First}, {0x2802_4444_4444_4444, Middle}, {0x6666_6666_6666_6666, Middle},
			{0x0807060504030201, Middle}, {0x09, Last}}},
		{"one line of data", Header{Operation: Push, Data: 8}, data[:8], []Line{
			{0x1, First}, {0x0002_0000_0000_0000, Middle}, {0x0807060504030201, Last}}},
		{"no data", empty, nil, []Line{
			{0x3333_2222_1111_5552, First}, {0x2000_0444_4444_4444, Last}}},
		{"long without data", longEmpty, nil, []Line{
			{0x3333_2222_1111_5552, First}, {0x2800_0444_4444_4444, Middle}, {0x6666_6666_6666_6666, Last}}},
		{"all at their limits", Header{Nack, MaxFlags, MaxData, 0xffff, 0xffff, 0xffff, MaxAddress, MaxSequence, true, ^uint64(0)}, nil, []Line{
			{^uint64(8), First}, {^uint64(0), Middle}, {^uint64(0), Middle}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := encodePacket(&test.header, test.data); !slices.Equal(got, test.want) {
				t.Errorf("got  %x\nwant %x", got, test.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	for _, test := range []struct{ data, short int }{
		{0, 2}, {1, 3}, {8, 3}, {9, 4}, {496, 64}, {MaxData, MaxLines - 1},
	} {
		h := Header{Data: test.data}
		if got := h.Lines(); got != test.short {
			t.Errorf("short packet of %d bytes: %d lines; expected %d", test.data, got, test.short)
		}
		h.Long = true
		if got := h.Lines(); got != test.short+1 {
			t.Errorf("long packet of %d bytes: %d lines; expected %d", test.data, got, test.short+1)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Header)
		err    string // part of the error, none if empty
	}{
		{"in range", func(*Header) {}, ""},
		{"largest values", func(h *Header) {
			*h = Header{Nack, MaxFlags, MaxData, 0xffff, 0xffff, 0xffff, MaxAddress, MaxSequence, true, ^uint64(0)}
		}, ""},
		{"no operation", func(h *Header) { h.Operation = 0 }, "operation 0; expected 1 (push) to 8 (ipush-match)"},
		{"unknown operation", func(h *Header) { h.Operation = lastOperation + 1 }, "operation 9; expected 1 (push) to 8 (ipush-match)"},
		{"unknown flag", func(h *Header) { h.Flags = MaxFlags + 1 }, "flags 0x10; expected at most 0xf"},
		{"negative size", func(h *Header) { h.Data = -1 }, "-1 bytes of data; expected 0 to 8191"},
		{"too much data", func(h *Header) { h.Data = MaxData + 1 }, "8192 bytes of data; expected 0 to 8191"},
		{"address too high", func(h *Header) { h.Address = MaxAddress + 1 }, "address 0x400000000000; expected at most 0x3fffffffffff"},
		{"sequence number too high", func(h *Header) { h.Sequence = MaxSequence + 1 }, "sequence number 4096; expected at most 4095"},
		{"word that would not be sent", func(h *Header) { h.Word = 3 }, "word 0x3 but is not long"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := Header{Operation: Push, Data: 8}
			test.change(&h)
			check.Error(t, h.Check(), test.err)
		})
	}
}

func TestPacketsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, data := drawPacket(t)
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		got, gotData, err := decodePacket(encodePacket(&h, data))
		if err != nil || got != h || !bytes.Equal(gotData, data) {
			t.Fatalf("%+v came back as %+v, error %v; data equal: %v", h, got, err, bytes.Equal(gotData, data))
		}
	})
}

// A packet that lacks lines, has one too many or one with another tag is refused.
func TestPacketsWithWrongFramingAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, data := drawPacket(t)
		lines := encodePacket(&h, data)
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		switch rapid.IntRange(0, 2).Draw(t, "fault") {
		case 0:
			lines = lines[:at]
		case 1:
			lines = append(lines, lines[at])
		case 2:
			lines[at].Tag += Tag(rapid.IntRange(1, 255).Draw(t, "tag"))
		}
		if got, _, err := decodePacket(lines); err == nil {
			t.Fatalf("%+v: %d wrong lines decoded to %+v", h, len(lines), got)
		}
	})
}

func TestDecodeHeaderErrors(t *testing.T) {
	const push = uint64(Push)
	const data, long = 8 << 46, 1 << 59
	for _, test := range []struct {
		name  string
		lines []Line
		err   string
	}{
		{"nothing", nil, "packet of 0 lines; expected at least the 2"},
		{"one line", []Line{{push, First}}, "packet of 1 lines; expected at least the 2"},
		{"long header of two lines", []Line{{push, First}, {long, Middle}}, "packet of 2 lines; expected at least the 3"},
		{"no operation", []Line{{0x10, First}, {data, Middle}}, "first line 0x0000000000000010 of a packet has operation 0; expected 1 (push) to 8 (ipush-match)"},
		{"unknown operation", []Line{{10, First}, {data, Middle}}, "first line 0x000000000000000a of a packet has operation 10"},
		{"not the first line", []Line{{push, Middle}, {data, Middle}}, "line 1 of the 3 of a packet is tagged middle; expected first"},
		{"ends too early", []Line{{push, First}, {data, Last}}, "line 2 of the 3 of a packet is tagged last; expected middle"},
		{"ends too late", []Line{{push, First}, {0, Middle}}, "line 2 of the 2 of a packet is tagged middle; expected last"},
		{"begins inside", []Line{{push, First}, {long, First}, {0, Last}}, "line 2 of the 3 of a packet is tagged first; expected middle"},
		{"no tag", []Line{{push, First}, {0, 0}}, "tagged no tag; expected last"},
		{"unknown tag", []Line{{push, First}, {0, 9}}, "tagged tag 9; expected last"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, n, err := DecodeHeader(test.lines)
			check.Error(t, err, test.err)
			if h != (Header{}) || n != 0 {
				t.Errorf("header %+v of %d lines beside an error; expected none", h, n)
			}
		})
	}
}

func TestDecodeDataErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		data  int
		lines []Line
		into  int
		err   string
	}{
		{"too few lines", 9, []Line{{0, Last}}, 9, "9 bytes of data from 1 lines"},
		{"too many lines", 8, []Line{{0, Middle}, {0, Last}}, 8, "expected 1 lines"},
		{"no room", 8, []Line{{0, Last}}, 7, "to 7 bytes"},
		{"negative size", -1, nil, 0, "-1 bytes of data"},
		{"wrong tag", 9, []Line{{0, Last}, {0, Last}}, 9, "line 3 of the 4 of a packet is tagged last; expected middle"},
		{"wrong last tag", 9, []Line{{0, Middle}, {0, Middle}}, 9, "line 4 of the 4 of a packet is tagged middle; expected last"},
		{"padding that is not zero", 9, []Line{{0, Middle}, {0x0109, Last}}, 9, "has 1 bytes of data; expected zeros above"},
		{"no data", 0, nil, 0, ""},
		{"more room than data", 9, []Line{{0, Middle}, {0x09, Last}}, 100, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := Header{Data: test.data}
			check.Error(t, DecodeData(&h, test.lines, make([]byte, test.into)), test.err)
		})
	}
}

// Whatever values the fields have, none reaches into another: not even into the
// fields that the interface stamps.
func TestEncodeKeepsFieldsApart(t *testing.T) {
	for _, test := range []struct {
		name         string
		sent, arrive Header
	}{
		{"operation", Header{Operation: 0xf1}, Header{Operation: Push}},
		{"flags", Header{Operation: Push, Flags: 0xf3}, Header{Operation: Push, Flags: 3}},
		{"negative size", Header{Operation: Push, Data: -1}, Header{Operation: Push, Data: MaxData}},
		{"size", Header{Operation: Push, Data: MaxData + 1}, Header{Operation: Push}},
		{"address", Header{Operation: Push, Address: 1<<63 | 5}, Header{Operation: Push, Address: 5}},
		{"sequence number", Header{Operation: Push, Sequence: 0xf001}, Header{Operation: Push, Sequence: 1}},
	} {
		for _, long := range []bool{false, true} {
			test.sent.Long, test.arrive.Long = long, long
			var lines [3]Line
			got, _, err := DecodeHeader(lines[:test.sent.Encode(lines[:])])
			if err != nil || got != test.arrive {
				t.Errorf("%s: %+v arrives as %+v, error %v; expected %+v", test.name, test.sent, got, err, test.arrive)
			}
		}
	}
}
