package mpi

// pointStart is a send or a receive that is started again and again.
type pointStart struct {
	c          *Comm
	call       string
	send, sync bool
	peer, tag  int
	data       []byte
}

// SendInit prepares a Send. Errors are as for Send.
func SendInit[T any](c *Comm, to, tag int, data []T) (*Persistent, error) {
	return sendInit(c, "SendInit", to, tag, data, false)
}

// SendSyncInit prepares a SendSync.
func SendSyncInit[T any](c *Comm, to, tag int, data []T) (*Persistent, error) {
	return sendInit(c, "SendSyncInit", to, tag, data, true)
}

func sendInit[T any](c *Comm, call string, to, tag int, data []T, sync bool) (*Persistent, error) {
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return nil, err
	}
	return &Persistent{c: c, call: call, what: &pointStart{c, call, true, sync, to, tag, b}}, nil
}

// ReceiveInit prepares a Receive. Errors are as for Receive.
func ReceiveInit[T any](c *Comm, from, tag int, into []T) (*Persistent, error) {
	const call = "ReceiveInit"
	b, err := receiving(c, call, from, tag, into)
	if err != nil {
		return nil, err
	}
	return &Persistent{c: c, call: call, what: &pointStart{c, call, false, false, from, tag, b}}, nil
}

func (s *pointStart) start(r *Request) error {
	*r = Request{}
	if s.send {
		r.setSend(s.c, s.call, s.c.point, s.peer, s.tag, s.data)
		return s.c.e.send(r, s.sync)
	}
	r.setReceive(s.c, s.call, s.c.point, s.peer, s.tag, s.data)
	return s.c.e.receive(r)
}

func (s *pointStart) free() error {
	s.data = nil
	return nil
}
