package live

import (
	"fmt"

	"musubi/onesided"
	"musubi/rma"
)

// code is why a target could not do an operation.
type code uint64

const (
	notExposed code = 1 + iota
	outside
	noRing
	tooLong
	notCopied
	notOpen
	noWord
)

func (c code) isKnown() bool { return c >= notExposed && c <= noWord }

// report is what a target says about an operation that has failed.
type report struct {
	code code
	hint uint64 // bytes of the segment or of the ring; number of the queue
}

// explainMessage makes an error of a report about a message of which only the target
// is known.
func (p report) explainMessage(target int) error {
	if p.code == tooLong {
		return fmt.Errorf("rma: a message to rank %d, whose receive ring tells of whole messages and has %d bytes, is longer than that", target, p.hint)
	}
	return p.explain(rma.Address{Rank: target}, 0)
}

// explain makes an error of a report about an access of n bytes or a message.
func (p report) explain(to rma.Address, n int) error {
	switch p.code {
	case notExposed:
		return fmt.Errorf("rma: %v is not exposed", to)
	case outside:
		return fmt.Errorf("rma: %d bytes at %v reach beyond the %d bytes of the segment", n, to, p.hint)
	case noRing:
		return fmt.Errorf("rma: rank %d has no receive ring for messages of this rank", to.Rank)
	case tooLong:
		return fmt.Errorf("rma: message of %d bytes to rank %d, whose receive ring tells of whole messages and has %d bytes", n, to.Rank, p.hint)
	case noWord:
		return fmt.Errorf("rma: no word of %d bytes begins at %v; expected an offset that is a multiple of that, in memory that begins at one", onesided.WordSize, to)
	case notOpen:
		return fmt.Errorf("rma: rank %d has no command queue %d", to.Rank, p.hint)
	}
	return fmt.Errorf("rma: %d bytes could not be copied between this process and that of %v", n, to)
}
