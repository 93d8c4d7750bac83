package engine

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/units"
)

// Event is something that happens at a point in simulated time. The code that pushes an event
// defines Kind, A, B and C.
//
// It has four fields, as the compiler keeps structs of more in memory: to copy one that has just been written field by field
// takes as long as a miss of the first cache.
type Event struct {
	At   units.Time
	Kind uint32
	A    uint32
	Args
}

// Args are what few events need beside A.
type Args struct{ B, C uint32 }

// The wheel has a slot for each of the next wheelSlots spans of 2^slotBits
// picoseconds: 17 us, more than most delays of a fabric. Events of short slots are sorted faster; with long ones Ahead tells
// more of what comes, and fewer slots are empty.
const (
	slotBits   = 12
	wheelSlots = 4096
)

// Queue yields events in the order of time and, at equal times, in the order in
// which they were pushed. The zero value is an empty queue at time 0.
//
// Events of the near future lie in the slots of a timing wheel, unsorted, and those beyond its
// horizon in a heap. When the turn of a slot comes, its events stay where they are, and keys of them are sorted: the front.
// Events that are pushed for the present time wait in line, behind those of that time which are in the
// front. Others that are pushed for the same slot get a place in the front. Events move
// from the far heap into the wheel as soon as its horizon reaches them, and so before any events
// that are pushed later.
type Queue struct {
	now     units.Time
	pushed  int64
	handled int64
	mark    uint32 // of events that are pushed now

	line     []Event // pushed for the present time, in order; the first lineHead events have been popped
	lineHead int

	front []key // of the events of slot, sorted; those of the first head have been popped
	head  int
	mixed []key  // room for keys that are not sorted yet
	slot  int64  // number of the slot that is in the front: time >> slotBits
	nodes uint64 // how many that slot has

	wheel  [wheelSlots]uint32      // by number of slot modulo wheelSlots: where its next event goes; at the begin of a node: nowhere yet
	filled [wheelSlots / 64]uint64 // slots behind the front that have events
	words  uint64                  // those of filled that are not 0
	events []Event                 // in nodes of nodeEvents; the first is not used
	next   []uint32                // by node: that of the slot which was filled next, the first one behind the last; or the next free one
	unused uint32                  // first of the list of free nodes

	far      radixHeap
	farFirst units.Time // time of the first event there, if there is one
}

// nodeEvents, 2^nodeBits, is how many events of a slot lie side by side, in the order in which they were pushed. In large networks slots have many
// events, which would be far from each other in memory.
const (
	nodeBits   = 3
	nodeEvents = 1 << nodeBits
)

// Now returns the time of the event popped last.
func (q *Queue) Now() units.Time { return q.now }

// Len returns the number of events waiting.
func (q *Queue) Len() int { return int(q.pushed - q.handled) }

// Mark sets bits in the kinds of all events that are pushed from now on, and returns those that were
// set before. So several parts that do not know each other can share a queue.
func (q *Queue) Mark(bits uint32) (before uint32) {
	before, q.mark = q.mark, bits
	return before
}

// Handled returns the number of events popped so far.
func (q *Queue) Handled() int64 { return q.handled }

// horizon is how far simulated time goes: half of what units.Time can hold, so that sums of a time and of what comes next do not wrap
// around.
const horizon = units.Never / 2

// ErrHorizon is the panic of Push if an event lies beyond the horizon, or, where times have wrapped around nevertheless, before 0.
var ErrHorizon = errors.New("the run takes more than 53 days of simulated time, which is as far as that goes; expected less to do, or a faster machine")

// Push adds an event. It panics if the event lies in the past, or beyond the horizon of simulated time.
func (q *Queue) Push(e Event) {
	e.Kind |= q.mark
	q.pushed++
	slot := int64(e.At >> slotBits)
	if at := &q.wheel[uint(slot)%wheelSlots]; *at%nodeEvents != 0 && uint64(slot-q.slot-1) < wheelSlots-1 {
		q.events[*at] = e
		*at++
		return
	}
	q.pushElsewhere(e)
}

// pushElsewhere is Push where the node of a slot behind the front has no room. It is not inlined, nor are those that it
// calls, as ranks that wait have Push on their stacks.
//
//go:noinline
func (q *Queue) pushElsewhere(e Event) {
	switch ahead := int64(e.At>>slotBits) - q.slot; {
	case ahead >= wheelSlots:
		q.pushFar(e)
	case ahead > 0:
		q.append(e)
	case e.At <= q.now:
		q.pushNow(e)
	default:
		q.insert(e)
	}
}

