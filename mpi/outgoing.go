package mpi

import "musubi/rma"

const (
	// crowd is how many messages may be on their way before their completion is
	// looked for with each that follows.
	crowd = 256
	// lateBOTF is how many that the processor writes itself may be on their way.
	// Interfaces have at least that many windows; with more, the processor could have to
	// wait for one that a full ring holds, and take nothing from its own rings meanwhile.
	lateBOTF = 2
	// usualBOTF is the largest message that the processor writes itself, in bytes,
	// until the machine refuses one.
	usualBOTF = 512
)

// outgoing is the messages of a process on their way. Their buffers are used again
// when they are known to have come. To look for that costs time; so it is done while
// the process has to wait anyway, or if there are very many.
type outgoing struct {
	p       rma.Process
	plain   pool // what is sent by BOTF
	exposed pool // by DMA: the interface reaches it, and no processor waits
	botf    int  // largest message that goes by BOTF, in bytes
	late    int  // messages by BOTF on their way

	flights flights
}

func (o *outgoing) init(p rma.Process) {
	o.p, o.botf, o.exposed.expose = p, usualBOTF, p.Expose
}

// buffer returns memory for a message, and how to send it.
func (o *outgoing) buffer(bytes int) ([]byte, rma.Mechanism) {
	if bytes <= o.botf && o.late < lateBOTF {
		return o.plain.get(bytes), rma.BOTF
	}
	return o.exposed.get(bytes), rma.DMA
}

func (o *outgoing) giveBack(b []byte, by rma.Mechanism) {
	if by == rma.BOTF {
		o.plain.put(b)
	} else {
		o.exposed.put(b)
	}
}

// send sends a message in a buffer, which it gives back.
func (o *outgoing) send(to int32, b []byte, by rma.Mechanism) error {
	if o.flights.count >= crowd {
		if _, err := o.reap(); err != nil {
			return err
		}
	}
	op, err := o.p.IPush(int(to), b, by)
	if err != nil && by == rma.BOTF {
		o.botf = len(b) - 1
		plain := b
		b, by = o.exposed.get(len(plain)), rma.DMA
		copy(b, plain)
		o.plain.put(plain)
		op, err = o.p.IPush(int(to), b, by)
	}
	if err != nil {
		o.giveBack(b, by)
		return err
	}
	if by == rma.BOTF {
		o.late++
	}
	o.flights.add(flight{op, b, by})
	return nil
}

// reap looks whether the first message has come, and reports that.
func (o *outgoing) reap() (bool, error) {
	f := o.flights.head()
	come, err := o.p.Test(f.op)
	if !come && err == nil {
		return false, nil
	}
	if f.by == rma.BOTF {
		o.late--
	}
	o.giveBack(f.buffer, f.by)
	o.flights.drop()
	return true, err
}

// tidy looks for some messages that have come, while there is nothing else to do.
// The last has hardly come yet.
func (o *outgoing) tidy() error {
	const some = 2
	for range some {
		if o.flights.count < 2 {
			return nil
		}
		if come, err := o.reap(); !come || err != nil {
			return err
		}
	}
	return nil
}

// hasRoom reports whether there is room for another message on its way.
func (e *engine) hasRoom() (bool, error) {
	if e.out.flights.count < crowd {
		return true, nil
	}
	return e.out.reap()
}

// isCrowded reports whether very many messages are on their way.
func (e *engine) isCrowded() bool { return e.out.flights.count >= crowd }

// makeRoom makes progress until there is room for another message on its way.
func (e *engine) makeRoom() error { return e.thin(crowd) }

// thin makes progress until less than some messages are on their way.
func (e *engine) thin(count int) error {
	for e.out.flights.count >= count {
		come, err := e.out.reap()
		if err != nil {
			return err
		}
		if come {
			continue
		}
		if err := e.p.Await(e.out.flights.head().op); err != nil {
			return err
		}
		if err := e.progress(); err != nil {
			return err
		}
	}
	return nil
}
