package loggops

import (
	"slices"

	"musubi/trace/schedule"
	"musubi/units"
)

// atlahs are the rules of LogGOPSim in ATLAHS.
type atlahs struct {
	*engine
	events  timeHeap
	pending []pending // by rank
}

// pending are the receives without messages, and the messages without receives, of a rank. They match by
// source and tag alone, those of a kind in turn.
type pending struct {
	posted     map[envelope][]uint32  // operations
	unexpected map[envelope][]message // in the order of arrival
}

type envelope struct{ source, tag uint32 }

func newATLAHS(e *engine) *atlahs {
	a := &atlahs{engine: e, pending: make([]pending, len(e.ranks))}
	for r := range a.pending {
		a.pending[r] = pending{map[envelope][]uint32{}, map[envelope][]message{}}
	}
	return a
}

func (e *atlahs) push(ev event)      { e.events.push(ev) }
func (e *atlahs) pop() (event, bool) { return e.events.pop() }

// wait tries an event again. A message that waits has its receive go behind the others of its kind.
func (e *atlahs) wait(ev *event, _ use, until units.Time) {
	if ev.kind == tryMessage {
		all := e.pending[ev.rank].posted[e.envelope(ev)]
		first := all[0]
		copy(all, all[1:])
		all[len(all)-1] = first
	}
	ev.at = until
	e.events.push(*ev)
}

// order: the one touched last comes first.
func (e *atlahs) order(touched []uint32) []uint32 {
	var all []uint32
	for _, r := range touched {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	slices.Reverse(all)
	return all
}

// sort: as they have become free.
func (e *atlahs) sort([]schedule.Op, []uint32) {}

func (e *atlahs) starts(r, i uint32, op *schedule.Op) units.Time {
	rank := &e.ranks[r]
	switch at := rank.after[i]; op.Kind {
	case schedule.Calc:
		return max(at, rank.cpu[op.CPU])
	case schedule.Send:
		return max(at, rank.send[op.NIC])
	default:
		return at
	}
}

// wire returns (s-1)G in whole nanoseconds, as that program counts.
func (e *atlahs) wire(size uint64) units.Time {
	return e.onWire(max(1, size)) / units.Nanosecond * units.Nanosecond
}

func (e *atlahs) processor(size uint64) units.Time { return e.onProcessor(max(1, size)) }

func (e *atlahs) send(ev *event, op *schedule.Op) {
	r := &e.ranks[ev.rank]
	e.started(ev.rank, ev.op)
	end := ev.at + e.O + e.processor(op.Size)
	r.cpu[op.CPU] = end
	r.send[op.NIC] = ev.at + e.G + e.wire(op.Size)
	e.transmit(ev, op, end+e.L+e.wire(op.Size))
	if max(1, op.Size) <= e.Eager {
		e.ended(ev.rank, ev.op, end)
	}
}

func (e *atlahs) envelope(ev *event) envelope {
	return envelope{ev.from, e.schedule.Ranks[ev.from].Ops[ev.op].Tag}
}

// needs: a message takes the processor that its receive names, and no time if there is none yet.
func (e *atlahs) needs(ev *event, sent *schedule.Op) (cpu, nic uint8, now bool) {
	all := e.pending[ev.rank].posted[e.envelope(ev)]
	if len(all) == 0 {
		return 0, 0, true
	}
	return e.schedule.Ranks[ev.rank].Ops[all[0]].CPU, sent.NIC, false
}

func (e *atlahs) arrive(ev *event, sent *schedule.Op) {
	r, p, kind := &e.ranks[ev.rank], &e.pending[ev.rank], e.envelope(ev)
	op, ok := take(p.posted, kind)
	if !ok {
		p.unexpected[kind] = append(p.unexpected[kind], message{source: ev.from, tag: sent.Tag, op: ev.op, at: ev.at})
		return
	}
	interfaceFree := max(r.receive[sent.NIC], ev.at) + e.G
	end := interfaceFree + e.O + e.processor(sent.Size)
	r.cpu[e.schedule.Ranks[ev.rank].Ops[op].CPU] = end
	r.receive[sent.NIC] = interfaceFree
	if e.fits(ev.rank, op, ev.from, ev.op) && max(1, sent.Size) > e.Eager {
		e.matched(ev.from, ev.op, sent.CPU, sent.NIC, end, interfaceFree)
	}
	e.ended(ev.rank, op, end)
}

func (e *atlahs) receive(ev *event, op *schedule.Op) {
	r, p, kind := &e.ranks[ev.rank], &e.pending[ev.rank], envelope{op.Peer, op.Tag}
	e.touched = append(e.touched, ev.rank)
	e.started(ev.rank, ev.op)
	m, ok := take(p.unexpected, kind)
	if !ok {
		p.posted[kind] = append(p.posted[kind], ev.op)
		return
	}
	// The program asks the interface's sending side here.
	interfaceFree := max(r.send[op.NIC], ev.at, m.at) + e.G
	end := interfaceFree + e.O + e.processor(op.Size)
	r.cpu[op.CPU] = end
	r.receive[op.NIC] = interfaceFree
	if e.fits(ev.rank, ev.op, m.source, m.op) && max(1, e.sent(m).Size) > e.Eager {
		e.matched(m.source, m.op, op.CPU, op.NIC, end, interfaceFree)
	}
	e.ended(ev.rank, ev.op, end)
}

// matched lets a sender go on whose message has been received.
func (e *atlahs) matched(r, i uint32, cpu, nic uint8, cpuFree, interfaceFree units.Time) {
	from := &e.ranks[r]
	from.cpu[cpu] = max(from.cpu[cpu], cpuFree)
	from.send[nic] = max(from.send[nic], interfaceFree)
	e.ended(r, i, cpuFree)
}

// take takes the first of a kind.
func take[T any](all map[envelope][]T, kind envelope) (first T, ok bool) {
	list := all[kind]
	switch len(list) {
	case 0:
		return first, false
	case 1:
		delete(all, kind)
	default:
		all[kind] = list[1:]
	}
	return list[0], true
}

// leftover tells of what has no partner.
func (e *atlahs) leftover(r int) (receives []posted, sends []message) {
	for kind, ops := range e.pending[r].posted {
		for _, op := range ops {
			receives = append(receives, posted{source: kind.source, tag: kind.tag, op: op})
		}
	}
	for _, m := range e.pending[r].unexpected {
		sends = append(sends, m...)
	}
	slices.SortFunc(receives, func(a, b posted) int { return int(a.op) - int(b.op) })
	slices.SortFunc(sends, func(a, b message) int { return int(a.op) - int(b.op) })
	return receives, sends
}
