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
	StatusBytes     = 32
	StatusError     = 8
	StatusCancelled = 12
	StatusBytesAt   = 16
)

// EmptyStatus is that of a request that was none.
var EmptyStatus = core.Status{From: match.AnySource, Tag: match.AnyTag}

// PutStatus writes a status, but for its error.
func (p *Process) PutStatus(at int64, s *core.Status) {
	if at == 0 {
		return
	}
	b := p.encodeStatus(s)
	if s == &EmptyStatus { // without an error, as MPI has it; of others the field stays (MPI 5.0, section 3.2.5)
		p.Store(at, b)
		return
	}
	p.Store(at, b[:StatusError])
	p.Store(at+StatusCancelled, b[StatusCancelled:])
}

// PutStatusOf writes a status with its error.
func (p *Process) PutStatusOf(at int64, s *core.Status, code int) {
	if at == 0 {
		return
	}
	b := p.encodeStatus(s)
	binary.NativeEndian.PutUint32(b[StatusError:], uint32(code))
	p.Store(at, b)
}

func (p *Process) encodeStatus(s *core.Status) []byte {
	p.result = [StatusBytes]byte{}
	b := p.result[:]
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
		b[StatusCancelled] = 1
	}
	binary.NativeEndian.PutUint64(b[StatusBytesAt:], uint64(s.Bytes))
	return b
}
