package onesided

import "fmt"

// Reduction combines two words: those of members of a group, or a word in memory and an operand.
// Words are integers in two's complement; sums wrap around.
type Reduction uint8

// Reductions.
const (
	// NoOp combines nothing (MPI_NO_OP). For a group it is a barrier, and a word in memory stays
	// as it is.
	NoOp Reduction = iota
	Sum
	Min
	Max
	And
	Or
	Xor
	// Replace overwrites a word in memory with the operand. Groups do not know it.
	Replace
)

var reductionNames = [...]string{NoOp: "barrier", Sum: "sum", Min: "min", Max: "max", And: "and", Or: "or", Xor: "xor", Replace: "replace"}

func (r Reduction) String() string {
	if int(r) >= len(reductionNames) {
		return fmt.Sprintf("reduction %d", r)
	}
	return reductionNames[r]
}

// Apply returns the new value of a word in memory.
func (r Reduction) Apply(word, operand int64) int64 {
	switch r {
	case Sum:
		return word + operand
	case Min:
		return min(word, operand)
	case Max:
		return max(word, operand)
	case And:
		return word & operand
	case Or:
		return word | operand
	case Xor:
		return word ^ operand
	case Replace:
		return operand
	}
	return word
}
