package engine

import (
	"fmt"
	"math/bits"

	"musubi/units"
)

// Event is something that happens at a point in simulated time. The code that pushes an event
// defines Kind, A, B and C.
type Event struct {
	At   units.Time
	Kind uint32
	A    uint32
	B    uint32
	C    uint32
}

// The wheel has a slot for each of the next wheelSlots spans of 2^slotBits
// picoseconds: 8.4 us, more than most delays of a fabric. Events of short slots are sorted faster; with long ones Ahead tells
// more of what comes, and fewer slots are empty.
const (
	slotBits   = 11
	wheelSlots = 4096
)

// farInsert is how many later events an event passes at most that is inserted into the front.
const farInsert = 32

// Queue yields events in the order of time and, at equal times, in the order in
// which they were pushed. The zero value is an empty queue at time 0.
//
// Events of the near future lie in the slots of a timing wheel, unsorted, and those beyond its
// horizon in a heap. When the turn of a slot comes, its events are sorted into the front, from
// which events are popped. Events that are pushed for the present time wait in line, behind those of that time which are in the
// front. Others that are pushed for the same slot are inserted into the front; if there
// are too many later ones for that, all move to a heap of their own. Events move
// from the far heap into the wheel as soon as its horizon reaches them, and so before any events
// that are pushed later.
type Queue struct {
	now     units.Time
	size    int
	handled int64
	mark    uint32 // of events that are pushed now

	line     []Event // pushed for the present time, in order; the first lineHead events have been popped
	lineHead int

	front []Event // of slot, sorted; the first head events have been popped
	head  int
	mixed []Event   // room for events of a slot that are not sorted yet
	near  radixHeap // in place of the front, which is then empty
	slot  int64     // number of the slot that is in the front: time >> slotBits

	wheel   [wheelSlots]uint32 // by number of slot modulo wheelSlots: the node of the event pushed last; 0: none
	filled  [wheelSlots / 64]uint64
	inWheel int
	nodes   []node
	unused  uint32 // first of the list of free nodes; node 0 is not used

	far radixHeap
}

// nodeEvents makes a node two cache lines long. In large networks slots have many events, which are
// far from each other in memory if each has a node of its own.
const nodeEvents = 5

// node is some events of a slot in the wheel, in the order in which they were pushed.
type node struct {
	next   uint32 // node of events in the same slot pushed before, or of the list of free nodes
	used   uint32
	events [nodeEvents]Event
}

// Now returns the time of the event popped last.
func (q *Queue) Now() units.Time { return q.now }

// Len returns the number of events waiting.
func (q *Queue) Len() int { return q.size }

// Mark sets bits in the kinds of all events that are pushed from now on, and returns those that were
// set before. So several parts that do not know each other can share a queue.
func (q *Queue) Mark(bits uint32) (before uint32) {
	before, q.mark = q.mark, bits
	return before
}

// Handled returns the number of events popped so far.
func (q *Queue) Handled() int64 { return q.handled }

// Push adds an event. It panics if the event lies in the past.
func (q *Queue) Push(e Event) {
	e.Kind |= q.mark
	q.size++
	switch ahead := int64(e.At>>slotBits) - q.slot; {
	case e.At <= q.now:
		q.pushNow(e)
	case ahead <= 0:
		q.insert(e)
	case ahead < wheelSlots:
		q.append(e)
	default:
		q.pushFar(e)
	}
}

