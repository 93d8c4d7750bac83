package nas

import (
	"musubi/rma"
	"musubi/units"
	"musubi/workload"
)

// Figures of each process and kernel.
const (
	TimeFigure       = iota // time of an iteration, in microseconds
	PartnersFigure          // processes that have sent to it
	MessagesFigure          // messages that it has sent
	BytesFigure             // bytes of these messages
	CollectiveFigure        // bytes that it has sent in collective operations
	figures                 // number of these
)

// Further figures of whole benchmarks.
const (
	ComputationFigure = figures + iota // microseconds of an iteration in which the process computes
	WaitingFigure                      // and in which it waits for others
	wholeFigures                       // number of all
)

// Work says what processes do besides communication, and how they communicate.
type Work struct {
	Pause   units.Time        // for each compute action; 0: as its operations take
	Rate    float64           // operations per second; 0: they take no time
	Library *workload.Library // passes messages on; nil: they go to receive rings, or to Messages
}

// Whole reports whether processes compute as in the whole benchmark, or only pass messages.
func (w *Work) Whole() bool { return w.Library != nil || w.Rate > 0 }

// Figures returns how many figures a kernel has.
func (w *Work) Figures() int {
	if w.Whole() {
		return wholeFigures
	}
	return figures
}

// Actor is a process that carries out scripts.
type Actor struct {
	p           rma.Process
	work        Work
	transport   transport
	collectives *collectives

	all      []float64 // figures of all kernels so far
	current  [wholeFigures]float64
	partner  []bool     // who has sent to this process in the current kernel
	computed units.Time // in the current measurement
	idle     units.Time // of the transport when it began
}

// NewActor returns a process that carries out scripts, those that scripts returns for its rank: it
// exposes memory for collective operations and data. The process needs a receive ring for each of
// Senders, unless a library or messages (which may be nil) pass messages on.
//
// The data lies in exposed memory, so that the network interface fetches it itself. Otherwise the
// processor might have to copy it there, and wait for earlier messages to leave, while nobody
// empties the rings.
func NewActor(p rma.Process, scripts func(rank int) []Script, work Work, messages Messages) *Actor {
	own := scripts(p.Rank())
	f := newFilling(longest(own, sendAction, receiveAction, exchangeAction))
	a := &Actor{p: p, work: work, collectives: newCollectives(p, f, own), partner: make([]bool, p.Size())}
	source := p.Expose(f)
	switch {
	case messages != nil:
		a.transport = newPassed(p, messages, f)
	case work.Library != nil:
		a.transport = newLibrary(p, *work.Library, f, source, scripts)
	default:
		a.transport = newRings(p, f)
	}
	return a
}

// Iterate carries out an iteration of a script.
func (a *Actor) Iterate(s *Script) error {
	if err := a.act(s, s.iteration); err != nil {
		return err
	}
	return a.transport.reap()
}

// Finish carries out the actions after the last iteration of a script.
func (a *Actor) Finish(s *Script) error { return a.act(s, s.finish) }

// act carries out a part of a script.
func (a *Actor) act(s *Script, part []action) error {
	for i := range part {
		if err := a.do(s, &part[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *Actor) do(s *Script, what *action) error {
	switch what.kind {
	case computeAction:
		a.compute(s.operations * what.weight)
		return nil
	case sendAction:
		return a.send(what.peer, what.bytes)
	case receiveAction:
		a.partner[what.peer] = true
		return a.transport.receive(what.peer, what.bytes)
	case reduceAction:
		return a.collect(a.collectives.reduce())
	default:
		return a.collect(a.collectives.exchange(what.peer))
	}
}

// compute takes the time of some operations.
func (a *Actor) compute(operations float64) {
	d := a.work.Pause
	if d == 0 && a.work.Rate > 0 {
		d = units.Time(operations / a.work.Rate * float64(units.Second))
	}
	if d > 0 {
		a.p.Compute(d)
		a.computed += d
	}
}

// send sends the next message to a process.
func (a *Actor) send(to, bytes int) error {
	if err := a.transport.send(to, bytes); err != nil {
		return err
	}
	a.current[MessagesFigure]++
	a.current[BytesFigure] += float64(bytes)
	return nil
}

// collect counts the bytes of a collective operation.
func (a *Actor) collect(bytes int, err error) error {
	a.current[CollectiveFigure] += float64(bytes)
	return err
}

// Settle waits until all messages have arrived. By then no process sends to this one any more.
func (a *Actor) Settle() error { return a.transport.settle() }

// Begin starts the figures of a kernel.
func (a *Actor) Begin() {
	a.current = [wholeFigures]float64{}
	clear(a.partner)
}

// Measure starts the measurement of a kernel's times.
func (a *Actor) Measure() { a.computed, a.idle = 0, a.transport.waited() }

// Measured ends the measurement of a number of iterations that have taken some time together.
func (a *Actor) Measured(took units.Time, iterations int) {
	each := func(t units.Time) float64 { return t.Microseconds() / float64(iterations) }
	a.current[TimeFigure] = each(took)
	a.current[ComputationFigure] = each(a.computed)
	a.current[WaitingFigure] = each(a.transport.waited() - a.idle)
}

// Record stores the figures of a kernel.
func (a *Actor) Record() {
	for _, is := range a.partner {
		if is {
			a.current[PartnersFigure]++
		}
	}
	a.all = append(a.all, a.current[:a.work.Figures()]...)
}

// All returns the figures of all kernels so far, those of Work.Figures for each.
func (a *Actor) All() []float64 { return a.all }
