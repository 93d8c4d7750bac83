package loggops

import (
	"cmp"
	"slices"

	"musubi/trace/schedule"
	"musubi/units"
)

// logGOPSim are the rules of LogGOPSim.
type logGOPSim struct {
	*engine
	events heap
	rooms  []rooms // by rank
	lists  []lists // by rank
}

func newLogGOPSim(e *engine) *logGOPSim {
	return &logGOPSim{engine: e, rooms: make([]rooms, len(e.ranks)), lists: make([]lists, len(e.ranks))}
}

func (e *logGOPSim) leftover(r int) ([]posted, []message) {
	return e.lists[r].posted, e.lists[r].unexpected
}

func (e *logGOPSim) push(ev event) { e.events.push(ev) }

// pop returns the next event. One that stands for a room becomes the first of those that wait there, or
// another one if they have to wait on.
func (e *logGOPSim) pop() (ev event, ok bool) {
	for {
		if ev, ok = e.events.pop(); !ok || ev.kind != tryRoom {
			return ev, ok
		}
		all := e.rooms[ev.rank]
		r := &all[ev.op]
		if len(r.events) == 0 || r.at != ev.at || r.number != ev.number {
			continue // void
		}
		if until := e.freeAt(ev.rank, r.use); until > ev.at {
			e.push(all.represent(ev.rank, int(ev.op), until))
			continue
		}
		first, _ := r.events.pop()
		first.at = ev.at
		if len(r.events) > 0 {
			e.push(all.represent(ev.rank, int(ev.op), ev.at))
		}
		return first, true
	}
}

func (e *logGOPSim) wait(ev *event, u use, until units.Time) {
	all := &e.rooms[ev.rank]
	if i, due := all.join(*ev, u, until); due {
		e.push(all.represent(ev.rank, i, until))
	}
}

// order: by number.
func (e *logGOPSim) order(touched []uint32) []uint32 {
	slices.Sort(touched)
	return slices.Compact(touched)
}

// sort: sends, receives, and then calculations.
func (e *logGOPSim) sort(ops []schedule.Op, freed []uint32) {
	slices.SortStableFunc(freed, func(a, b uint32) int { return cmp.Compare(ops[a].Kind, ops[b].Kind) })
}

func (e *logGOPSim) starts(r, _ uint32, op *schedule.Op) units.Time {
	at := e.ranks[r].cpu[op.CPU]
	if op.Kind == schedule.Send {
		at = max(at, e.ranks[r].send[op.NIC])
	}
	return at
}

func (e *logGOPSim) send(ev *event, op *schedule.Op) {
	r := &e.ranks[ev.rank]
	e.started(ev.rank, ev.op)
	r.cpu[op.CPU] = ev.at + e.O + e.onProcessor(op.Size)
	r.send[op.NIC] = ev.at + e.G + e.onWire(op.Size)
	e.transmit(ev, op, ev.at+e.O+e.L)
	if op.Size <= e.Eager {
		e.ended(ev.rank, ev.op, 0)
	}
}

// needs: a message takes the processor and the interface that its sender named.
func (e *logGOPSim) needs(_ *event, sent *schedule.Op) (cpu, nic uint8, now bool) {
	return sent.CPU, sent.NIC, false
}

func (e *logGOPSim) arrive(ev *event, sent *schedule.Op) {
	r := &e.ranks[ev.rank]
	// The larger of two numbers without a sign: those of a message of 0 bytes are larger than all others.
	bytes := units.Time(max(uint64(e.onProcessor(sent.Size)), uint64(e.onWire(sent.Size))))
	r.cpu[sent.CPU] = ev.at + e.O + bytes
	r.receive[sent.NIC] = ev.at + e.G + e.onWire(sent.Size)
	list := &e.lists[ev.rank]
	op, ok := list.takePosted(ev.from, sent.Tag)
	if !ok {
		list.unexpected = append(list.unexpected, message{source: ev.from, tag: sent.Tag, op: ev.op, at: ev.at})
		return
	}
	if e.fits(ev.rank, op, ev.from, ev.op) && sent.Size > e.Eager {
		e.matched(ev.from, ev.op, sent.CPU, sent.NIC, ev.at)
	}
	e.ended(ev.rank, op, 0)
}

func (e *logGOPSim) receive(ev *event, op *schedule.Op) {
	list := &e.lists[ev.rank]
	e.started(ev.rank, ev.op)
	m, ok := list.takeUnexpected(op.Peer, op.Tag)
	if !ok {
		list.posted = append(list.posted, posted{source: op.Peer, tag: op.Tag, op: ev.op})
		return
	}
	if e.fits(ev.rank, ev.op, m.source, m.op) && e.sent(m).Size > e.Eager {
		e.matched(m.source, m.op, op.CPU, op.NIC, ev.at)
	}
	e.ended(ev.rank, ev.op, 0)
}

// matched lets a sender go on whose message has been matched.
func (e *logGOPSim) matched(r, i uint32, cpu, nic uint8, at units.Time) {
	from := &e.ranks[r]
	from.cpu[cpu] = max(from.cpu[cpu], at)
	from.send[nic] = max(from.send[nic], at)
	e.ended(r, i, 0)
}
