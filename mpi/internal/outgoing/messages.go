// Package outgoing keeps the messages of a process that are on their way, and the buffers
// that they are sent from.
package outgoing

import (
	"musubi/mpi/internal/buffer"
	"musubi/rma"
)

const (
	// Most is how many messages may be on their way before their completion is
	// looked for with each that follows.
	Most = 256
	// mostLate is how many that the processor writes itself may be on their way.
	// Interfaces have at least that many windows; with more, the processor could have to
	// wait for one that a full ring holds, and take nothing from its own rings meanwhile.
	mostLate = 2
	// usualBOTF is the largest message that the processor writes itself, in bytes,
	// until the machine refuses one.
	usualBOTF = 512
)

// Messages is the messages of a process on their way. Their buffers are used again
// when they are known to have come. To look for that costs time; so it is done while
// the process has to wait anyway, or if there are very many.
type Messages struct {
	p       rma.Process
	plain   buffer.Pool // what is sent by BOTF
	Exposed buffer.Pool // by DMA: the interface reaches it, and no processor waits
	botf    int         // largest message that goes by BOTF, in bytes
	Late    int         // messages by BOTF on their way

	Flights flights
}

// Init prepares for the messages of a process.
func (o *Messages) Init(p rma.Process) {
	o.p, o.botf, o.Exposed.Expose = p, usualBOTF, p.Expose
}

// Buffer returns memory for a message, and how to send it.
func (o *Messages) Buffer(bytes int) ([]byte, rma.Mechanism) {
	if o.MayWrite(bytes) {
		return o.plain.Get(bytes), rma.BOTF
	}
	return o.Exposed.Get(bytes), rma.DMA
}

// MayWrite reports whether the processor is to write a message of some bytes itself, by BOTF.
func (o *Messages) MayWrite(bytes int) bool { return bytes <= o.botf && o.Late < mostLate }

// GiveBack takes back a buffer that Buffer has returned.
func (o *Messages) GiveBack(b []byte, by rma.Mechanism) {
	if by == rma.BOTF {
		o.plain.Put(b)
	} else {
		o.Exposed.Put(b)
	}
}

// Send sends a message in a buffer, which it gives back.
func (o *Messages) Send(to int32, b []byte, by rma.Mechanism) error {
	if o.Flights.Count >= Most {
		if _, err := o.Reap(); err != nil {
			return err
		}
	}
	op, err := o.p.IPush(int(to), b, by)
	if err != nil && by == rma.BOTF {
		o.botf = len(b) - 1
		plain := b
		b, by = o.Exposed.Get(len(plain)), rma.DMA
		copy(b, plain)
		o.plain.Put(plain)
		op, err = o.p.IPush(int(to), b, by)
	}
	if err != nil {
		o.GiveBack(b, by)
		return err
	}
	if by == rma.BOTF {
		o.Late++
	}
	o.Flights.Add(Flight{op, b, by})
	return nil
}

// Reap looks whether the first message has come, and reports that.
func (o *Messages) Reap() (bool, error) {
	f := o.Flights.Head()
	come, err := o.p.Test(f.Op)
	if !come && err == nil {
		return false, nil
	}
	if f.By == rma.BOTF {
		o.Late--
	}
	o.GiveBack(f.Buffer, f.By)
	o.Flights.drop()
	return true, err
}

// Tidy looks for some messages that have come, while there is nothing else to do.
// The last has hardly come yet.
func (o *Messages) Tidy() error {
	const some = 2
	for range some {
		if o.Flights.Count < 2 {
			return nil
		}
		if come, err := o.Reap(); !come || err != nil {
			return err
		}
	}
	return nil
}
