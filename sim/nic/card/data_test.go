package card

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"musubi/rma"
)

// Reads bring the right bytes, contiguous, strided and listed: from the other card and
// the own one, and to where the card does not reach.
func TestCardReadsTheRightBytes(t *testing.T) {
	runCards(t, 2, func(p rma.Process) error {
		source := p.Expose(pattern(p.Rank()))
		for _, l := range layouts {
			for rank := range 2 {
				want := gatheredFrom(pattern(rank), l)
				got := make([]byte, len(want))
				op, err := p.PullLayout(rma.Address{Rank: rank, Segment: source}, l, got, rma.Layout{})
				if err == nil {
					err = p.Wait(op)
				}
				if err != nil || !bytes.Equal(got, want) {
					return fmt.Errorf("Pull of %+v from %d: error %v, wrong bytes %v", l, rank, err, !bytes.Equal(got, want))
				}
			}
			want := gatheredFrom(pattern(p.Rank()), l)
			got := make([]byte, len(want))
			if err := p.Load(source, 0, l, got, rma.Uncached); err != nil || !bytes.Equal(got, want) {
				return fmt.Errorf("Load of %+v: error %v, wrong bytes %v", l, err, !bytes.Equal(got, want))
			}
		}
		return nil
	})
}

// Writes bring the right bytes, from memory that the card reaches and that it does
// not, to the other card and the own one, and nothing beside.
func TestCardWritesTheRightBytes(t *testing.T) {
	const offset = 8
	for _, l := range layouts {
		for _, exposed := range []bool{true, false} {
			for target := range 2 {
				var inbox []byte
				runCards(t, 2, func(p rma.Process) error {
					memory := make([]byte, offset+patternBytes+offset)
					segment := p.Expose(memory)
					if p.Rank() == target {
						inbox = memory
					}
					if p.Rank() != 0 {
						return nil
					}
					data := pattern(0)
					if exposed {
						p.Expose(data)
					}
					op, err := p.PushLayout(rma.Address{Rank: target, Segment: segment, Offset: offset}, rma.Layout{}, data, l, rma.DMA)
					if err != nil {
						return err
					}
					return p.Wait(op)
				})
				want := make([]byte, len(inbox))
				copy(want[offset:], gatheredFrom(pattern(0), l))
				if !bytes.Equal(inbox, want) {
					t.Errorf("Push of %+v to rank %d, exposed %v: wrong bytes", l, target, exposed)
				}
			}
		}
	}
}

// layouts of the memory that pattern fills.
var layouts = []rma.Layout{{}, rma.Strided(24, 40, 50), rma.List(10, 5, 2000, 77, 1500)}

const patternBytes = 3000

// pattern returns the data of a rank.
func pattern(rank int) []byte {
	b := make([]byte, patternBytes)
	for i := range b {
		b[i] = byte(i*7 + i/256 + rank)
	}
	return b
}

// gatheredFrom returns the data of a layout, element by element.
func gatheredFrom(memory []byte, l rma.Layout) []byte {
	if l.IsContiguous() {
		return memory
	}
	var data []byte
	for i := range l.Count {
		at := i * l.Stride
		if l.Offsets != nil {
			at = l.Offsets[i]
		}
		data = append(data, memory[at:at+l.Element]...)
	}
	return data
}

func TestCardRefuses(t *testing.T) {
	runCards(t, 2, func(p rma.Process) error {
		segment := p.Expose(make([]byte, 5000))
		window, _, err := p.ExposeWindow(512)
		if err != nil || p.Rank() == 1 {
			return err
		}
		layout := rma.Strided(8, 16, 4)
		to := rma.Address{Rank: 1, Segment: segment}
		offsets := make([]int, 70)
		for i := range offsets {
			offsets[i] = i
		}
		for _, c := range []struct {
			want string
			do   func() (rma.Op, error)
		}{
			{"a window of machine dimmnet2 takes 496", func() (rma.Op, error) { return p.Push(to, make([]byte, 497), rma.BOTF) }},
			{"writes in one piece", func() (rma.Op, error) {
				return p.PushLayout(to, layout, make([]byte, 32), rma.Layout{}, rma.DMA)
			}},
			{"writes in one piece", func() (rma.Op, error) {
				return p.PullLayout(to, rma.Layout{}, make([]byte, 64), layout)
			}},
			{"70 listed elements", func() (rma.Op, error) {
				return p.PullLayout(to, rma.List(1, offsets...), make([]byte, 70), rma.Layout{})
			}},
			{"to a window", func() (rma.Op, error) {
				return p.Push(rma.Address{Rank: 1, Segment: window}, make([]byte, 500), rma.DMA)
			}},
			{"outside the segment", func() (rma.Op, error) {
				return p.Push(rma.Address{Rank: 1, Segment: segment, Offset: 4999}, make([]byte, 2), rma.DMA)
			}},
			{"is not exposed", func() (rma.Op, error) { return p.Pull(rma.Address{Rank: 1, Segment: 9}, make([]byte, 2)) }},
			{"tells of whole messages", func() (rma.Op, error) { return p.IPush(1, make([]byte, 4<<20), rma.DMA) }},
			{"windows", func() (rma.Op, error) { return 0, p.Windows(5) }},
			{"take 40064 bytes of the card's LLCM", func() (rma.Op, error) {
				rings := rma.PrivateRings(2, 496)
				rings.Records = 5000
				return 0, p.Rings(rings)
			}},
			{"Prefetch Windows", func() (rma.Op, error) { _, _, err := p.ExposeWindow(8 * 512); return 0, err }},
		} {
			op, err := c.do()
			if err == nil {
				err = p.Wait(op)
			}
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.want)) {
				t.Errorf("error %v; want one that says %q", err, c.want)
			}
		}
		return nil
	})
}
