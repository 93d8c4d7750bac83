package mpi

import (
	"encoding/binary"
	"slices"

	"musubi/rma"
)

// A communicator has a landing for multicasts: memory of each rank, in slots that others
// write to in turn. All ranks do the operations that use it in the same order, one after the
// other, and so find the same slot for each piece of data. What is in a slot may be written
// over when all ranks have taken it: that they know from a barrier by messages, which comes
// whenever all slots have been used.

const (
	slotBytes    = 4 << 10 // a page of machines that have such
	landingSlots = 16
	trailerBytes = 5 // of a slot: length of the data before it, and the round of its use
	slotData     = slotBytes - trailerBytes
)

// landing is what a communicator keeps for multicasts: the first operation that may use them
// asks for the segments of all, and the others wait in a line.
type landing struct {
	wanted   bool // there has been an operation that multicasts could have done
	stage    teamStage
	memory   []byte
	own      [1]uint64 // segment of this rank
	segments []uint64  // of all
	line     []*running
	used     int           // slots so far, in all rounds
	waits    bool          // the first of the line waits for the slot that is next
	to       []rma.Address // of a multicast
}

// expose gives the landing its memory. For the communicator of all ranks that is done before
// anything else, so that it has the same address everywhere: switches copy what goes to the
// same address.
func (l *landing) expose(p rma.Process) {
	l.memory = make([]byte, landingSlots*slotBytes)
	l.own[0] = uint64(p.Expose(l.memory))
}

// withdraw ends the use of the memory. Nothing is under way there: who frees a communicator
// has completed its operations.
func (l *landing) withdraw(p rma.Process) {
	if l.memory != nil {
		_ = p.Withdraw(int(l.own[0])) // it is exposed
		l.memory = nil
	}
}

// slot returns the number of the next slot, and the round of its use.
func (l *landing) slot() (number int, round byte) {
	return l.used % landingSlots, byte(1 + l.used/landingSlots%255)
}

// end returns where a slot ends in the memory.
func end(slot int) int { return (slot + 1) * slotBytes }

// hasLanded reports whether the next slot has been written, and somebody waits for that.
func (c *Comm) hasLanded() bool {
	l := &c.landing
	slot, round := l.slot()
	return l.waits && l.memory[end(slot)-1] == round
}

// enterLanding puts the operation in the line. It adds the steps that come then.
func (r *running) enterLanding() {
	l := &r.c.landing
	if r.c.Size() == 1 {
		r.byMessages()
		r.algorithm.build(&r.schedule, r.arguments)
		return
	}
	l.line = append(l.line, r)
	if l.stage == unasked {
		l.stage = settled
		if l.memory == nil {
			l.expose(r.c.e.p)
		}
		l.segments = make([]uint64, r.c.Size())
		bruckAllGather.build(&r.schedule, arguments{in: memoryOf(l.own[:]), out: memoryOf(l.segments), element: 8})
	}
	r.steps = append(r.steps, step{action: landStep})
}

// land adds the steps of the operation when it is its turn, and reports whether it is.
func (r *running) land() bool {
	l := &r.c.landing
	if l.line[0] != r {
		return false
	}
	r.algorithm.land(r)
	r.steps = append(r.steps, step{action: leaveStep})
	return true
}

// leaveLanding lets the next operation of the line have its turn.
func (r *running) leaveLanding() {
	l := &r.c.landing
	l.line = slices.Delete(l.line, 0, 1)
	if len(l.line) > 0 {
		r.c.e.goOn(l.line[0])
	}
}

// guard adds a barrier before the first slot of a round, some slots from the next on.
func (r *running) guard(ahead int) {
	if use := r.c.landing.used + ahead; use > 0 && use%landingSlots == 0 {
		barrierDissemination(&r.schedule, r.arguments)
	}
}

// cast sends data to the next slot of all other ranks. It returns false if there is no room
// for what is under way.
func (r *running) cast(data []byte) bool {
	c, l := r.c, &r.c.landing
	room, err := c.e.hasRoom()
	if err == nil && !room {
		return false
	}
	slot, round := l.slot()
	l.used++
	if err == nil {
		err = c.multicast(r.algorithm.manner, slot, round, data)
	}
	if err != nil {
		r.note(c.fail(ErrOther, r.call, err))
	}
	return true
}

// multicast starts to write data to a slot of all others. Data lies at the end of a slot, so
// that its trailer is found without its length.
func (c *Comm) multicast(manner rma.Manner, slot int, round byte, data []byte) error {
	l, out := &c.landing, &c.e.out
	packed := out.exposed.get(len(data) + trailerBytes)
	copy(packed, data)
	binary.LittleEndian.PutUint32(packed[len(data):], uint32(len(data)))
	packed[len(packed)-1] = round
	l.to = l.to[:0]
	for i := 1; i < c.Size(); i++ {
		rank := (c.rank + i) % c.Size()
		l.to = append(l.to, rma.Address{Rank: int(c.process(rank)), Segment: int(l.segments[rank]), Offset: end(slot) - len(packed)})
	}
	op, err := c.e.multicaster.MulticastPush(l.to, packed, rma.Multicast{By: manner})
	if err != nil {
		out.exposed.put(packed)
		return err
	}
	out.flights.add(flight{op, packed, rma.DMA})
	return nil
}

// takeSlot takes data from the next slot, and returns false if it is not there yet.
func (r *running) takeSlot(into []byte) bool {
	c, l := r.c, &r.c.landing
	if !l.waits {
		l.waits = true
		c.e.landings = append(c.e.landings, c)
	}
	if !c.hasLanded() {
		return false
	}
	slot, _ := l.slot()
	l.waits = false
	l.used++
	c.e.landings = slices.DeleteFunc(c.e.landings, func(other *Comm) bool { return other == c })
	at := end(slot) - trailerBytes
	n := int(binary.LittleEndian.Uint32(l.memory[at:]))
	if n != len(into) {
		r.note(c.failf(ErrCount, r.call, "%d bytes from rank %d; expected %d, as all ranks give alike", n, r.root, len(into)))
		return true
	}
	if n == 0 {
		return true
	}
	if err := c.e.p.Load(int(l.own[0]), at-n, rma.Layout{}, into, rma.Cached); err != nil {
		r.note(c.fail(ErrOther, r.call, err))
	}
	return true
}

// goOnLandings lets operations go on for which data has landed, and reports whether there was
// one.
func (e *engine) goOnLandings() bool {
	i := slices.IndexFunc(e.landings, (*Comm).hasLanded)
	if i < 0 {
		return false
	}
	e.goOn(e.landings[i].landing.line[0])
	e.goOnLandings()
	return true
}
