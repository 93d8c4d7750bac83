package nas

import (
	"musubi/rma"
	"musubi/units"
)

// Figures of each process and kernel.
const (
	TimeFigure       = iota // time of an iteration, in microseconds
	PartnersFigure          // processes that have sent to it
	MessagesFigure          // messages that it has sent
	BytesFigure             // bytes of these messages
	CollectiveFigure        // bytes that it has sent in collective operations
	Figures                 // number of figures
)

// Actor is a process that carries out scripts.
type Actor struct {
	p           rma.Process
	pause       units.Time // for each compute action
	filling     filling
	inbox       *inbox
	collectives *collectives
	sent        []uint32 // messages so far, to each process
	open        []rma.Op // messages that may not have arrived yet

	all     []float64 // figures of all kernels so far
	current [Figures]float64
	partner []bool // who has sent to this process in the current kernel
}

// NewActor returns a process that carries out scripts: it exposes memory for collective operations
// and data. Each compute action takes pause. The process needs a receive ring for each of Senders.
//
// The data lies in exposed memory, so that the network interface fetches it itself. Otherwise the
// processor might have to copy it there, and wait for earlier messages to leave, while nobody
// empties the rings.
func NewActor(p rma.Process, scripts []Script, pause units.Time) *Actor {
	f := newFilling(longest(scripts, sendAction, receiveAction, exchangeAction))
	a := &Actor{
		p: p, pause: pause, filling: f, inbox: newInbox(p, f), collectives: newCollectives(p, f, scripts),
		sent: make([]uint32, p.Size()), partner: make([]bool, p.Size()),
	}
	p.Expose(f)
	return a
}

// Iterate carries out an iteration of a script.
func (a *Actor) Iterate(s *Script) error {
	if err := a.act(s.iteration); err != nil {
		return err
	}
	return a.reap()
}

// Finish carries out the actions after the last iteration of a script.
func (a *Actor) Finish(s *Script) error { return a.act(s.finish) }

// act carries out a part of a script.
func (a *Actor) act(part []action) error {
	for i := range part {
		if err := a.do(&part[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *Actor) do(what *action) error {
	switch what.kind {
	case computeAction:
		if a.pause > 0 {
			a.p.Compute(a.pause)
		}
		return nil
	case sendAction:
		return a.send(what.peer, what.bytes)
	case receiveAction:
		a.partner[what.peer] = true
		return a.inbox.receive(what.peer, what.bytes)
	case reduceAction:
		return a.collect(a.collectives.reduce())
	default:
		return a.collect(a.collectives.exchange(what.peer))
	}
}

// send sends the next message to a process.
func (a *Actor) send(to, bytes int) error {
	op, err := a.p.IPush(to, a.filling.of(a.p.Rank(), to, a.sent[to], bytes), rma.DMA)
	if err != nil {
		return err
	}
	a.open = append(a.open, op)
	a.sent[to]++
	a.current[MessagesFigure]++
	a.current[BytesFigure] += float64(bytes)
	return nil
}

// collect counts the bytes of a collective operation.
func (a *Actor) collect(bytes int, err error) error {
	a.current[CollectiveFigure] += float64(bytes)
	return err
}

// reap completes the messages that have arrived, oldest first. It does not wait, because nobody
// would empty the rings meanwhile.
func (a *Actor) reap() error {
	for len(a.open) > 0 {
		done, err := a.p.Test(a.open[0])
		if err != nil || !done {
			return err
		}
		a.open = a.open[1:]
	}
	return nil
}

// Settle waits until all messages have arrived. By then no process sends to this one any more.
func (a *Actor) Settle() error {
	for _, op := range a.open {
		if err := a.p.Wait(op); err != nil {
			return err
		}
	}
	a.open = nil
	return nil
}

// Begin starts the figures of a kernel.
func (a *Actor) Begin() {
	a.current = [Figures]float64{}
	clear(a.partner)
}

// Record stores the figures of a kernel, in which an iteration has taken us microseconds.
func (a *Actor) Record(us float64) {
	a.current[TimeFigure] = us
	for _, is := range a.partner {
		if is {
			a.current[PartnersFigure]++
		}
	}
	a.all = append(a.all, a.current[:]...)
}

// All returns the figures of all kernels so far, Figures for each.
func (a *Actor) All() []float64 { return a.all }
