package workload

import (
	"musubi/rma"
	"musubi/units"
)

// Figures that each process has of each kernel.
const (
	timeFigure       = iota // of an iteration, in microseconds
	partnersFigure          // processes that have sent to it
	messagesFigure          // that it has sent
	bytesFigure             // bytes of these messages
	collectiveFigure        // bytes that it has sent in collective operations
	nasFigures
)

// actor is a process that carries out scripts.
type actor struct {
	p           rma.Process
	pause       units.Time // for each compute action
	filling     filling
	inbox       *nasInbox
	collectives *collectives
	sent        []uint32 // messages so far, to each process
	open        []rma.Op // messages that may not have arrived yet

	figures []float64 // of all kernels so far
	current [nasFigures]float64
	partner []bool // who has sent to this process in the current kernel
}

// newActor makes a process ready for scripts: its rings, its memory for
// collective operations and its data.
//
// The data lies in exposed memory, so that the network interface fetches it itself. Otherwise the
// processor might have to copy it there, and wait for earlier messages to leave, while nobody
// empties the rings.
func (b *nas) newActor(p rma.Process, scripts []script) (*actor, error) {
	f := newFilling(longest(scripts, sendAction, receiveAction, exchangeAction))
	a := &actor{
		p: p, pause: b.compute, filling: f, inbox: newNASInbox(p, f), collectives: newCollectives(p, f, scripts),
		sent: make([]uint32, p.Size()), partner: make([]bool, p.Size()),
	}
	p.Expose(f)
	return a, p.Rings(b.rings(scripts))
}

// act carries out a part of a script.
func (a *actor) act(part []action) error {
	for i := range part {
		if err := a.do(&part[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *actor) do(what *action) error {
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
func (a *actor) send(to, bytes int) error {
	op, err := a.p.IPush(to, a.filling.of(a.p.Rank(), to, a.sent[to], bytes), rma.DMA)
	if err != nil {
		return err
	}
	a.open = append(a.open, op)
	a.sent[to]++
	a.current[messagesFigure]++
	a.current[bytesFigure] += float64(bytes)
	return nil
}

// collect counts the bytes of a collective operation.
func (a *actor) collect(bytes int, err error) error {
	a.current[collectiveFigure] += float64(bytes)
	return err
}

// reap completes the messages that have arrived, oldest first. It does not wait, because nobody
// would empty the rings meanwhile.
func (a *actor) reap() error {
	for len(a.open) > 0 {
		done, err := a.p.Test(a.open[0])
		if err != nil || !done {
			return err
		}
		a.open = a.open[1:]
	}
	return nil
}

// settle waits until all messages have arrived. By then no process sends to this one any more.
func (a *actor) settle() error {
	for _, op := range a.open {
		if err := a.p.Wait(op); err != nil {
			return err
		}
	}
	a.open = nil
	return nil
}

// begin starts the figures of a kernel.
func (a *actor) begin() {
	a.current = [nasFigures]float64{}
	clear(a.partner)
}

// record stores the figures of a kernel, in which an iteration has taken us microseconds.
func (a *actor) record(us float64) {
	a.current[timeFigure] = us
	for _, is := range a.partner {
		if is {
			a.current[partnersFigure]++
		}
	}
	a.figures = append(a.figures, a.current[:]...)
}
