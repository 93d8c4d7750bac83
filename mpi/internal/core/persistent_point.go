package core

// pointOperation is a persistent send or receive.
type pointOperation struct {
	c          *Comm
	call       string
	send, sync bool
	peer, tag  int
	data       []byte
}

// PrepareSend prepares a send, synchronous or not.
func (c *Comm) PrepareSend(call string, to, tag int, data []byte, sync bool) *Persistent {
	return NewPersistent(c, call, &pointOperation{c, call, true, sync, to, tag, data})
}

// PrepareReceive prepares a receive.
func (c *Comm) PrepareReceive(call string, from, tag int, into []byte) *Persistent {
	return NewPersistent(c, call, &pointOperation{c, call, false, false, from, tag, into})
}

// Start starts the message again.
func (s *pointOperation) Start(r *Request) error {
	*r = Request{}
	if s.send {
		s.c.Engine.TakeAnswers()
		r.SetSend(s.c, s.call, s.c.Point, s.peer, s.tag, s.data)
		return s.c.Engine.Send(r, s.sync)
	}
	r.SetReceive(s.c, s.call, s.c.Point, s.peer, s.tag, s.data)
	return s.c.Engine.Receive(r)
}

// Free lets go of the data.
func (s *pointOperation) Free() error {
	s.data = nil
	return nil
}
