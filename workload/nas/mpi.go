package nas

import (
	"slices"

	"musubi/mpi"
	"musubi/rma"
)

// nasMPI passes the messages of a NAS kernel on by package mpi: started sends, and receives that
// wait.
type nasMPI struct {
	c    *mpi.Comm
	open []*mpi.Request // sends
}

func newNASMPI(p rma.Process) (*nasMPI, error) {
	c, err := mpi.New(p, mpi.Options{Check: mpi.CheckOff})
	return &nasMPI{c: c}, err
}

// nasTag is that of all messages: those of a sender come in order.
const nasTag = 0

// Send implements nas.Messages.
func (m *nasMPI) Send(to int, data []byte) error {
	r, err := mpi.ISend(m.c, to, nasTag, data)
	if err != nil {
		return err
	}
	m.open = append(m.open, r)
	return nil
}

// Receive implements nas.Messages.
func (m *nasMPI) Receive(from int, into []byte) (int, error) {
	status, err := mpi.Receive(m.c, from, nasTag, into)
	return status.Bytes, err
}

// Reap implements nas.Messages.
func (m *nasMPI) Reap() {
	mpi.Release(m.open...)
	m.open = slices.DeleteFunc(m.open, func(r *mpi.Request) bool { return r == nil })
}

// Settle implements nas.Messages.
func (m *nasMPI) Settle() error {
	defer m.Reap()
	return mpi.WaitAll(m.open...)
}
