package collective

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/outgoing"
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// A communicator has a landing for multicasts: memory of each rank, in slots that others
// write to in turn. All ranks do the operations that use it in the same order, one after the
// other, and so find the same slot for each piece of data. What is in a slot may be written
// over when all ranks have taken it: that they know from a barrier by messages, which comes
// whenever all slots have been used. Persistent operations have a landing each, as ranks may
// start them in different orders.

const (
	usualSlots   = 16
	longestSlot  = 4 << 10 // a page of machines that have such
	trailerBytes = 5       // of a slot: bytes of the data from here on, and the round of its use
)

// landing is what a communicator, or a persistent operation, keeps for multicasts: the first
// operation that uses it asks where those of all are, and the others wait in a line.
type landing struct {
	slots     int
	slotBytes int // a power of two, so that no slot crosses a page
	stage     teamStage
	memory    []byte
	own       [1]berth // of this rank
	berths    []berth  // of all
	line      []*Operation
	used      int           // slots so far, in all rounds
	waits     bool          // the first of the line waits for the slot that is next
	to        []rma.Address // of a multicast
}

// berth is where a landing lies in memory that a rank exposes.
type berth struct {
	Segment           int64
	Offset, SlotBytes int32
}

// landingFor returns a landing with some slots for the data of one persistent operation.
func landingFor(slots, bytes int) *landing {
	return &landing{slots: slots, slotBytes: min(longestSlot, 1<<bits.Len(uint(bytes+trailerBytes-1)))}
}

// open gives the landing its memory: in the yard, or if there is no room left, of its own.
func (l *landing) open(j *job) {
	y := &j.multicasts.yard
	memory, offset := y.take(l.slots * l.slotBytes)
	segment := y.segment
	if memory == nil {
		memory = make([]byte, l.slots*l.slotBytes)
		segment = j.Process.Expose(memory)
	}
	l.memory, l.own[0] = memory, berth{int64(segment), int32(offset), int32(l.slotBytes)}
}

// close ends the use of the memory. Nothing is under way there: who frees a communicator, or
// a persistent operation, has completed what it has started.
func (l *landing) close(j *job) {
	y := &j.multicasts.yard
	switch segment := int(l.own[0].Segment); {
	case l.memory == nil:
	case y.memory != nil && segment == y.segment:
		y.giveBack(l.memory, int(l.own[0].Offset))
	default:
		_ = j.Process.Withdraw(segment) // it is exposed
	}
	l.memory = nil
}

// slotData is how much data a slot can hold.
func (l *landing) slotData() int { return l.slotBytes - trailerBytes }

// slot returns the number of the next slot, and the round of its use.
func (l *landing) slot() (number int, round byte) {
	return l.used % l.slots, byte(1 + l.used/l.slots%255)
}

// end returns where a slot ends in the memory.
func (l *landing) end(slot int) int { return (slot + 1) * l.slotBytes }

// hasLanded reports whether the next slot has been written, and somebody waits for that.
func (l *landing) hasLanded() bool {
	slot, round := l.slot()
	return l.waits && l.memory[l.end(slot)-1] == round
}

// The steps of an operation by multicast.
const (
	castEnter = iota // gets in line
	castTurn         // adds the steps of the operation, when it is its turn
	castSend         // sends from to all others
	castTake         // takes into what another rank has sent so
	castLeave        // lets the next of the line have its turn
)

// multicastStep takes a step of an operation by multicast.
func (r *Operation) multicastStep(s *schedule.Step) outcome {
	switch s.Do {
	case castEnter:
		r.enterLanding()
	case castTurn:
		if !r.land() {
			return stepWaits
		}
	case castSend:
		if !r.cast(s.From) {
			return stepBlocked
		}
	case castTake:
		if !r.takeSlot(s.Into) {
			return stepWaits
		}
	default:
		r.leaveLanding()
	}
	return stepDone
}

// enterLanding puts the operation in the line. It adds the steps that come then.
func (r *Operation) enterLanding() {
	l := r.landing
	if r.C.Size() == 1 {
		r.byMessages()
		r.Algorithm.Build(&r.Schedule, r.Arguments)
		return
	}
	l.line = append(l.line, r)
	if l.stage == unasked {
		l.stage = asking
		if l.memory == nil {
			l.open(r.C.job)
		}
		l.berths = make([]berth, r.C.Size())
		algorithm.BruckAllGather.Build(&r.Schedule, algorithm.Arguments{In: elements.Memory(l.own[:]), Out: elements.Memory(l.berths), Element: elements.Size[berth]()})
	}
	r.Schedule.Call(castTurn, nil, nil)
}

// land adds the steps of the operation when it is its turn, and reports whether it is.
func (r *Operation) land() bool {
	l := r.landing
	if l.line[0] != r {
		return false
	}
	if l.stage == asking {
		l.stage = settled
		for _, b := range l.berths { // they are alike, if the ranks give data of the same length
			l.slotBytes = min(l.slotBytes, int(b.SlotBytes))
		}
	}
	if r.kind == algorithm.Barrier {
		landBarrier(r)
	} else {
		landBroadcast(r)
	}
	return true
}

func (r *Operation) castNext(from []byte) {
	r.Schedule.Call(castSend, from, nil)
}

