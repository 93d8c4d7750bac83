package abi

import (
	"encoding/binary"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/match"
)

// A status of C has eight ints: source, tag, error, and of the five inner ones whether it was
// cancelled, and in two the bytes of the message.
const (
	statusBytes     = 32
	statusError     = 8
	statusCancelled = 12
	statusBytesAt   = 16
)

var emptyStatus = core.Status{From: match.AnySource, Tag: match.AnyTag}

// putStatus writes a status, but for its error.
func (p *Process) putStatus(at int64, s *core.Status) {
	if at == 0 {
		return
	}
	var b [statusBytes]byte
	encodeStatus(b[:], s)
	p.store(at, b[:statusError])
	p.store(at+statusCancelled, b[statusCancelled:])
}

// putStatusOf writes a status with its error.
func (p *Process) putStatusOf(at int64, s *core.Status, code int) {
	if at == 0 {
		return
	}
	var b [statusBytes]byte
	encodeStatus(b[:], s)
	binary.NativeEndian.PutUint32(b[statusError:], uint32(code))
	p.store(at, b[:])
}

func encodeStatus(b []byte, s *core.Status) {
	from, tag := s.From, s.Tag
	if from == core.None {
		from = standard.ProcNull
	}
	if tag == match.AnyTag {
		tag = standard.AnyTag
	}
	binary.NativeEndian.PutUint32(b, uint32(int32(from)))
	binary.NativeEndian.PutUint32(b[4:], uint32(int32(tag)))
	if s.Cancelled {
		b[statusCancelled] = 1
	}
	binary.NativeEndian.PutUint64(b[statusBytesAt:], uint64(s.Bytes))
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Get_count":      func(c *call) error { return c.getCount(false) },
		"MPI_Get_elements":   func(c *call) error { return c.getCount(true) },
		"MPI_Get_elements_x": func(c *call) error { c.large = true; return c.getCount(true) },
		"MPI_Status_set_elements": func(c *call) error {
			t, err := c.datatype(1)
			if err == nil {
				c.putWord(c.a[0]+statusBytesAt, int64(t.BytesOf(c.at(2))))
			}
			return err
		},
		"MPI_Status_set_elements_x": func(c *call) error {
			t, err := c.datatype(1)
			if err == nil {
				c.putWord(c.a[0]+statusBytesAt, int64(t.BytesOf(c.at(2))))
			}
			return err
		},
		"MPI_Status_set_cancelled": func(c *call) error { c.putBool(c.a[0]+statusCancelled, c.at(1) != 0); return nil },
		"MPI_Test_cancelled":       func(c *call) error { c.putBool(c.a[1], c.int(c.a[0]+statusCancelled) != 0); return nil },
		"MPI_Status_get_source":    func(c *call) error { c.putInt(c.a[1], c.int(c.a[0])); return nil },
		"MPI_Status_get_tag":       func(c *call) error { c.putInt(c.a[1], c.int(c.a[0]+4)); return nil },
		"MPI_Status_get_error":     func(c *call) error { c.putInt(c.a[1], c.int(c.a[0]+statusError)); return nil },
		"MPI_Status_set_source":    func(c *call) error { c.putInt(c.a[0], c.at(1)); return nil },
		"MPI_Status_set_tag":       func(c *call) error { c.putInt(c.a[0]+4, c.at(1)); return nil },
		"MPI_Status_set_error":     func(c *call) error { c.putInt(c.a[0]+statusError, c.at(1)); return nil },
	})
}

// getCount tells how many elements, or basic ones, a message has.
func (c *call) getCount(basic bool) error {
	t, err := c.datatype(1)
	if err != nil {
		return err
	}
	bytes := int(c.word(c.a[0] + statusBytesAt))
	n := standard.Undefined
	switch {
	case basic:
		if n = t.Basics(bytes); n < 0 {
			n = standard.Undefined
		}
	case t.Size == 0:
		if n = 0; bytes > 0 {
			n = standard.Undefined
		}
	case bytes%t.Size == 0:
		n = bytes / t.Size
	}
	if c.large {
		c.putWord(c.a[2], int64(n))
		return nil
	}
	if n > 1<<31-1 {
		n = standard.Undefined
	}
	c.putInt(c.a[2], n)
	return nil
}
