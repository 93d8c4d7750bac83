package loggops

import (
	"errors"
	"fmt"
	"slices"

	"musubi/trace/schedule"
	"musubi/units"
)

// lists are the receives without messages, in the order in which they were posted, and the messages
// without receives of a rank, in the order of arrival.
type lists struct {
	posted     []posted
	unexpected []message
}

// posted is a receive without a message.
type posted struct {
	source, tag uint32
	op          uint32
}

// message is one without a receive.
type message struct {
	source, tag uint32
	op          uint32 // of the source
	at          units.Time
}

// accepts reports whether sources or tags match, of which either may be Any.
func accepts(a, b uint32) bool { return a == b || a == schedule.Any || b == schedule.Any }

// takePosted takes the first posted receive that a message matches, and returns its operation.
func (r *lists) takePosted(source, tag uint32) (op uint32, ok bool) {
	i := slices.IndexFunc(r.posted, func(p posted) bool { return accepts(p.source, source) && accepts(p.tag, tag) })
	if i < 0 {
		return 0, false
	}
	op = r.posted[i].op
	r.posted = slices.Delete(r.posted, i, i+1)
	return op, true
}

// takeUnexpected takes the first message that matches a receive.
func (r *lists) takeUnexpected(source, tag uint32) (m message, ok bool) {
	for i := range r.unexpected {
		if m = r.unexpected[i]; accepts(source, m.source) && accepts(tag, m.tag) {
			r.unexpected = slices.Delete(r.unexpected, i, i+1)
			return m, true
		}
	}
	return message{}, false
}

// sent returns the operation that has sent a message.
func (e *engine) sent(m message) *schedule.Op { return &e.schedule.Ranks[m.source].Ops[m.op] }

// fits reports whether a receive takes all of a message. If not, the run fails.
func (e *engine) fits(to, receive, from, send uint32) bool {
	if e.schedule.Ranks[from].Ops[send].Size <= e.schedule.Ranks[to].Ops[receive].Size {
		return true
	}
	if e.failure == nil {
		e.failure = fmt.Errorf("%s: it gets the longer message of %s", e.schedule.Where(int(to), int(receive)), e.schedule.Where(int(from), int(send)))
	}
	return false
}

// leftovers fails if operations have not ended.
func (e *engine) leftovers() error {
	receives, sends := 0, 0
	var first error
	for r := range e.ranks {
		posted, unexpected := e.leftover(r)
		receives += len(posted)
		sends += len(unexpected)
		switch {
		case first != nil:
		case len(posted) > 0:
			first = fmt.Errorf("%s: no message comes", e.schedule.Where(r, int(posted[0].op)))
		case len(unexpected) > 0:
			first = fmt.Errorf("%s: nobody receives it", e.schedule.Where(int(unexpected[0].source), int(unexpected[0].op)))
		}
	}
	if first != nil {
		return fmt.Errorf("%w; %d receives are without a message, and %d messages without a receive", first, receives, sends)
	}
	return e.stuck()
}

// stuck fails if operations wait for each other.
func (e *engine) stuck() error {
	for r := range e.ranks {
		for i, done := range e.ranks[r].done {
			if !done {
				return errors.New(e.schedule.Where(r, i) + ": it never starts, as what it requires never ends, or requires it in turn")
			}
		}
	}
	return nil
}
