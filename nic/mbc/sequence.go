package mbc

import (
	"encoding/binary"
	"fmt"

	"musubi/onesided"
)

// Step is an atomic operation on the word at a virtual address, one of several in a packet.
type Step struct {
	At     uint32
	Atomic onesided.Atomic
}

// Each step takes 2 bytes, and its operation. The 2 bytes are the place of the word in its page;
// their lowest bit, which is free as words are aligned, tells a compare-and-swap.
const (
	placeBytes  = 2
	compareMark = 1
)

// MaxSteps is the number of steps, whatever they do, that fit so many bytes of data.
func MaxSteps(data int) int { return data / (placeBytes + onesided.CompareSwapBytes) }

// AppendSequence makes a header that of atomic operations on words of one page, and appends them to
// b, the data of the packet. It fails if there are none or too many, or if a word is not aligned or
// lies in another page than the first.
func AppendSequence(b []byte, h *Header, steps []Step) ([]byte, error) {
	if most := MaxSteps(MaxData); len(steps) < 1 || len(steps) > most {
		return b, fmt.Errorf("mbc: sequence of %d atomic operations; expected 1 to %d", len(steps), most)
	}
	begin := len(b)
	page := steps[0].At / PageSize
	for i := range steps {
		s := &steps[i]
		switch {
		case s.At%onesided.WordSize != 0:
			return b[:begin], fmt.Errorf("mbc: step %d of a sequence at address %#x; expected a multiple of %d", i, s.At, onesided.WordSize)
		case s.At/PageSize != page:
			return b[:begin], fmt.Errorf("mbc: step %d of a sequence at address %#x; expected the page of the first, at %#x", i, s.At, steps[0].At)
		}
		place := uint16(s.At % PageSize)
		if s.Atomic.Compare {
			place |= compareMark
		}
		b = s.Atomic.Append(binary.LittleEndian.AppendUint16(b, place))
	}
	h.Type, h.At, h.Size = Sequence, steps[0].At, len(b)-begin
	return b, nil
}

// ParseSequence appends the steps of a packet to a list, in their order. It fails if the packet has
// no sequence, or if the data is not one.
func ParseSequence(to []Step, h *Header, data []byte) ([]Step, error) {
	if h.Type != Sequence || len(data) == 0 {
		return to, fmt.Errorf("mbc: %v with %d bytes of data; expected a %v with steps", h.Type, len(data), Sequence)
	}
	first := len(to)
	for rest := data; len(rest) > 0; {
		if len(rest) < placeBytes {
			return to[:first], errShortStep(len(to)-first, len(rest))
		}
		place := binary.LittleEndian.Uint16(rest)
		rest = rest[placeBytes:]
		n := onesided.FetchOpBytes
		if place&compareMark != 0 {
			n = onesided.CompareSwapBytes
		}
		if len(rest) < n {
			return to[:first], errShortStep(len(to)-first, placeBytes+len(rest))
		}
		place &^= compareMark
		if place%onesided.WordSize != 0 || place >= PageSize {
			return to[:first], fmt.Errorf("mbc: step %d of a sequence at byte %d of a page; expected a multiple of %d below %d", len(to)-first, place, onesided.WordSize, PageSize)
		}
		a, err := onesided.ParseAtomic(rest[:n])
		if err != nil {
			return to[:first], fmt.Errorf("mbc: step %d of a sequence: %w", len(to)-first, err)
		}
		to = append(to, Step{At: h.At/PageSize*PageSize + uint32(place), Atomic: a})
		rest = rest[n:]
	}
	if to[first].At != h.At {
		return to[:first], fmt.Errorf("mbc: sequence at address %#x, whose first step is at %#x; expected the same", h.At, to[first].At)
	}
	return to, nil
}

func errShortStep(step, left int) error {
	return fmt.Errorf("mbc: step %d of a sequence in %d bytes; expected %d or %d", step, left, placeBytes+onesided.FetchOpBytes, placeBytes+onesided.CompareSwapBytes)
}