// pushNow puts an event for the present time in line. It panics if the event lies in the past. It is not inlined for the same
// reason as insertNear.
//
//go:noinline
func (q *Queue) pushNow(e Event) {
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
func (q *Queue) insert(e Event) {
	last := len(q.front) - 1
	if q.near.filled != 0 || last-farInsert >= q.head && q.front[last-farInsert].At > e.At {
		q.insertNear(e)
		return
	}
	q.front = append(q.front, e)
	i := last + 1
	for ; i > q.head && q.front[i-1].At > e.At; i-- {
		q.front[i] = q.front[i-1]
	}
	q.front[i] = e
}

// insertNear puts an event into the near heap, which takes the place of the front. It, leaveFront and
// pushFar are not inlined as ranks that wait have Push on their stacks.
//
//go:noinline
func (q *Queue) insertNear(e Event) {
	if q.near.filled == 0 {
		q.leaveFront()
	}
	q.near.push(e)
}

// pushFar puts an event beyond the horizon of the wheel.
//
//go:noinline
func (q *Queue) pushFar(e Event) { q.far.push(e) }

// leaveFront moves the events of the front into the near heap.
//
//go:noinline
func (q *Queue) leaveFront() {
	q.near.now = q.now
	for _, e := range q.front[q.head:] {
		q.near.push(e)
	}
	q.front, q.head = q.front[:0], 0
}

// append puts an event into its slot in the wheel, as the last one.
func (q *Queue) append(e Event) {
	s := uint(e.At>>slotBits) % wheelSlots
	id := q.wheel[s]
	if id == 0 || q.nodes[id].used == nodeEvents {
		id = q.newNode(id)
		q.wheel[s] = id
		q.filled[s/64] |= 1 << (s % 64)
	}
	n := &q.nodes[id]
	n.events[n.used] = e
	n.used++
	q.inWheel++
}

// newNode returns an empty node that comes behind another one.
func (q *Queue) newNode(before uint32) uint32 {
	if q.unused == 0 {
		q.makeNode()
	}
	id := q.unused
	n := &q.nodes[id]
	q.unused = n.next
	n.next, n.used = before, 0
	return id
}

// free puts a node on the list of free nodes.
func (q *Queue) free(id uint32) { q.nodes[id].next, q.unused = q.unused, id }

// makeNode makes a free node.
func (q *Queue) makeNode() {
	if len(q.nodes) == 0 {
		q.nodes = append(q.nodes, node{})
	}
	q.unused = uint32(len(q.nodes))
	q.nodes = append(q.nodes, node{})
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
	if q.head == len(q.front) && q.near.filled == 0 && !q.advance(limit) {
		return nil
	}
	var e *Event
	if q.near.filled == 0 {
		if e = &q.front[q.head]; e.At > limit {
			return nil
		}
		q.head++
	} else {
		if q.near.next() > limit {
			return nil
		}
		e = q.near.pop()
	}
	q.size--
	q.handled++
	q.now = e.At
	return e
}

// hasEarlier reports whether events of the present time come before those in line: they were pushed before.
func (q *Queue) hasEarlier() bool {
	if q.near.filled != 0 {
		return q.near.filled&1 != 0 // all of the present time: that of the event popped last
	}
	return q.head < len(q.front) && q.front[q.head].At == q.now
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
	q.size--
	q.handled++
	return e
}

// Ahead returns the event that comes so many places behind the next one, or nil if that cannot be told at once. Those that have
// been pushed for the present time and wait in line do not count. The event is valid until the next call of any method that
// changes the queue. It is inlined, as it is called several times for each event.
func (q *Queue) Ahead(places int) *Event {
	if i := uint(q.head + places); i < uint(len(q.front)) {
		return &q.front[i]
	}
	return q.aheadNear(places)
}

// aheadNear is Ahead where the event is not in the front.
func (q *Queue) aheadNear(places int) *Event {
	now := q.near.buckets[0]
	if i := uint(q.near.head + places); i < uint(len(now)) {
		return &now[i]
	}
	return nil
}

// advance fills the empty front from the next slot that has events, unless that
// begins beyond limit.
func (q *Queue) advance(limit units.Time) bool {
	next := q.nextSlot()
	if next > int64(limit>>slotBits) {
		return false
	}
	q.slot = next
	for q.far.filled != 0 && int64(q.far.next()>>slotBits)-next < wheelSlots {
		q.append(*q.far.pop())
	}
	q.front, q.head = q.front[:0], 0
	s := uint(next) % wheelSlots
	last := q.wheel[s]
	q.wheel[s] = 0
	q.filled[s/64] &^= 1 << (s % 64)
	if n := &q.nodes[last]; n.next == 0 && n.used == 1 {
		q.front = append(q.front, n.events[0])
		q.free(last)
		q.inWheel--
		return true
	}
	for id := q.reversed(last); id != 0; {
		n := &q.nodes[id]
		q.front = append(q.front, n.events[:n.used]...)
		q.inWheel -= int(n.used)
		following := n.next
		q.free(id)
		id = following
	}
	q.sortFront()
	return true
}

// reversed turns a list of nodes round and returns its first one: that of the events pushed first.
func (q *Queue) reversed(id uint32) uint32 {
	before := uint32(0)
	for id != 0 {
		n := &q.nodes[id]
		id, n.next, before = n.next, before, id
	}
	return before
}

// noSlot is later than all slots.
const noSlot = int64(units.Never>>slotBits) + 1

// nextSlot returns the number of the first slot after the front's that has events, in the wheel or
// beyond.
func (q *Queue) nextSlot() int64 {
	if q.inWheel == 0 {
		if q.far.filled == 0 {
			return noSlot
		}
		return int64(q.far.next() >> slotBits)
	}
	// The word that holds the front's slot is looked at twice, last for the slots
	// before that one, which are almost a turn ahead.
	start := uint(q.slot+1) % wheelSlots
	word := q.filled[start/64] &^ (1<<(start%64) - 1)
	for w := start / 64; ; word = q.filled[w] {
		if word != 0 {
			s := w*64 + uint(bits.TrailingZeros64(word))
			return q.slot + 1 + int64((s-start)%wheelSlots)
		}
		w = (w + 1) % (wheelSlots / 64)
	}
}
