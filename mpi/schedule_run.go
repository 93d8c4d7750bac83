package mpi

// carryOut carries out a schedule in the context for collective operations.
func (c *Comm) carryOut(call string, s *schedule, op operator) error {
	tag := int(c.collectives.count)
	c.collectives.count = (c.collectives.count + 1) & MaxTag
	for i := range s.steps {
		if err := c.take(call, tag, s, &s.steps[i], op); err != nil {
			return err
		}
	}
	return nil
}

// take takes one step.
func (c *Comm) take(call string, tag int, s *schedule, next *step, op operator) error {
	switch next.action {
	case sendStep:
		return c.startSend(call, tag, s, next)
	case receiveStep:
		return c.startReceive(call, tag, s, next)
	case waitStep:
		return c.finish(call, s)
	case combineStep:
		op.apply(next.from, next.into)
	case copyStep:
		copy(next.into, next.from)
	}
	return nil
}

func (c *Comm) startSend(call string, tag int, s *schedule, next *step) error {
	if err := c.e.makeRoom(); err != nil {
		return c.fail(ErrOther, call, err)
	}
	r := c.e.newRequest()
	r.setSend(c, call, c.collective, next.peer, tag, next.from)
	if err := c.e.send(r, false); err != nil {
		return c.fail(ErrOther, call, err)
	}
	s.open = append(s.open, r)
	return nil
}

func (c *Comm) startReceive(call string, tag int, s *schedule, next *step) error {
	r := c.e.newRequest()
	r.setReceive(c, call, c.collective, next.peer, tag, next.into)
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
