package host

import (
	"math"

	"musubi/units"
)

// Processor is what a rank has of the processor that it runs on: all of it, or a quantum
// of time in each period, but for what the operating system takes. A rank goes on when it
// has had the time that its work needs.
type Processor struct {
	quantum, period units.Time // period 0: it need not share
	phase           units.Time // of the period that time 0 lies in

	lost  units.Time // of its own time, to the operating system
	until units.Time // the operating system has the processor

	since, work units.Time // what the rank is at
	before      units.Time // lost until then
}

// NewProcessor returns the processor of a rank that has it for a share of the time, a
// quantum at a time, and is at a part of its period at time 0.
func NewProcessor(share float64, quantum units.Time, phase float64) Processor {
	return TakingTurns(1, 0, share, quantum, phase)
}

// TakingTurns returns the processor of one of several ranks that together have it for a share of
// the time, each for a quantum, one after the other. The first one is at a part of their period at
// time 0.
func TakingTurns(ranks, turn int, share float64, quantum units.Time, phase float64) Processor {
	p := Processor{quantum: quantum}
	if share < 1 || ranks > 1 {
		p.period = units.Time(math.Round(float64(quantum) * float64(ranks) / share))
		p.phase = (units.Time(phase*float64(p.period)) + p.period - units.Time(turn)*quantum) % p.period
	}
	return p
}

// IsScheduled reports whether the process has the processor, or would have if the
// operating system did not work.
func (p *Processor) IsScheduled(t units.Time) bool {
	return p.period == 0 || (t+p.phase)%p.period < p.quantum
}

// own returns for how long the process has had the processor until t.
func (p *Processor) own(t units.Time) units.Time {
	if p.period == 0 {
		return t
	}
	t += p.phase
	return t/p.period*p.quantum + min(t%p.period, p.quantum)
}

// between returns for how long the process has the processor between two times.
func (p *Processor) between(from, to units.Time) units.Time { return p.own(to) - p.own(from) }

// Lose notes that the process does not run from now to another time, whatever it has lost of
// that already.
func (p *Processor) Lose(from, to units.Time) {
	if from = max(from, p.until); to > from {
		p.lost += p.between(from, to)
		p.until = to
	}
}

// lostBy returns what has been lost by now.
func (p *Processor) lostBy(now units.Time) units.Time {
	return p.lost - p.between(now, max(now, p.until))
}

// begin begins some work.
func (p *Processor) begin(now, work units.Time) {
	p.since, p.work, p.before = now, work, p.lostBy(now)
}

// ends returns when the work can have ended: now if it has, and the process runs.
func (p *Processor) ends(now units.Time) units.Time {
	left := max(0, p.work-(p.between(p.since, now)-(p.lostBy(now)-p.before)))
	return p.after(max(now, p.until), left)
}

// after returns when a process that does not run before a time has had so much more of its
// own, and runs.
func (p *Processor) after(from, left units.Time) units.Time {
	if p.period == 0 {
		return from + left
	}
	goal := p.own(from) + left
	at := goal/p.quantum*p.period + goal%p.quantum - p.phase
	return max(at, from+left)
}
