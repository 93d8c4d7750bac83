package loggops

import (
	"context"
	"fmt"
	"slices"

	"musubi/internal/spill"
	"musubi/trace/schedule"
	"musubi/units"
)

// Parameters are those of the model LogGOPS.
type Parameters struct {
	L units.Time // latency
	O units.Time // "o": what a message costs a processor at either end
	G units.Time // "g": time from one message of an interface to the next
	// PerByte is "G", the time of an interface for each byte but the first, as its reciprocal.
	PerByte units.Rate
	// BytePerProcessor is "O", the time of a processor for each byte but the first.
	BytePerProcessor units.Time
	// Eager is "S": longer messages wait until they are matched (rendezvous). In bytes.
	Eager uint64
}

// DefaultEager is S if nobody says otherwise, in bytes, as in LogGOPSim.
const DefaultEager = 65535

// Semantics names the program whose times are told.
type Semantics string

// The semantics that Run knows.
const (
	LogGOPSim Semantics = "loggopsim"
	ATLAHS    Semantics = "atlahs"
)

// Result tells when ranks end.
type Result struct {
	Ends []units.Time // of each rank, the last of its processors
}

// End returns when the last rank ends.
func (r *Result) End() units.Time { return slices.Max(r.Ends) }

// Run carries a schedule out. It fails if operations are left that never start or end; the error names
// one, and how many there are. The result then says when the others have ended, which LogGOPSim does not tell,
// and the program in ATLAHS tells as if all were well.
func Run(ctx context.Context, s *schedule.Schedule, p Parameters, by Semantics) (*Result, error) {
	e := newEngine(s, p)
	switch by {
	case LogGOPSim:
		e.rules = newLogGOPSim(e)
	case ATLAHS:
		e.rules = newATLAHS(e)
	default:
		return nil, fmt.Errorf("unknown semantics %q; known: %s, %s", by, LogGOPSim, ATLAHS)
	}
	return e.result(ctx)
}

// result carries the schedule out by the rules that are set.
func (e *engine) result(ctx context.Context) (*Result, error) {
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	result := &Result{}
	for r := range e.ranks {
		result.Ends = append(result.Ends, slices.Max(e.ranks[r].cpu))
	}
	return result, e.leftovers()
}

// rules are what the semantics differ in.
type rules interface {
	queue
	// wait lets an event wait that needs what is taken until a time.
	wait(ev *event, u use, until units.Time)
	// order puts ranks in the order in which operations of theirs are tried that have become free.
	order(touched []uint32) []uint32
	// send carries a send out whose processor and interface are free.
	send(ev *event, op *schedule.Op)
	// receive carries a receive out.
	receive(ev *event, op *schedule.Op)
	// needs returns the processor and the interface that a message waits for at its receiver; now: it
	// waits for none.
	needs(ev *event, sent *schedule.Op) (cpu, nic uint8, now bool)
	// arrive carries out what a message does when they are free.
	arrive(ev *event, sent *schedule.Op)
	// sort puts operations that have become free at once in the order in which they are tried.
	sort(ops []schedule.Op, freed []uint32)
	// leftover returns the receives and messages of a rank that have no partner.
	leftover(r int) ([]posted, []message)
	// starts returns when an operation is tried first that has become free.
	starts(rank uint32, i uint32, op *schedule.Op) units.Time
}

// queue yields events in the order of times.
type queue interface {
	push(ev event)
	pop() (ev event, ok bool)
}

// engine carries a schedule out.
type engine struct {
	Parameters
	rules

	schedule *schedule.Schedule
	ranks    []rank
	number   uint64   // of the next event
	touched  []uint32 // ranks with operations that have become free
	area     *spill.Area
	failure  error
}

// rank is the state of a rank.
type rank struct {
	cpu           []units.Time // when each processor is free
	send, receive []units.Time // when each interface is free
	waits         []uint32     // for how many operations each operation still waits
	done          []bool
	// after is the latest end of those that an operation requires.
	after []units.Time
	freed []uint32 // operations that have become free, and are not tried yet
}

