package nas

import (
	"bytes"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

// Messages passes messages on for a process, such as package mpi.
type Messages interface {
	// Send starts to send. The data does not change.
	Send(to int, data []byte) error
	// Receive waits for the next message from a process, and returns its length.
	Receive(from int, into []byte) (int, error)
	// Reap forgets sends that are complete, without waiting.
	Reap()
	// Settle waits until all sends are complete.
	Settle() error
}

// passed passes messages on by Messages, and checks their data.
type passed struct {
	p           rma.Process
	messages    Messages
	filling     filling
	sent, heard []uint32 // messages so far, to and from each process
	into        []byte
	idle        units.Time
}

func newPassed(p rma.Process, m Messages, f filling) *passed {
	n := p.Size()
	return &passed{p: p, messages: m, filling: f, sent: make([]uint32, n), heard: make([]uint32, n), into: make([]byte, f.longest())}
}

func (m *passed) send(to, bytes int) error {
	number := m.sent[to]
	m.sent[to]++
	return m.messages.Send(to, m.filling.of(m.p.Rank(), to, number, bytes))
}

func (m *passed) receive(from, length int) error {
	begin := m.p.Now()
	n, err := m.messages.Receive(from, m.into[:length])
	m.idle += m.p.Now() - begin
	if err != nil {
		return err
	}
	number := m.heard[from]
	m.heard[from]++
	if n != length || !bytes.Equal(m.into[:n], m.filling.of(from, m.p.Rank(), number, n)) {
		return fmt.Errorf("rank %d got %d bytes from rank %d that are not message %d of %d bytes", m.p.Rank(), n, from, number+1, length)
	}
	return nil
}

func (m *passed) reap() error {
	m.messages.Reap()
	return nil
}

func (m *passed) settle() error { return m.messages.Settle() }

func (m *passed) waited() units.Time { return m.idle }
