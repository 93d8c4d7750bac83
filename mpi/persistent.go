package mpi

// Persistent is a send or receive that is started again and again with the same
// arguments. The elements are those that the slice has at each start.
type Persistent struct {
	r       Request
	send    bool
	sync    bool
	to, tag int
	data    []byte
	started bool
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
	return &Persistent{r: Request{c: c, call: call}, send: true, sync: sync, to: to, tag: tag, data: b}, nil
}

// ReceiveInit prepares a Receive. Errors are as for Receive.
func ReceiveInit[T any](c *Comm, from, tag int, into []T) (*Persistent, error) {
	b, err := receiving(c, "ReceiveInit", from, tag, into)
	if err != nil {
		return nil, err
	}
	return &Persistent{r: Request{c: c, call: "ReceiveInit"}, to: from, tag: tag, data: b}, nil
}

// Start starts it. It fails with ErrRequest if the last start is not complete.
func (p *Persistent) Start() error {
	if p == nil {
		return noRequest("Start")
	}
	c, call := p.r.c, p.r.call
	if err := c.check("Start"); err != nil {
		return err
	}
	if p.started && !p.r.complete {
		return c.failf(ErrRequest, "Start", "a request of %s that has been started and is not complete", call)
	}
	p.r = Request{}
	var err error
	if p.send {
		p.r.setSend(c, call, c.point, p.to, p.tag, p.data)
		err = c.e.send(&p.r, p.sync)
	} else {
		p.r.setReceive(c, call, c.point, p.to, p.tag, p.data)
		err = c.e.receive(&p.r)
	}
	if err != nil {
		return c.fail(ErrOther, call, err)
	}
	p.started = true
	return nil
}

// Request returns what has been started last, to wait for, test or cancel; nil if
// nothing has been. It is the same after each start.
func (p *Persistent) Request() *Request {
	if p == nil || !p.started {
		return nil
	}
	return &p.r
}

// Wait is Wait of what has been started last.
func (p *Persistent) Wait() (Status, error) { return p.Request().Wait() }

// Test is Test of what has been started last.
func (p *Persistent) Test() (Status, bool, error) { return p.Request().Test() }

// StartAll starts several, in their order, up to the first that fails.
func StartAll(all ...*Persistent) error {
	for _, p := range all {
		if err := p.Start(); err != nil {
			return err
		}
	}
	return nil
}
