package mbc

import (
	"fmt"
	"math/rand/v2"
)

// run lets one action after the other happen until all is done.
func (w *memoryWorld) run() error {
	const limit = 1_000_000
	for range limit {
		if w.done() {
			return w.checkDone()
		}
		if err := w.step(); err != nil {
			return err
		}
	}
	return fmt.Errorf("not done after %d actions", limit)
}

func (w *memoryWorld) done() bool {
	for i := range w.lanes {
		if l := &w.lanes[i]; len(l.backlog)+len(l.kept)+len(l.wire) > 0 {
			return false
		}
	}
	for i := range w.hosts {
		if len(w.hosts[i].pending) > 0 {
			return false
		}
	}
	for _, p := range w.processes {
		if len(p.plan)+len(p.asked) > 0 {
			return false
		}
	}
	for _, a := range w.accesses {
		if !a.acked {
			return w.stuck()
		}
	}
	return true
}

// stuck reports whether nothing can happen any more that would complete an access.
func (w *memoryWorld) stuck() bool {
	if len(w.answers) > 0 {
		return false
	}
	for _, c := range w.casts {
		if w.errors && !c.access.acked {
			return false
		}
	}
	return true
}

// memoryAction is a kind of action.
type memoryAction uint8

const (
	issueAccess memoryAction = iota
	movePacket
	serveAccess
	fillRoute
	switchContext
	moveAnswer
	removePage
	migrateProcess
	renewAccessID
	passTime
	memoryActions
)

// memoryOdds are how likely an action is taken that has been drawn, for each kind.
type memoryOdds [memoryActions]float64

// randomMemoryOdds are of busy and idle processes, hosts and networks. Disturbances do not
// prevail.
func randomMemoryOdds(rng *rand.Rand) memoryOdds {
	var odds memoryOdds
	for i := range odds {
		odds[i] = []float64{1, 0.4, 0.1}[rng.IntN(3)]
	}
	odds[removePage] *= 0.3 * odds[serveAccess]
	odds[migrateProcess] *= 0.3
	odds[renewAccessID] *= 0.1
	odds[movePacket] = 1
	odds[passTime] *= 0.03
	return odds
}

// step draws an action, and lets it happen if it can.
func (w *memoryWorld) step() error {
	action := memoryAction(w.rng.IntN(int(memoryActions)))
	if w.rng.Float64() > w.odds[action] {
		return nil
	}
	p := w.processes[w.rng.IntN(len(w.processes))]
	host := w.rng.IntN(len(w.hosts))
	switch action {
	case issueAccess:
		return w.issueIfRunning(p)
	case movePacket:
		return w.move(w.busyLane())
	case serveAccess:
		return w.serveAny(host)
	case fillRoute:
		return w.fillAny(p)
	case switchContext:
		return w.schedule(host)
	case moveAnswer:
		return w.answer()
	case removePage:
		w.setPage(p, w.rng.IntN(len(p.present)), false)
	case migrateProcess:
		return w.migrate(p, host)
	case renewAccessID:
		return w.renew(p)
	case passTime:
		return w.timeout(w.busyLane())
	}
	return nil
}

func (w *memoryWorld) issueIfRunning(p *memoryProcess) error {
	if len(p.plan) == 0 || w.hosts[p.host].running != p.number {
		return nil
	}
	return w.issue(p)
}

func (w *memoryWorld) serveAny(host int) error {
	at := &w.hosts[host]
	if len(at.pending) == 0 {
		return nil
	}
	i := w.rng.IntN(len(at.pending))
	if !at.mayServe(i) {
		return nil
	}
	return w.serve(host, i)
}

func (w *memoryWorld) fillAny(p *memoryProcess) error {
	if len(p.asked) == 0 {
		return nil
	}
	return w.fill(p, w.rng.IntN(len(p.asked)))
}

