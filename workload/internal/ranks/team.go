package ranks

import (
	"encoding/binary"
	"math"
	"math/bits"

	"musubi/rma"
	"musubi/units"
)

// Team synchronises all ranks of a program. Each rank must make one, at the same position in the
// order of its segments.
type Team struct {
	p       rma.Process
	segment int
	// memory holds a message for each step of agree, for even and for odd calls:
	// a fast neighbour may be one call ahead, but not two.
	memory []byte
	calls  uint64
	Steps  int
}

// message of agree: a time, and then the number of the call, whose arrival shows
// that the message is complete.
const agreeMessage = 16

// NewTeam exposes what a rank needs of a team.
func NewTeam(p rma.Process) *Team {
	t := &Team{p: p, Steps: bits.Len(uint(p.Size() - 1))}
	t.memory = make([]byte, 2*t.Steps*agreeMessage)
	t.segment = p.Expose(t.memory)
	return t
}

// Agree waits until all ranks have called it and returns the longest of their times. It uses
// dissemination (Hensgen, Finkel and Manber, 1988), which works with any number of ranks because a
// maximum may count a time twice.
func (t *Team) Agree(longest units.Time) (units.Time, error) {
	t.calls++
	rank, n := t.p.Rank(), t.p.Size()
	for step := range t.Steps {
		offset := (int(t.calls%2)*t.Steps + step) * agreeMessage
		message := binary.LittleEndian.AppendUint64(nil, uint64(longest))
		message = binary.LittleEndian.AppendUint64(message, t.calls)
		to := rma.Address{Rank: (rank + 1<<step) % n, Segment: t.segment, Offset: offset}
		if err := BlockingPush(t.p, to, message, rma.DMA); err != nil {
			return 0, err
		}
		in := t.memory[offset : offset+agreeMessage]
		if err := t.p.WaitUntil(func() bool { return binary.LittleEndian.Uint64(in[8:]) == t.calls }); err != nil {
			return 0, err
		}
		longest = max(longest, units.Time(binary.LittleEndian.Uint64(in)))
	}
	return longest, nil
}

// Scores is memory of rank 0 in which ranks put their results, one number per slot. Each rank must
// make one, at the same position in the order of its segments.
type Scores struct {
	p       rma.Process
	segment int
	memory  []byte // at rank 0 only
}

// empty fills every byte of slots without a number. No finite number has it as its last byte, which
// is the last to arrive.
const empty = 0xff

// NewScores exposes the slots at rank 0.
func NewScores(p rma.Process, slots int) *Scores {
	b := &Scores{p: p}
	if p.Rank() == 0 {
		b.memory = make([]byte, 8*slots)
		for i := range b.memory {
			b.memory[i] = empty
		}
	}
	b.segment = p.Expose(b.memory)
	return b
}

// Put fills a slot. The number must be finite and not negative.
func (b *Scores) Put(slot int, number float64) error {
	data := binary.LittleEndian.AppendUint64(nil, math.Float64bits(number))
	return BlockingPush(b.p, rma.Address{Rank: 0, Segment: b.segment, Offset: 8 * slot}, data, rma.DMA)
}

// All waits until every slot is filled. Only rank 0 may call it.
func (b *Scores) All() ([]float64, error) {
	filled := 0
	err := b.p.WaitUntil(func() bool {
		for filled < len(b.memory) && b.memory[filled+7] != empty {
			filled += 8
		}
		return filled == len(b.memory)
	})
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, len(b.memory)/8)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(b.memory[8*i:]))
	}
	return numbers, nil
}
