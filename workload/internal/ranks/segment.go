package ranks

import "musubi/rma"

// WordSize is the data of each message, in bytes.
const WordSize = 8

// Segment is exposed memory and its number.
type Segment struct {
	Number int
	Memory []byte
}

// Expose makes memory of a rank that others can access.
func Expose(p rma.Process, bytes int) Segment {
	memory := make([]byte, bytes)
	return Segment{p.Expose(memory), memory}
}

// BlockingPush writes data and waits until it is there.
func BlockingPush(p rma.Process, to rma.Address, data []byte, by rma.Mechanism) error {
	op, err := p.Push(to, data, by)
	if err != nil {
		return err
	}
	return p.Wait(op)
}

// MarkOf returns the mark at the end of the count-th message to a place. It differs from the marks
// before and after, and from 0, the value of fresh memory.
func MarkOf(count int) byte { return byte(1 + count%2) }