// pushNow puts an event for the present time in line. It panics if the event lies in the past, or before 0. It, insert and pushFar are not
// inlined as ranks that wait have Push on their stacks.
//
//go:noinline
func (q *Queue) pushNow(e Event) {
	if e.At < 0 {
		panic(ErrHorizon)
	}
	if e.At < q.now {
		panic(fmt.Sprintf("engine: event of kind %d pushed for %v at %v", e.Kind, e.At, q.now))
	}
	if len(q.line) == cap(q.line) && 2*q.lineHead > len(q.line) { // as much room again without making any
		q.line = q.line[:copy(q.line, q.line[q.lineHead:])]
		q.lineHead = 0
	}
	q.line = append(q.line, e)
}

// insert puts an event into the front, behind those that are not later.
//
//go:noinline
func (q *Queue) insert(e Event) {
	id := q.append(e)
	q.empty(uint(q.slot) % wheelSlots)
	if id%nodeEvents == 0 {
		q.nodes++
	}
	k := keyOf(e.At, q.nodes-1, id)
	at, _ := slices.BinarySearch(q.front[q.head:], k)
	q.front = slices.Insert(q.front, q.head+at, k)
}

// pushFar puts an event beyond the horizon of the wheel.
//
//go:noinline
func (q *Queue) pushFar(e Event) {
	if e.At > horizon {
		panic(ErrHorizon)
	}
	if q.far.filled == 0 || e.At < q.farFirst {
		q.farFirst = e.At
	}
	q.far.push(e)
}

// append puts an event into its slot in the wheel, as the last one, and returns where.
func (q *Queue) append(e Event) uint32 {
	s := uint(e.At>>slotBits) % wheelSlots
	if q.wheel[s]%nodeEvents == 0 {
		q.lengthen(s)
	}
	id := q.wheel[s]
	q.events[id] = e
	q.wheel[s]++
	return id
}

// lengthen gives a slot one more node.
func (q *Queue) lengthen(s uint) {
	if q.unused == 0 {
		q.makeNode()
	}
	n := q.unused
	q.unused = q.next[n]
	q.next[n] = n
	if end := q.wheel[s]; end != 0 {
		last := end/nodeEvents - 1
		q.next[n], q.next[last] = q.next[last], n
	}
	q.wheel[s] = n * nodeEvents
	q.filled[s/64] |= 1 << (s % 64)
	q.words |= 1 << (s / 64)
}

// makeNode makes a free node.
func (q *Queue) makeNode() {
	if len(q.next) == 0 {
		q.events, q.next = make([]Event, nodeEvents), make([]uint32, 1)
	}
	if len(q.events) == mostEvents {
		panic(fmt.Sprintf("engine: more than %d events wait", mostEvents))
	}
	q.unused = uint32(len(q.next))
	q.events, q.next = append(q.events, make([]Event, nodeEvents)...), append(q.next, 0)
}

// Pop removes the next event and advances the time to it. It returns false if
// the queue is empty.
func (q *Queue) Pop() (Event, bool) {
	if e := q.PopUntil(units.Never); e != nil {
		return *e, true
	}
	return Event{}, false
}

// PopUntil removes the next event and advances the time to it. It leaves the event and the time
// alone if the event lies later than limit, and returns nil. The event is valid until the next call
// of any method that changes the queue.
func (q *Queue) PopUntil(limit units.Time) *Event {
	if len(q.line) > 0 && !q.hasEarlier() {
		return q.popLine(limit)
	}
	if q.head == len(q.front) && !q.advance(limit) {
		return nil
	}
	e := q.event(q.front[q.head])
	if e.At > limit {
		return nil
	}
	q.head++
	q.handled++
	q.now = e.At
	return e
}

// hasEarlier reports whether events of the present time come before those in line: they were pushed before.
func (q *Queue) hasEarlier() bool {
	return q.head < len(q.front) && q.event(q.front[q.head]).At == q.now
}

// popLine is PopUntil of the first event in line.
func (q *Queue) popLine(limit units.Time) *Event {
	if q.now > limit {
		return nil
	}
	e := &q.line[q.lineHead]
	if q.lineHead++; q.lineHead == len(q.line) {
		q.line, q.lineHead = q.line[:0], 0
	}
	q.handled++
	return e
}

