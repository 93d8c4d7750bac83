package pointtopoint

import (
	"slices"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
)

func bufferFor(p *abi.Process, m *abi.Comm) *abi.Attached {
	if m.Buffer != nil && m.Buffer.Own.At != 0 {
		return &m.Buffer.Own
	}
	return &p.Buffers.Own
}

// unkeep gives back the room of a message that is to be cancelled. Its memory is still needed.
func unkeep(b *abi.Attached, r *core.Request) {
	if i := slices.IndexFunc(b.Sends, func(s abi.BufferedMessage) bool { return s.Request == r }); i >= 0 {
		b.Used -= len(b.Sends[i].Data)
		b.Sends = slices.Delete(b.Sends, i, i+1)
	}
}

// collect gives back the room of messages that have gone.
func collect(b *abi.Attached) {
	b.Sends = slices.DeleteFunc(b.Sends, func(s abi.BufferedMessage) bool {
		if s.Complete {
			b.Drop(s)
		}
		return s.Complete
	})
}

// Wait waits until all messages have gone.
func Wait(b *abi.Attached, c *abi.Call) error {
	for _, s := range b.Sends {
		if _, err := s.Wait(); err != nil {
			return err
		}
	}
	for _, s := range b.Sends {
		b.Drop(s)
	}
	b.Sends = b.Sends[:0]
	return nil
}

func init() {
	own := func(c *abi.Call) (*abi.Attached, error) { return &c.Buffers.Own, nil }
	of := func(c *abi.Call) (*abi.Attached, error) {
		m, err := c.Comm(0)
		if err != nil {
			return nil, err
		}
		if m.Buffer == nil {
			m.Buffer = new(abi.AttachedBuffers)
			c.Buffers.InComms = true
		}
		return &m.Buffer.Own, nil
	}
	for _, x := range []struct {
		prefix string
		first  int
		find   func(c *abi.Call) (*abi.Attached, error)
	}{{"MPI_Buffer_", 0, own}, {"MPI_Comm_", 1, of}, {"MPI_Session_", 1, own}} {
		name := func(what string) string {
			if x.first == 0 {
				return x.prefix + what
			}
			return x.prefix + what + "_buffer"
		}
		abi.Add(map[string]func(c *abi.Call) error{
			name("attach"): func(c *abi.Call) error { return attach(c, x.find, x.first) },
			name("detach"): func(c *abi.Call) error { return detach(c, x.find, x.first) },
			name("flush"):  func(c *abi.Call) error { return flush(c, x.find) },
			name("iflush"): func(c *abi.Call) error {
				b, err := x.find(c)
				if err != nil {
					return err
				}
				r := c.NewRequest(nil)
				r.Status, r.Flushes = abi.EmptyStatus, slices.Clone(b.Sends)
				c.PutWord(c.Words[x.first], c.Requests.Add(r))
				return nil
			},
		})
	}
}

func attach(c *abi.Call, find func(c *abi.Call) (*abi.Attached, error), i int) error {
	b, err := find(c)
	if err != nil {
		return err
	}
	if b.At != 0 {
		return abi.Wrong(standard.ErrBuffer, "a buffer is attached; expected MPI_Buffer_detach before")
	}
	if c.At(i+1) < 0 {
		return abi.Wrong(standard.ErrArg, "a buffer of %d bytes", c.At(i+1))
	}
	b.At, b.Bytes = c.Words[i], c.At(i+1)
	if b.At == standard.BufferAutomatic {
		b.Bytes = 1 << 62
	}
	return nil
}

func detach(c *abi.Call, find func(c *abi.Call) (*abi.Attached, error), i int) error {
	b, err := find(c)
	if err != nil {
		return err
	}
	if err := Wait(b, c); err != nil {
		return err
	}
	c.PutWord(c.Words[i], b.At)
	bytes := b.Bytes
	if b.At == standard.BufferAutomatic {
		bytes = 0
	}
	if c.Large {
		c.PutWord(c.Words[i+1], int64(bytes))
	} else {
		c.PutInt(c.Words[i+1], bytes)
	}
	*b = abi.Attached{}
	return nil
}

func flush(c *abi.Call, find func(c *abi.Call) (*abi.Attached, error)) error {
	b, err := find(c)
	if err != nil {
		return err
	}
	return Wait(b, c)
}
