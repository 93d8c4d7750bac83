package mpi

import "errors"

// collectiveTag is the tag of all messages of collective operations. They need not be
// told apart: those of two ranks are received in the order in which they are sent.
const collectiveTag = 0

// carryOut carries out a schedule in the context for collective operations. It goes
// on after messages of a wrong length, as others wait for what comes later, and
// returns the first error.
func (c *Comm) carryOut(call string, s *schedule, op operator) error {
	var first error
	for i := range s.steps {
		err := c.take(call, s, &s.steps[i], op)
		if first == nil {
			first = err
		}
		if errors.Is(err, ErrOther) {
			break
		}
	}
	return first
}

// take takes one step.
func (c *Comm) take(call string, s *schedule, next *step, op operator) error {
	switch next.action {
	case sendStep:
		return c.startSend(call, s, next)
	case receiveStep:
		return c.startReceive(call, s, next)
	case waitStep:
		return c.finish(call, s)
	case combineStep:
		op.apply(next.from, next.into)
	case copyStep:
		copy(next.into, next.from)
	}
	return nil
}

func (c *Comm) startSend(call string, s *schedule, next *step) error {
	if err := c.e.makeRoom(); err != nil {
		return c.fail(ErrOther, call, err)
	}
	r := c.e.newRequest()
	r.setSend(c, call, c.collective, next.peer, collectiveTag, next.from)
	if err := c.e.send(r, false); err != nil {
		return c.fail(ErrOther, call, err)
	}
	s.open = append(s.open, r)
	return nil
}

func (c *Comm) startReceive(call string, s *schedule, next *step) error {
	r := c.e.newRequest()
	r.setReceive(c, call, c.collective, next.peer, collectiveTag, next.into)
	if err := c.e.receive(r); err != nil {
		return c.fail(ErrOther, call, err)
	}
	s.open = append(s.open, r)
	return nil
}

// finish waits for all that has been started. It returns the first error, but not
// before all is complete: what is under way would go on using the memory.
func (c *Comm) finish(call string, s *schedule) error {
	var first error
	for _, r := range s.open {
		receive, want := r.receive, len(r.data)
		status, err := c.e.end(r)
		if err == nil && receive && status.Bytes != want {
			err = c.failf(ErrCount, call, "%d bytes from rank %d; expected %d, as all ranks give alike", status.Bytes, status.From, want)
		}
		if first == nil {
			first = err
		}
	}
	clear(s.open)
	s.open = s.open[:0]
	return first
}