// Ahead returns the event that comes so many places behind the next one, or nil if that cannot be told at once. Those that have
// been pushed for the present time and wait in line do not count. The event is valid until the next call of any method that
// changes the queue. It is inlined, as it is called several times for each event.
func (q *Queue) Ahead(places int) *Event {
	if i := uint(q.head + places); i < uint(len(q.front)) {
		return q.event(q.front[i])
	}
	return nil
}

// PrefetchAhead brings the event that Ahead returns to the processor's cache, if there is one.
func (q *Queue) PrefetchAhead(places int) {
	if ev := q.Ahead(places); ev != nil {
		prefetch.Lines(uintptr(unsafe.Pointer(ev)), 1)
	}
}

// advance fills the empty front from the next slot that has events, unless all of them lie beyond limit: the present time is
// always in the slot of the front.
func (q *Queue) advance(limit units.Time) bool {
	next, final := q.nextSlot(), int64(limit>>slotBits)
	if next > final || next == final && q.earliestIn(next) > limit {
		return false
	}
	q.free(uint(q.slot) % wheelSlots)
	q.slot = next
	if q.far.filled != 0 && int64(q.farFirst>>slotBits)-next < wheelSlots {
		q.fetch()
	}
	s := uint(next) % wheelSlots
	q.empty(s)
	q.front, q.head, q.nodes = q.front[:0], 0, 0
	end := q.wheel[s]
	last := (end - 1) / nodeEvents
	for n := q.next[last]; n != last; n = q.next[n] {
		q.take(n*nodeEvents, (n+1)*nodeEvents)
	}
	q.take(last*nodeEvents, end)
	q.sortFront()
	return true
}

// take puts the keys of a node's events at the end of the front.
func (q *Queue) take(id, end uint32) {
	for range end - id {
		q.front = append(q.front, keyOf(q.events[id].At, q.nodes, id))
		id++
	}
	q.nodes++
}

// earliestIn returns the time of the first event in the next slot that has events.
func (q *Queue) earliestIn(slot int64) units.Time {
	if q.words == 0 {
		return q.farFirst
	}
	end := q.wheel[uint(slot)%wheelSlots]
	last := (end - 1) / nodeEvents
	first := earliest(q.events[last*nodeEvents : end])
	for n := q.next[last]; n != last; n = q.next[n] {
		first = min(first, earliest(q.events[n*nodeEvents:(n+1)*nodeEvents]))
	}
	return first
}

// fetch moves the events that the horizon of the wheel has reached from the far heap into the wheel.
func (q *Queue) fetch() {
	for q.far.filled != 0 {
		q.farFirst = q.far.next()
		if int64(q.farFirst>>slotBits)-q.slot >= wheelSlots {
			return
		}
		q.append(*q.far.pop())
	}
}

// free frees the nodes of a slot.
func (q *Queue) free(s uint) {
	if end := q.wheel[s]; end != 0 {
		last := (end - 1) / nodeEvents
		q.unused, q.next[last] = q.next[last], q.unused
		q.wheel[s] = 0
	}
}

// empty notes that there is nothing in a slot behind the front.
func (q *Queue) empty(s uint) {
	q.filled[s/64] &^= 1 << (s % 64)
	if q.filled[s/64] == 0 {
		q.words &^= 1 << (s / 64)
	}
}

// noSlot is later than all slots.
const noSlot = int64(units.Never>>slotBits) + 1

// nextSlot returns the number of the first slot after the front's that has events, in the wheel or
// beyond.
func (q *Queue) nextSlot() int64 {
	if q.words == 0 {
		if q.far.filled == 0 {
			return noSlot
		}
		return int64(q.farFirst >> slotBits)
	}
	start := uint(q.slot+1) % wheelSlots
	w := start / 64
	if word := q.filled[w] >> (start % 64); word != 0 {
		return q.slot + 1 + int64(bits.TrailingZeros64(word))
	}
	// Last comes the same word again, for the slots before that one, which are almost a turn ahead.
	w++
	w = (w + uint(bits.TrailingZeros64(bits.RotateLeft64(q.words, -int(w))))) % (wheelSlots / 64)
	s := w*64 + uint(bits.TrailingZeros64(q.filled[w]))
	return q.slot + 1 + int64((s-start)%wheelSlots)
}
