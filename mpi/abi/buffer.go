package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
)

// attachedBuffers is the room for buffered sends. The program's buffer says how much; the data lies
// in memory of this package.
type attachedBuffers struct {
	own       attached
	constants int64 // address of values of standard attributes
	abandoned []*request
}

// attached is a buffer that the program has attached.
type attached struct {
	at          int64
	bytes, used int
	sends       []bufferedMessage
}

type bufferedMessage struct {
	*core.Request
	bytes int
}

func (p *Process) bufferFor(m *comm) *attached {
	if m.buffer != nil && m.buffer.own.at != 0 {
		return &m.buffer.own
	}
	return &p.buffers.own
}

func (b *attached) keep(r *core.Request, bytes int) {
	b.sends = append(b.sends, bufferedMessage{r, bytes + standard.BsendOverhead})
	b.used += bytes + standard.BsendOverhead
}

// collect gives back the room of messages that have gone.
func (b *attached) collect() {
	left := b.sends[:0]
	for _, s := range b.sends {
		if s.Complete {
			b.used -= s.bytes
		} else {
			left = append(left, s)
		}
	}
	b.sends = left
}

// wait waits until all messages have gone.
func (b *attached) wait(c *call) error {
	for _, s := range b.sends {
		if _, err := s.Wait(); err != nil {
			return err
		}
	}
	b.sends, b.used = nil, 0
	return nil
}

func init() {
	own := func(c *call) (*attached, error) { return &c.buffers.own, nil }
	of := func(c *call) (*attached, error) {
		m, err := c.comm(0)
		if err != nil {
			return nil, err
		}
		if m.buffer == nil {
			m.buffer = new(attachedBuffers)
		}
		return &m.buffer.own, nil
	}
	for _, x := range []struct {
		prefix string
		first  int
		find   func(c *call) (*attached, error)
	}{{"MPI_Buffer_", 0, own}, {"MPI_Comm_", 1, of}, {"MPI_Session_", 1, own}} {
		name := func(what string) string {
			if x.first == 0 {
				return x.prefix + what
			}
			return x.prefix + what + "_buffer"
		}
		add(map[string]func(c *call) error{
			name("attach"): func(c *call) error { return c.attach(x.find, x.first) },
			name("detach"): func(c *call) error { return c.detach(x.find, x.first) },
			name("flush"):  func(c *call) error { return c.flush(x.find) },
			name("iflush"): func(c *call) error {
				if err := c.flush(x.find); err != nil {
					return err
				}
				c.putWord(c.a[x.first], c.doneRequest(nil))
				return nil
			},
		})
	}
}

func (c *call) attach(find func(c *call) (*attached, error), i int) error {
	b, err := find(c)
	if err != nil {
		return err
	}
	if b.at != 0 {
		return wrong(standard.ErrBuffer, "a buffer is attached; expected MPI_Buffer_detach before")
	}
	if c.at(i+1) < 0 {
		return wrong(standard.ErrArg, "a buffer of %d bytes", c.at(i+1))
	}
	b.at, b.bytes = c.a[i], c.at(i+1)
	if b.at == standard.BufferAutomatic {
		b.bytes = 1 << 62
	}
	return nil
}

func (c *call) detach(find func(c *call) (*attached, error), i int) error {
	b, err := find(c)
	if err != nil {
		return err
	}
	if err := b.wait(c); err != nil {
		return err
	}
	c.putWord(c.a[i], b.at)
	bytes := b.bytes
	if b.at == standard.BufferAutomatic {
		bytes = 0
	}
	if c.large {
		c.putWord(c.a[i+1], int64(bytes))
	} else {
		c.putInt(c.a[i+1], bytes)
	}
	*b = attached{}
	return nil
}

func (c *call) flush(find func(c *call) (*attached, error)) error {
	b, err := find(c)
	if err != nil {
		return err
	}
	return b.wait(c)
}