func (r *Operation) takeNext(into []byte) {
	r.Schedule.Call(castTake, nil, into)
}

// leaveThen is the last step of an operation in the landing.
func (r *Operation) leaveThen() { r.Schedule.Call(castLeave, nil, nil) }

// leaveLanding lets the next operation of the line have its turn.
func (r *Operation) leaveLanding() {
	l := r.landing
	l.line = slices.Delete(l.line, 0, 1)
	if len(l.line) > 0 {
		r.C.Engine.GoOn(l.line[0])
	}
}

// guard adds a barrier before the first slot of a round, some slots from the next on.
func (r *Operation) guard(ahead int) {
	if use := r.landing.used + ahead; use > 0 && use%r.landing.slots == 0 {
		algorithm.BarrierDissemination(&r.Schedule, r.Arguments)
	}
}

// cast sends as much data as a slot can hold to the next slot of all other ranks. It returns
// false if there is no room for what is under way.
func (r *Operation) cast(data []byte) bool {
	c, l := r.C, r.landing
	room, err := c.Engine.HasRoom()
	if err == nil && !room {
		return false
	}
	slot, round := l.slot()
	l.used++
	if err == nil {
		err = l.multicast(c, r.Algorithm.Manner, slot, round, data)
	}
	if err != nil {
		r.note(c.Fail(fault.Other, r.Call, err))
	}
	return true
}

// lengthOf is what the trailer says of data.
func lengthOf(data []byte) uint32 { return uint32(min(len(data), math.MaxUint32)) }

// multicast starts to write the beginning of data to a slot of all others. It lies at the end
// of the slot, so that its trailer is found without its length.
func (l *landing) multicast(c *Comm, manner rma.MulticastMethod, slot int, round byte, data []byte) error {
	out, n := &c.Engine.Out, min(len(data), l.slotData())
	packed, at := out.Exposed.Get(n+trailerBytes), l.end(slot)-trailerBytes-n
	copy(packed, data[:n])
	binary.LittleEndian.PutUint32(packed[n:], lengthOf(data))
	packed[len(packed)-1] = round
	l.to = l.to[:0]
	for i := 1; i < c.Size(); i++ {
		rank := (c.Rank() + i) % c.Size()
		l.to = append(l.to, rma.Address{Rank: int(c.Process(rank)), Segment: int(l.berths[rank].Segment), Offset: int(l.berths[rank].Offset) + at})
	}
	op, err := c.job.multicaster.MulticastPush(l.to, packed, rma.Multicast{By: manner})
	if err != nil {
		out.Exposed.Put(packed)
		return err
	}
	out.Flights.Add(outgoing.Flight{Op: op, Buffer: packed, By: rma.DMA})
	return nil
}

// takeSlot takes data from the next slot, and returns false if it is not there yet. It adds the
// steps that take the rest of what the other rank sends, also if that is not as long as
// expected: so this rank finds the slots of the next operation.
func (r *Operation) takeSlot(into []byte) bool {
	c, l := r.C, r.landing
	if !l.waits {
		l.waits = true
		c.job.multicasts.await(c.job, l)
	}
	if !l.hasLanded() {
		return false
	}
	slot, _ := l.slot()
	l.waits = false
	l.used++
	c.job.multicasts.forget(c.job, l)
	at := l.end(slot) - trailerBytes
	left := binary.LittleEndian.Uint32(l.memory[at:])
	n := min(int(left), l.slotData())
	piece, rest := into[:min(n, len(into))], into[min(n, len(into)):]
	if left != lengthOf(into) {
		r.note(c.otherLength(fault.Count, r.Call, int(left), r.Root, len(into)))
	} else if n > 0 {
		if err := c.Engine.Process.Load(int(l.own[0].Segment), int(l.own[0].Offset)+at-n, rma.Layout{}, piece, rma.Cached); err != nil {
			r.note(c.Fail(fault.Other, r.Call, err))
		}
	}
	if int(left) == n {
		r.leaveThen()
		return true
	}
	r.guard(0)
	r.takeNext(rest)
	return true
}

// multicasts are the operations of a process that wait for a multicast: a source of progress.
type multicasts struct {
	yard   yard
	number int // of the source
	waits  []*landing
}

// await enters a landing that an operation waits for.
func (m *multicasts) await(j *job, l *landing) {
	m.waits = append(m.waits, l)
	j.Sources.Set(m.number, true)
}

// forget removes a landing that an operation has waited for.
func (m *multicasts) forget(j *job, l *landing) {
	m.waits = slices.DeleteFunc(m.waits, func(other *landing) bool { return other == l })
	j.Sources.Set(m.number, len(m.waits) > 0)
}

func (m *multicasts) HasNews() bool { return slices.ContainsFunc(m.waits, (*landing).hasLanded) }

func (m *multicasts) GoOn() bool {
	i := slices.IndexFunc(m.waits, (*landing).hasLanded)
	if i < 0 {
		return false
	}
	first := m.waits[i].line[0]
	first.C.Engine.GoOn(first)
	m.GoOn()
	return true
}

func (m *multicasts) Pending() (list []*core.Request) {
	for _, l := range m.waits {
		for _, r := range l.line {
			list = append(list, r.messages.Whole)
		}
	}
	return list
}

func (m *multicasts) Free(*core.Comm) error { return nil }
