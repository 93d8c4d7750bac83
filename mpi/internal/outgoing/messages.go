// Package outgoing keeps the messages of a process that are in flight, and the buffers from which
// they are sent.
package outgoing

import (
	"musubi/internal/phantom"
	"musubi/mpi/internal/buffer"
	"musubi/rma"
)

const (
	// Most is how many messages may be in flight before each further one first looks for a
	// completion.
	Most = 256
	// mostBOTF is how many messages by BOTF may be in flight. Interfaces have at least that many
	// windows. With more, the processor might have to wait for a window that a full ring blocks,
	// and take nothing from its own rings meanwhile.
	mostBOTF = 2
	// initialBOTF is the largest message that is sent by BOTF, in bytes, until the machine refuses
	// one.
	initialBOTF = 512
)

// Messages is the messages of a process in flight. Their buffers are reused when they are known to
// be complete. Each test for that costs time; so it is done while the process has to wait anyway, or
// if there are very many.
type Messages struct {
	p            rma.Process
	matcher      rma.Matcher // p, or nil if its interface does not match
	later        rma.Later   // p, or nil if its program cannot run ahead
	ahead        bool        // the program may run ahead of its processor
	untidied     int8        // messages that Next may still reap
	InFlight     inFlightQueue
	InFlightBOTF int         // messages by BOTF in flight
	botf         int         // largest message that goes by BOTF, in bytes
	plain        buffer.Pool // for messages by BOTF
	Exposed      buffer.Pool // for messages by DMA: the interface reaches it, so that the processor need not wait
}

// Init prepares to send messages of a process.
func (o *Messages) Init(p rma.Process) {
	o.p, o.botf, o.Exposed.Expose = p, initialBOTF, p.Expose
	o.matcher, _ = p.(rma.Matcher)
	if l, ok := p.(rma.Later); ok && o.matcher == nil && l.RunsAhead() {
		o.later = l
	}
}

// Buffer returns memory for a message, and how to send it.
func (o *Messages) Buffer(bytes int) ([]byte, rma.Mechanism) { return o.like(nil, bytes) }

// like is Buffer for a message whose data lies in model.
func (o *Messages) like(model []byte, bytes int) ([]byte, rma.Mechanism) {
	if o.MayWrite(bytes) {
		return o.plain.Like(model, bytes), rma.BOTF
	}
	return o.Exposed.Like(model, bytes), rma.DMA
}

// Joined returns a message of a head and data in memory, and how to send it.
func (o *Messages) Joined(head, data []byte) ([]byte, rma.Mechanism) {
	b, by := o.like(data, len(head)+len(data))
	phantom.Join(b, head, data)
	return b, by
}

// Referring is Joined of data that stays where it is. Model is empty memory without bytes.
func (o *Messages) Referring(model, head, data []byte) ([]byte, rma.Mechanism) {
	b, by := o.like(model, len(head)+len(data))
	phantom.Refer(b, head, data)
	return b, by
}

// MayWrite reports whether data of some bytes is to go by BOTF.
func (o *Messages) MayWrite(bytes int) bool { return bytes <= o.botf && o.InFlightBOTF < mostBOTF }

// GiveBack takes back a buffer that Buffer has returned.
func (o *Messages) GiveBack(b []byte, by rma.Mechanism) {
	if by == rma.BOTF {
		o.plain.Put(b)
	} else {
		o.Exposed.Put(b)
	}
}

// Send sends a message in a buffer, which it gives back.
func (o *Messages) Send(to int32, b []byte, by rma.Mechanism) error { return o.send(to, b, nil, by) }

// SendMatched is Send of a message that begins with the word by which an interface matches it,
// where one does.
func (o *Messages) SendMatched(to int32, b []byte, m rma.Matching, by rma.Mechanism) error {
	if o.matcher == nil {
		return o.send(to, b, nil, by)
	}
	return o.send(to, b, &m, by)
}

// send is Send of a message that may be matched.
func (o *Messages) send(to int32, b []byte, m *rma.Matching, by rma.Mechanism) error {
	if o.InFlight.Count >= Most {
		if _, err := o.Reap(); err != nil {
			return err
		}
	}
	op, err := o.push(to, b, m, by)
	if err != nil && by == rma.BOTF {
		o.botf = len(b) - 1
		plain := b
		b, by = o.Exposed.Like(plain, len(plain)), rma.DMA
		phantom.Copy(b, plain)
		o.plain.Put(plain)
		op, err = o.push(to, b, m, by)
	}
	if err != nil {
		o.GiveBack(b, by)
		return err
	}
	if by == rma.BOTF {
		o.InFlightBOTF++
	}
	o.InFlight.Add(InFlight{op, b, by})
	return nil
}

// push starts to send a message that may be matched.
func (o *Messages) push(to int32, b []byte, m *rma.Matching, by rma.Mechanism) (rma.Op, error) {
	if m != nil {
		return o.matcher.IPushMatch(int(to), b, *m, by)
	}
	if o.ahead {
		if op, started := o.later.IPushLater(int(to), b, by); started {
			return op, nil
		}
	}
	return o.p.IPush(int(to), b, by)
}

// Reap reports whether the first message is complete, and if so removes it.
func (o *Messages) Reap() (bool, error) {
	come, err := o.p.Test(o.InFlight.Head().Op)
	if !come && err == nil {
		return false, nil
	}
	o.dropFirst()
	return true, err
}

// dropFirst removes the first message, which is complete.
func (o *Messages) dropFirst() {
	f := o.InFlight.Head()
	if f.By == rma.BOTF {
		o.InFlightBOTF--
	}
	o.GiveBack(f.Buffer, f.By)
	o.InFlight.drop()
}

// ReapAll removes the messages that are complete, up to the first that is not.
func (o *Messages) ReapAll() error {
	for o.InFlight.Count > 0 {
		if come, err := o.Reap(); !come || err != nil {
			return err
		}
	}
	return nil
}

// Tidy reaps a few messages, while there is nothing else to do. It leaves the last one, which is
// hardly ever complete yet.
func (o *Messages) Tidy() error {
	for range tidied {
		if o.InFlight.Count < 2 {
			return nil
		}
		if come, err := o.Reap(); !come || err != nil {
			return err
		}
	}
	return nil
}

// tidied is how many messages Tidy reaps at most.
const tidied = 2
