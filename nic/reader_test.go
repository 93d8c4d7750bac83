package nic

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestReaderErrors(t *testing.T) {
	packet := func(data int) []Line {
		h := Header{Operation: Push, Data: data}
		return encodePacket(&h, make([]byte, data))
	}
	tagged := func(at int, tag Tag) []Line {
		lines := packet(16)
		lines[at].Tag = tag
		return lines
	}
	for _, test := range []struct {
		name    string
		lines   []Line
		packets int
		errs    []string // parts of the errors, in order
	}{
		{"packets one after the other", slices.Concat(packet(0), packet(9), packet(8)), 3, nil},
		{"begins in the middle", slices.Concat(packet(16)[1:], packet(8)), 1,
			[]string{"a line tagged middle outside a packet; expected first"}},
		{"lines too many", slices.Concat(packet(8), packet(16)[2:], packet(8)), 2,
			[]string{"a line tagged middle outside a packet"}},
		{"lines too many, twice", slices.Concat(packet(16)[1:], packet(8), packet(16)[2:], packet(8)), 2,
			[]string{"a line tagged middle outside a packet", "a line tagged middle outside a packet"}},
		{"another packet inside", slices.Concat(packet(16)[:3], packet(8)), 1,
			[]string{"a packet begins after 3 lines of another; expected 4"}},
		{"ends too early", slices.Concat(tagged(1, Last), packet(8)), 1,
			[]string{"line 2 of the 4 of a packet is tagged last; expected middle"}},
		{"ends too late", slices.Concat(tagged(3, Middle), packet(8)), 1,
			[]string{"line 4 of the 4 of a packet is tagged middle; expected last"}},
		{"no tag", slices.Concat(tagged(2, 0), packet(8)), 1,
			[]string{"line 3 of the 4 of a packet is tagged no tag; expected middle"}},
		{"no operation", slices.Concat([]Line{{0, First}, {0, Last}}, packet(8)), 1, []string{"has no operation"}},
		{"padding that is not zero", slices.Concat(packet(1)[:2], []Line{{1 << 8, Last}}, packet(8)), 1,
			[]string{"has 1 bytes of data; expected zeros above"}},
		{"broken twice", slices.Concat(packet(8)[:2], packet(8)[2:], packet(8)[1:], packet(8)[:2], packet(8)), 2,
			[]string{"a line tagged middle outside a packet", "a packet begins after 2 lines of another; expected 3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r Reader
			packets := 0
			var errs []error
			for _, l := range test.lines {
				complete, err := r.Push(l)
				if complete {
					packets++
				}
				if err != nil {
					errs = append(errs, err)
				}
			}
			if packets != test.packets || len(errs) != len(test.errs) {
				t.Fatalf("%d packets, errors %q; expected %d and %d errors", packets, errs, test.packets, len(test.errs))
			}
			for i, err := range errs {
				checkError(t, err, test.errs[i])
			}
		})
	}
}

// Whatever happens to lines on their way, the reader finds the packets that are
// whole, no others, and says so if there was anything else.
func TestReaderFindsWholePackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []Line
		for range rapid.IntRange(1, 5).Draw(t, "packets") {
			h, data := drawPacket(t)
			lines = append(lines, encodePacket(&h, data)...)
		}
		for range rapid.IntRange(0, 3).Draw(t, "faults") {
			lines = damage(t, lines)
		}
		checkReader(t, lines)
	})
}

// damage loses, repeats or changes one line.
func damage(t *rapid.T, lines []Line) []Line {
	if len(lines) == 0 {
		return lines
	}
	at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
	switch rapid.IntRange(0, 3).Draw(t, "fault") {
	case 0:
		return slices.Delete(lines, at, at+1)
	case 1:
		return slices.Insert(lines, at, lines[at])
	case 2:
		lines[at].Tag = Tag(rapid.IntRange(0, 4).Draw(t, "tag"))
	case 3:
		lines[at].Bits ^= 1 << rapid.IntRange(0, 63).Draw(t, "bit")
	}
	return lines
}

// checkReader holds a reader to what is found by trying every line as the first of
// a packet. Whole packets have one line tagged First each, so none overlap.
func checkReader(t interface{ Fatalf(string, ...any) }, lines []Line) {
	var r Reader
	end, errs := 0, 0 // of the last whole packet, and since then
	expected := wholePackets(lines)
	for i, l := range lines {
		complete, err := r.Push(l)
		if err != nil {
			errs++
		}
		if complete != (len(expected) > 0 && expected[0].end == i+1) || complete && err != nil {
			t.Fatalf("line %d: complete %v, error %v; expected the next packets to be %+v", i, complete, err, expected)
		}
		if !complete {
			continue
		}
		p := expected[0]
		if *r.Header() != p.header || !bytes.Equal(r.Data(), p.data) {
			t.Fatalf("packet that ends with line %d: %+v; expected %+v", i, *r.Header(), p.header)
		}
		if between := p.begin - end; (between > 0) != (errs > 0) {
			t.Fatalf("%d errors for %d lines between packets, before line %d", errs, between, p.begin)
		}
		expected, end, errs = expected[1:], p.end, 0
	}
}

type wholePacket struct {
	begin, end int
	header     Header
	data       []byte
}

func wholePackets(lines []Line) []wholePacket {
	var found []wholePacket
	for i := range lines {
		h, _, err := DecodeHeader(lines[i:])
		if err != nil || i+h.Lines() > len(lines) {
			continue
		}
		end := i + h.Lines()
		if h, data, err := decodePacket(lines[i:end]); err == nil {
			found = append(found, wholePacket{i, end, h, data})
		}
	}
	return found
}
