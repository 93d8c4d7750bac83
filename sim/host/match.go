package host

import (
	"fmt"

	"musubi/rma"
)

// matchWordBytes is the length of the word that interfaces compare.
const matchWordBytes = 8

// IPushMatch is IPush of a message that the target's interface matches. It is for models whose
// interfaces do that; see rma.Matcher.
func (r *Process) IPushMatch(to int, message []byte, m rma.Matching, by rma.Mechanism) (rma.Op, error) {
	if len(message) < matchWordBytes {
		return 0, fmt.Errorf("rma: IPushMatch of %d bytes; expected at least the %d of a word", len(message), matchWordBytes)
	}
	if m.By == rma.Offered {
		if _, err := r.Memory(rma.Address{Rank: r.number, Segment: m.Segment}, m.Bytes); err != nil {
			return 0, err
		}
	}
	q := r.ask(IPush, to)
	q.Local, q.By, q.Match = message, by, &m
	return r.start()
}
