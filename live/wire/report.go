package wire

import (
	"fmt"

	"musubi/onesided"
	"musubi/rma"
)

// Code is why a target could not do an operation.
type Code uint64

// Codes of failures.
const (
	NotExposed Code = 1 + iota
	Outside
	NoRing
	TooLong
	NotCopied
	NotOpen
	NoWord
)

// IsKnown reports whether there is such a code.
func (c Code) IsKnown() bool { return c >= NotExposed && c <= NoWord }

// Report is what a target says about an operation that has failed. One without a code says that
// it has not.
type Report struct {
	Code Code
	Hint uint64 // bytes of the segment or of the ring; number of the queue
}

// ExplainMessage makes an error of a report about a message of which only the target is known.
func (p Report) ExplainMessage(target int) error {
	if p.Code == TooLong {
		return fmt.Errorf("rma: a message to rank %d, whose receive ring tells of whole messages and has %d bytes, is longer than that", target, p.Hint)
	}
	return p.Explain(rma.Address{Rank: target}, 0)
}

// Explain makes an error of a report about an access of n bytes or a message.
func (p Report) Explain(to rma.Address, n int) error {
	switch p.Code {
	case NotExposed:
		return fmt.Errorf("rma: %v is not exposed", to)
	case Outside:
		return fmt.Errorf("rma: %d bytes at %v reach beyond the %d bytes of the segment", n, to, p.Hint)
	case NoRing:
		return fmt.Errorf("rma: rank %d has no receive ring for messages of this rank", to.Rank)
	case TooLong:
		return fmt.Errorf("rma: message of %d bytes to rank %d, whose receive ring tells of whole messages and has %d bytes", n, to.Rank, p.Hint)
	case NoWord:
		return fmt.Errorf("rma: no word of %d bytes begins at %v; expected an offset that is a multiple of that, in memory that begins at one", onesided.WordSize, to)
	case NotOpen:
		return fmt.Errorf("rma: rank %d has no command queue %d", to.Rank, p.Hint)
	}
	return fmt.Errorf("rma: %d bytes could not be copied between this process and that of %v", n, to)
}
