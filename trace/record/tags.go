package record

import "math"

// unmatched is the source of a receive that has got no message.
const unmatched = math.MaxUint32 - 1

// tags gives contexts and tags of messages a number, the same at all ranks.
type tags struct {
	known map[uint64]uint32
}

// firstNumber is the number of the first tag that does not stay what it is.
const firstNumber = 1 << 20

// of returns the number of a context and tag. Tags of the program itself, in the communicator of all
// ranks, stay what they are if they are small.
func (t *tags) of(context uint32, tag int32) uint32 {
	if context == 0 && tag < firstNumber {
		return uint32(tag)
	}
	key := uint64(context)<<32 | uint64(uint32(tag))
	number, known := t.known[key]
	if !known {
		number = firstNumber + uint32(len(t.known))
		t.known[key] = number
	}
	return number
}