func newEngine(s *schedule.Schedule, p Parameters) *engine {
	e := &engine{Parameters: p, schedule: s, ranks: make([]rank, len(s.Ranks)), area: spill.New()}
	for r := range s.Ranks {
		ops := s.Ranks[r].Ops
		times := spill.Make[units.Time](e.area, s.CPUs+2*s.NICs+len(ops))
		cut := func(n int) []units.Time {
			part := times[:n:n]
			times = times[n:]
			return part
		}
		e.ranks[r] = rank{
			cpu: cut(s.CPUs), send: cut(s.NICs), receive: cut(s.NICs), after: cut(len(ops)),
			waits: spill.Make[uint32](e.area, len(ops)), done: spill.Make[bool](e.area, len(ops)),
		}
		s.Used(len(ops))
		e.area.Used(len(ops))
		for i := range ops {
			if e.ranks[r].waits[i] = ops[i].Waits; ops[i].Waits == 0 {
				e.ranks[r].freed = append(e.ranks[r].freed, uint32(i))
			}
		}
	}
	return e
}

// often is after how many events Run looks whether it is to stop.
const often = 1 << 16

func (e *engine) run(ctx context.Context) error {
	for r := range e.ranks {
		e.tryFreed(uint32(r))
	}
	for n := 0; ; n++ {
		if n%often == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			e.schedule.Used(often)
			e.area.Used(often)
		}
		ev, ok := e.pop()
		if !ok {
			return nil
		}
		e.try(&ev)
		for _, r := range e.order(e.touched) {
			e.tryFreed(r)
		}
		e.touched = e.touched[:0]
		if e.failure != nil {
			return e.failure
		}
	}
}

// try carries an event out, or lets it wait.
func (e *engine) try(ev *event) {
	if u, waits := e.use(ev); waits {
		if until := e.freeAt(ev.rank, u); until > ev.at {
			e.wait(ev, u, until)
			return
		}
	}
	e.carryOut(ev)
}

// use returns what an event needs to be free.
func (e *engine) use(ev *event) (use use, waits bool) {
	if ev.kind == tryMessage {
		cpu, nic, now := e.needs(ev, &e.schedule.Ranks[ev.from].Ops[ev.op])
		return useOf(forReceive, cpu, nic), !now
	}
	switch op := &e.schedule.Ranks[ev.rank].Ops[ev.op]; op.Kind {
	case schedule.Calc:
		return useOf(forCalc, op.CPU, 0), true
	case schedule.Send:
		return useOf(forSend, op.CPU, op.NIC), true
	}
	return 0, false
}

// carryOut carries an event out that needs not wait.
func (e *engine) carryOut(ev *event) {
	if ev.kind == tryMessage {
		e.arrive(ev, &e.schedule.Ranks[ev.from].Ops[ev.op])
		return
	}
	switch op := &e.schedule.Ranks[ev.rank].Ops[ev.op]; op.Kind {
	case schedule.Calc:
		end := e.later(ev.at, units.Nanosecond, op.Size)
		e.ranks[ev.rank].cpu[op.CPU] = end
		e.started(ev.rank, ev.op)
		e.ended(ev.rank, ev.op, end)
	case schedule.Send:
		e.rules.send(ev, op)
	default:
		e.rules.receive(ev, op)
	}
}

// transmit lets a message arrive.
func (e *engine) transmit(ev *event, op *schedule.Op, at units.Time) {
	e.push(event{at: at, number: e.next(), rank: op.Peer, from: ev.rank, op: ev.op, kind: tryMessage})
}

func (e *engine) next() uint64 {
	e.number++
	return e.number
}

// tryFreed makes events of the operations that have become free.
func (e *engine) tryFreed(r uint32) {
	ops, freed := e.schedule.Ranks[r].Ops, e.ranks[r].freed
	e.sort(ops, freed)
	for _, i := range freed {
		e.push(event{at: e.starts(r, i, &ops[i]), number: e.next(), rank: r, op: i})
	}
	e.ranks[r].freed = freed[:0]
}
