package nas

import (
	"musubi/rma"
	"musubi/units"
)

// transport passes the messages of one process on.
type transport interface {
	// send sends the next message to a process. It may return before the message has arrived.
	send(to, bytes int) error
	// receive waits for the next message from a process.
	receive(from, bytes int) error
	// reap forgets messages that have arrived. It does not wait, because nobody would take in
	// messages meanwhile.
	reap() error
	// settle waits until all messages have arrived. By then no process sends to this one any more.
	settle() error
	// waited returns how long the process has waited for others so far.
	waited() units.Time
}

// rings passes messages on by IPUSH, to the receive rings of processes.
type rings struct {
	p       rma.Process
	filling filling
	inbox   *inbox
	sent    []uint32 // messages so far, to each process
	open    []rma.Op // messages that may not have arrived yet
	idle    units.Time
}

func newRings(p rma.Process, f filling) *rings {
	return &rings{p: p, filling: f, inbox: newInbox(p, f), sent: make([]uint32, p.Size())}
}

func (r *rings) send(to, bytes int) error {
	op, err := r.p.IPush(to, r.filling.of(r.p.Rank(), to, r.sent[to], bytes), rma.DMA)
	if err != nil {
		return err
	}
	r.open = append(r.open, op)
	r.sent[to]++
	return nil
}

func (r *rings) receive(from, bytes int) error {
	begin := r.p.Now()
	err := r.inbox.receive(from, bytes)
	r.idle += r.p.Now() - begin
	return err
}

func (r *rings) reap() (err error) {
	r.open, err = reaped(r.p, r.open)
	return err
}

// reaped returns operations without the first ones that are complete.
func reaped(p rma.Process, open []rma.Op) ([]rma.Op, error) {
	for len(open) > 0 {
		done, err := p.Test(open[0])
		if err != nil || !done {
			return open, err
		}
		open = open[1:]
	}
	return open, nil
}

func (r *rings) settle() error {
	open := r.open
	r.open = nil
	return waitAll(r.p, open)
}

// waitAll waits until operations are complete.
func waitAll(p rma.Process, ops []rma.Op) error {
	for _, op := range ops {
		if err := p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

func (r *rings) waited() units.Time { return r.idle }
