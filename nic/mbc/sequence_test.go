package mbc

import (
	"encoding/binary"
	"slices"
	"testing"

	"musubi/internal/check"
	"musubi/onesided"

	"pgregory.net/rapid"
)

// drawStep draws an operation on a word of a page.
func drawStep(t *rapid.T, page uint32) Step {
	s := Step{At: page*PageSize + onesided.WordSize*uint32(rapid.IntRange(0, PageSize/onesided.WordSize-1).Draw(t, "word"))}
	s.Atomic.Operand = rapid.Int64().Draw(t, "operand")
	if s.Atomic.Compare = rapid.Bool().Draw(t, "compare"); s.Atomic.Compare {
		s.Atomic.Expected = rapid.Int64().Draw(t, "expected")
	} else {
		s.Atomic.Reduction = onesided.Reduction(rapid.IntRange(0, int(onesided.Replace)).Draw(t, "reduction"))
	}
	return s
}

// As many steps as fit a packet come back as they were, and the packet can be sent. Steps of
// another page or at a crooked address are refused, wherever they stand.
func TestSequencesTravelInPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page := uint32(rapid.IntRange(0, 1<<20-1).Draw(t, "page"))
		n := rapid.OneOf(rapid.IntRange(1, 5), rapid.Just(MaxSteps(MaxData))).Draw(t, "steps")
		steps := make([]Step, n)
		for i := range steps {
			steps[i] = drawStep(t, page)
		}
		var h Header
		data, err := AppendSequence([]byte("before"), &h, steps)
		if err != nil {
			t.Fatal(err)
		}
		data = data[len("before"):]
		if err := h.Check(); err != nil || len(data) != h.Size {
			t.Fatalf("%+v with %d bytes of data: %v", h, len(data), err)
		}
		got, err := ParseSequence(nil, &h, data)
		if err != nil || !slices.Equal(got, steps) {
			t.Fatalf("%+v came back as %+v, error %v", steps, got, err)
		}
		i := rapid.IntRange(0, n-1).Draw(t, "which")
		wrong := slices.Clone(steps)
		wrong[i].At += rapid.Uint32Range(1, onesided.WordSize-1).Draw(t, "crooked")
		if _, err := AppendSequence(nil, &h, wrong); err == nil {
			t.Fatalf("step %d at %#x is taken", i, wrong[i].At)
		}
		wrong[i].At = steps[i].At ^ PageSize
		if _, err := AppendSequence(nil, &h, wrong); err == nil && n > 1 {
			t.Fatalf("step %d of another page, %#x, is taken", i, wrong[i].At)
		}
	})
}

func TestSequenceErrors(t *testing.T) {
	var h Header
	_, err := AppendSequence(nil, &h, nil)
	check.Error(t, err, "sequence of 0 atomic operations; expected 1 to 227")
	_, err = AppendSequence(nil, &h, make([]Step, 228))
	check.Error(t, err, "sequence of 228 atomic operations; expected 1 to 227")
	step := func(place uint16, of int) []byte {
		return append(binary.LittleEndian.AppendUint16(nil, place), make([]byte, of)...)
	}
	for _, test := range []struct {
		name string
		h    Header
		data []byte
		err  string
	}{
		{"other type", Header{Type: Write}, step(0, 10), "write with 12 bytes of data; expected a sequence with steps"},
		{"no step", Header{Type: Sequence}, nil, "sequence with 0 bytes of data"},
		{"half a place", Header{Type: Sequence}, append(step(0, 10), 1), "step 1 of a sequence in 1 bytes; expected 12 or 18"},
		{"half a step", Header{Type: Sequence}, step(1, 10), "step 0 of a sequence in 12 bytes; expected 12 or 18"},
		{"crooked", Header{Type: Sequence}, step(4, 10), "at byte 4 of a page; expected a multiple of 8 below 4096"},
		{"beyond the page", Header{Type: Sequence}, step(4096, 10), "at byte 4096 of a page"},
		{"unknown reduction", Header{Type: Sequence}, append(step(0, 8), 99, 0), "step 0 of a sequence: reduction 99"},
		{"another first word", Header{Type: Sequence, At: 8}, step(16, 10), "sequence at address 0x8, whose first step is at 0x10"},
	} {
		t.Run(test.name, func(t *testing.T) {
			steps, err := ParseSequence(nil, &test.h, test.data)
			check.Error(t, err, test.err)
			if len(steps) > 0 {
				t.Errorf("%d steps beside an error", len(steps))
			}
		})
	}
}
