package outgoing

import "musubi/rma"

// RunAhead lets the program run ahead of its processor, where the world can do with that: until StopAhead is called it looks
// at no memory of others, and changes none that others look at.
func (o *Messages) RunAhead() { o.ahead = o.later != nil }

// StopAhead waits until the processor has come to what the program has started.
func (o *Messages) StopAhead() {
	if o.ahead {
		o.ahead = false
		o.later.Settle()
	}
}

// IsAhead reports whether the program may run ahead of its processor.
func (o *Messages) IsAhead() bool { return o.ahead }

// Serve is that of rma.Later, where Tidy comes before each arrival.
func (o *Messages) Serve(s rma.Server) error {
	o.TidyAgain()
	return o.later.Serve(s)
}

// NextTest implements rma.Server: it names what Tidy would test.
func (o *Messages) NextTest() rma.Op {
	if o.untidied == 0 || o.InFlight.Count < 2 {
		return 0
	}
	o.untidied--
	return o.InFlight.Head().Op
}

// Tested implements rma.Server.
func (o *Messages) Tested(done bool, err error) error {
	if done || err != nil {
		o.dropFirst()
	} else {
		o.untidied = 0
	}
	return err
}

// TidyAgain lets NextTest begin again, before the next arrival.
func (o *Messages) TidyAgain() { o.untidied = tidied }

// Pull starts to read memory of another process.
func (o *Messages) Pull(from rma.Address, into []byte) (rma.Op, error) {
	if o.ahead {
		if op, started := o.later.PullLater(from, into); started {
			return op, nil
		}
	}
	return o.p.Pull(from, into)
}