// busyLane draws a lane on which there is something to do; it returns none if there is none.
func (w *memoryWorld) busyLane() int {
	first := w.rng.IntN(len(w.lanes))
	for i := range w.lanes {
		at := (first + i) % len(w.lanes)
		if l := &w.lanes[at]; len(l.kept)+len(l.wire) > 0 {
			return at
		}
	}
	return none
}

// move lets a packet of a lane leave or arrive.
func (w *memoryWorld) move(at int) error {
	if at == none {
		return nil
	}
	l := &w.lanes[at]
	switch {
	case w.rng.Float64() > l.speed:
	case l.again < len(l.kept) && len(l.wire) < laneRoom && w.rng.IntN(2) == 0:
		l.transmit()
	case len(l.wire) > 0:
		return w.deliver(at/len(w.hosts), at%len(w.hosts), w.errors && w.rng.IntN(10) == 0)
	}
	return nil
}

// timeout sends again what has not been acknowledged: of a lane, and a multicast.
func (w *memoryWorld) timeout(lane int) error {
	if lane != none {
		w.lanes[lane].again = 0
	}
	if !w.errors || len(w.casts) == 0 {
		return nil
	}
	c := w.casts[w.rng.IntN(len(w.casts))]
	if c.access.acked || w.waiting() > 10 {
		return nil // nobody sends again and again what is only late
	}
	c.access.header.Flags |= SentAgain
	return w.copies(c, laneRoom)
}

// waiting returns how many accesses are before the operating system.
func (w *memoryWorld) waiting() int {
	n := 0
	for i := range w.hosts {
		n += len(w.hosts[i].pending)
	}
	return n
}

// answer lets an acknowledgement reach a switch, or get lost.
func (w *memoryWorld) answer() error {
	if len(w.answers) == 0 {
		return nil
	}
	i := w.rng.IntN(len(w.answers))
	answer := w.answers[i]
	w.answers = append(w.answers[:i], w.answers[i+1:]...)
	if w.errors && w.rng.IntN(10) == 0 {
		w.total.corrupt++
		return nil
	}
	return w.combine(answer)
}

// schedule lets another process of a host run, or none.
func (w *memoryWorld) schedule(host int) error {
	at := &w.hosts[host]
	at.running = none
	at.gate.Idle()
	p := w.processes[w.rng.IntN(len(w.processes))]
	if p.host != host {
		return nil
	}
	at.running = p.number
	return at.gate.Schedule(p.id.Process, uint16(p.number))
}

func (w *memoryWorld) setPage(p *memoryProcess, page int, present bool) {
	p.present[page] = present
	p.pages.Set(page, present)
}

// renew gives a process an access id that none has had.
func (w *memoryWorld) renew(p *memoryProcess) error {
	w.lastAccess++
	p.id.Access = w.lastAccess
	return w.hosts[p.host].gate.Renew(p.id.Process, uint16(p.number), p.id.Access)
}

// migrate moves a process to another host, if it may.
func (w *memoryWorld) migrate(p *memoryProcess, to int) error {
	if p.host == to || !w.mayMove(p) && w.fault != movesTooEarly {
		return nil
	}
	if w.moves--; w.moves < 0 {
		return nil
	}
	w.total.moves++
	from := &w.hosts[p.host]
	if err := from.gate.Leave(p.id.Process, uint16(p.number)); err != nil {
		return err
	}
	if from.running == p.number {
		from.running = none
	}
	from.forward[p.number] = to
	p.host = to
	if w.fault != forgetsOwnMove {
		for _, node := range p.table.Rehome(nil) {
			w.ask(p, node)
		}
	}
	return w.hosts[to].gate.Arrive(p.id, uint16(p.number), &p.pages)
}

// mayMove reports whether all that is under way to a process is on the way to where it is.
func (w *memoryWorld) mayMove(p *memoryProcess) bool {
	for _, a := range w.accesses {
		if a.isPlain() && a.header.Type != 0 && a.sentTo >= 0 && !a.ended() && a.to[0] == p.number && (a.forwarded || a.sentTo != p.host) {
			return false
		}
	}
	return true
}
