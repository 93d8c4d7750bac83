//go:build cgo

package main

// #include <stdlib.h>
// #include "front/notes.h"
// #include "front/short.h"
import "C"

import (
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"musubi/live/shm"
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/rma"
)

// laned is a process with lanes: that of package live.
type laned interface {
	Size() int
	Lane(other, longest int) (shm.Lane, bool)
	OpenLanes() bool
	Sleeps() bool
	Alone() *atomic.Uint32
	CountLanes(messages uint64)
}

// lanes are those of this program, of which the front has what they need to be used.
type lanes struct {
	rank   laned
	front  *C.struct_musubi_lanes
	of     map[int32]*C.struct_musubi_lane   // by process; nil: there is none
	pinned runtime.Pinner                    // what they point to
	comms  [C.MUSUBI_COMMS]*abi.Comm         // that the front has the lanes of
	places []int                             // of these
	told   [C.MUSUBI_COMMS]rma.SharedBarrier // whose notes the front has been told of, or could not be; nil: there is none
}

// C and Go say the same.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_lane{})-unsafe.Sizeof(shm.Lane{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_writer{})-unsafe.Sizeof(shm.WriterState{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_reader{})-unsafe.Sizeof(shm.ReaderState{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_half{})-unsafe.Sizeof(shm.Half{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_receive{})-unsafe.Sizeof(abi.LaneReceive{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_persistent{})-unsafe.Sizeof(abi.LanePersistent{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_type{})-unsafe.Sizeof(abi.LaneType{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_sent_log{})-unsafe.Sizeof(abi.SentLog{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_note_state{})-unsafe.Sizeof(shm.NoteState{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_note{})-unsafe.Sizeof(shm.Note{})]
	_ = [1]struct{}{}[C.MUSUBI_FOR_ALL-shm.ForAll]
	_ = [1]struct{}{}[C.MUSUBI_NOTE_SLOTS-shm.NoteSlots]
	_ = [1]struct{}{}[C.MUSUBI_SHORT_NOTE-shm.ShortNote]
	_ = [1]struct{}{}[C.MUSUBI_LONG_NOTE-rma.NoteBytes]
	_ = [1]struct{}{}[unsafe.Offsetof(C.struct_musubi_part{}.longer)-shm.LongNotesAt]
	_ = [1]struct{}{}[C.MUSUBI_NOTE_ROUND_SHIFT-shm.NoteRoundShift]
	_ = [1]struct{}{}[C.MUSUBI_COMPLETE-abi.CompleteInLane]
	_ = [1]struct{}{}[C.MUSUBI_INT8-int(reflect.Int8)]
	_ = [1]struct{}{}[C.MUSUBI_UINT64-int(reflect.Uint64)]
	_ = [1]struct{}{}[C.MUSUBI_FLOAT64-int(reflect.Float64)]
	_ = [1]struct{}{}[C.MUSUBI_FIRST_TYPE-standard.DatatypeNull]
	_ = [1]struct{}{}[C.MUSUBI_INDEX_SHIFT-abi.HandleIndexAt]
)

func newLanes(rank laned, front *C.struct_musubi_lanes) *lanes {
	front.sent = C.int64_t(abi.SentInLane)
	self.UseLog((*abi.SentLog)(unsafe.Pointer(&front.log)))
	for i := range front.receives {
		front.receives[i].handle = C.int64_t(self.Reserve())
	}
	front.claimed.handle = C.int64_t(self.ReserveMessage())
	for i := range front.sizes {
		front.sizes[i] = C.uchar(self.BytesInRow(standard.DatatypeNull + int64(i)))
		front.kinds[i] = C.uchar(kindOf(standard.DatatypeNull + int64(i)))
	}
	l := &lanes{rank: rank, front: front, of: map[int32]*C.struct_musubi_lane{}}
	if self.Threads != nil {
		l.Share()
	}
	return l
}

// turnsOfFront is how often the front may look by itself, once in MUSUBI_PER_LOOK messages, whether another rank wants
// something. Then the program calls the core all the same, which looks at everything.
const turnsOfFront = 255

// Open implements abi.Lanes.
func (l *lanes) Open(m *abi.Comm) {
	if l.front.open != 0 { // the program has only asked something
		return
	}
	if !m.IsInter() && m.Inner != nil && l.comms[placeOf(m)] != m {
		l.choose(m)
	}
	l.Reopen()
}

// Reopen implements abi.Lanes.
func (l *lanes) Reopen() {
	if l.front.open != 0 {
		return
	}
	l.rank.CountLanes(uint64(l.front.messages))
	isAny := false
	for _, at := range l.places {
		l.front.comms[at].is_open = 0
		if l.comms[at].Point.IsPlain() {
			isAny = true
			l.front.comms[at].is_open = 1
			l.openNotes(at)
		}
	}
	if isAny && l.rank.OpenLanes() {
		l.front.left, l.front.turns = C.MUSUBI_PER_LOOK, turnsOfFront
		l.front.buffer = C.int64_t(self.FreeBuffer())
		l.letIn()
	}
}

// Close implements abi.Lanes.
func (l *lanes) Close(m *abi.Comm) {
	if at := placeOf(m); l.comms[at] == m {
		l.close(at)
	}
	for i := range l.front.persistent {
		if p := &l.front.persistent[i]; int64(p.comm) == m.Handle {
			*p = C.struct_musubi_persistent{}
		}
	}
}

func (l *lanes) close(at int) {
	c := &l.front.comms[at]
	C.free(unsafe.Pointer(c.to))
	freeNotes(c.notes)
	*c, l.comms[at], l.told[at] = C.struct_musubi_comm{}, nil, nil
	l.places = slices.DeleteFunc(l.places, func(place int) bool { return place == at })
}

// KeepPersistent implements abi.Lanes. If all places of its handle are taken the front does not have it.
func (l *lanes) KeepPersistent(p abi.LanePersistent) {
	if l.persistentAt(p.Handle, p.Handle) != nil {
		return
	}
	if at := l.persistentAt(p.Handle, 0); at != nil {
		*at = p
	}
}

// ForgetPersistent implements abi.Lanes.
func (l *lanes) ForgetPersistent(handle int64) {
	if at := l.persistentAt(handle, handle); at != nil {
		*at = abi.LanePersistent{}
	}
}

// persistentAt returns the first place of a persistent send or receive that has a certain one, or none with 0; nil: no place has.
func (l *lanes) persistentAt(handle, has int64) *abi.LanePersistent {
	for i := range uint64(C.MUSUBI_PERSISTENT_PLACES) {
		at := (*abi.LanePersistent)(unsafe.Pointer(&l.front.persistent[(uint64(handle)>>abi.HandleIndexAt+i)%C.MUSUBI_PERSISTENT]))
		if at.Handle == has {
			return at
		}
	}
	return nil
}

// KeepType implements abi.Lanes. Of those with the same place the front has the last one.
func (l *lanes) KeepType(t abi.LaneType) { *l.typeAt(t.Handle) = t }

// ForgetType implements abi.Lanes.
func (l *lanes) ForgetType(handle int64) {
	if at := l.typeAt(handle); at.Handle == handle {
		*at = abi.LaneType{}
	}
}

// typeAt returns the place of a datatype of the program.
func (l *lanes) typeAt(handle int64) *abi.LaneType {
	return (*abi.LaneType)(unsafe.Pointer(&l.front.derived[uint64(handle)>>abi.HandleIndexAt%C.MUSUBI_DERIVED]))
}

// KeepAttribute implements abi.Lanes.
func (l *lanes) KeepAttribute(comm, key, value int64) {
	l.whileHeld(func() {
		l.front.attribute = C.struct_musubi_attribute{comm: C.int64_t(comm), key: C.int64_t(key), value: C.int64_t(value)}
	})
}

// ForgetAttribute implements abi.Lanes.
func (l *lanes) ForgetAttribute() { l.whileHeld(func() { l.front.attribute.comm = 0 }) }

// End implements abi.Lanes. All calls go to the core then, which says that they are too late.
func (l *lanes) End() {
	l.whileHeld(func() {
		for _, at := range slices.Clone(l.places) {
			l.close(at)
		}
		l.front.attribute.comm = 0
		clear(l.front.sizes[:])
		clear(l.front.kinds[:])
		clear(l.front.derived[:])
	})
}

// placeOf is where the front has a communicator, if it has it.
func placeOf(m *abi.Comm) int {
	return int((uint64(m.Handle)>>abi.HandleIndexAt ^ uint64(m.Handle)) % C.MUSUBI_COMMS)
}

// musubi_core_adopt takes over the receives that the front keeps.
//
//export musubi_core_adopt
func musubi_core_adopt() { adopt(self.Host.(*here).lanes) }

func adopt(front *C.struct_musubi_lanes) {
	if c := &front.claimed; c.lane != nil { // first: no receive that has been started may get it
		self.AdoptMessage(int64(c.handle), int64(c.comm), int64(c.source), int64(c.tag))
		c.lane, c.handle = nil, C.int64_t(self.ReserveMessage())
	}
	started := unsafe.Slice((*abi.LaneReceive)(unsafe.Pointer(&front.receives)), front.started)
	front.started, front.pending = 0, 0
	self.Adopt(started)
}

// choose tells the front of the lanes of a communicator.
func (l *lanes) choose(m *abi.Comm) {
	at, n := placeOf(m), m.Point.Size()
	l.close(at)
	to := make([]*C.struct_musubi_lane, n)
	missing := 0
	for rank := range to {
		if to[rank] = l.to(m.Point.Process(rank), m); to[rank] == nil {
			missing++
		}
	}
	if l.front.all == nil {
		l.chooseAll(m)
	}
	c := &l.front.comms[at]
	c.to = inC(to)
	c.handle, c.ranks, c.envelope = C.int64_t(m.Handle), C.uint64_t(n), C.uint64_t(m.Point.Envelope())
	c.own = C.uint64_t(m.Inner.Rank())
	l.front.short_message = C.uchar(m.Point.Envelope()) // the same for all

	// There is none to this rank itself.
	if missing == 1 {
		c.reaches_all = 1
	}
	l.comms[at], l.places = m, append(l.places, at)
}

// inC returns a copy in memory of C.
func inC(lanes []*C.struct_musubi_lane) **C.struct_musubi_lane {
	made := (**C.struct_musubi_lane)(C.calloc(C.size_t(len(lanes)), C.size_t(unsafe.Sizeof(uintptr(0)))))
	copy(unsafe.Slice(made, len(lanes)), lanes)
	return made
}

// chooseAll tells the front of the lanes of all processes, which may want something.
func (l *lanes) chooseAll(m *abi.Comm) {
	all := make([]*C.struct_musubi_lane, l.rank.Size())
	for process := range all {
		all[process] = l.to(int32(process), m)
	}
	l.front.all, l.front.processes = inC(all), C.uint64_t(len(all))
	if l.rank.Sleeps() {
		l.front.alone = (*C.uint32_t)(unsafe.Pointer(l.rank.Alone()))
	}
}

// to returns the lane to a process, nil if there is none. The front keeps it, and so the garbage collector
// is told to leave what it points to where it is. All communicators send messages of the same lengths.
func (l *lanes) to(process int32, m *abi.Comm) *C.struct_musubi_lane {
	if known, ok := l.of[process]; ok {
		return known
	}
	var made *C.struct_musubi_lane
	if lane, ok := l.rank.Lane(int(process), m.Point.Eager(process)); ok {
		l.pinned.Pin(lane.Writer)
		l.pinned.Pin(lane.Reader)
		made = (*C.struct_musubi_lane)(C.malloc(C.size_t(unsafe.Sizeof(lane))))
		*(*shm.Lane)(unsafe.Pointer(made)) = lane
	}
	l.of[process] = made
	return made
}

// noted is a shared barrier whose short notes programs in C may post and take: that of package live.
type noted interface {
	Notes() shm.Notes
}

// openNotes tells the front of the notes of a communicator, if its short collective operations go by notes. It is called behind
// each call of the program, and mostly has nothing new to tell.
func (l *lanes) openNotes(at int) {
	c, m := &l.front.comms[at], l.comms[at]
	if b := m.Inner.Notes(); b != l.told[at] {
		l.told[at] = b
		freeNotes(c.notes)
		c.notes = nil
		if b, ok := b.(noted); ok {
			c.notes = notesOf(m, b.Notes())
		}
	}
	if c.notes != nil {
		c.notes.goes_without = goesWithout(m)
	}
}

// notesOf returns what the front has to know of the notes of a communicator, nil if these are too many for it.
func notesOf(m *abi.Comm, known shm.Notes) *C.struct_musubi_notes {
	if len(known.Parts) > C.MUSUBI_NOTE_MEMBERS {
		return nil
	}
	n := (*C.struct_musubi_notes)(C.calloc(1, C.sizeof_struct_musubi_notes))
	n.state, n.members, n.own = (*C.struct_musubi_note_state)(unsafe.Pointer(known.State)), C.uint64_t(len(known.Parts)), C.uint64_t(known.Own)
	n.most = C.uint64_t(m.Inner.MostInNote())
	for i, p := range known.Parts {
		n.parts[i] = (*C.struct_musubi_part)(p)
	}
	for i, word := range known.Sleeping {
		n.sleeping[i] = (*C.uint32_t)(unsafe.Pointer(word))
	}
	inOrder, toOwn, byHalves := m.Steps()
	copySteps(n.in_order[:], inOrder)
	copySteps(n.to_own[:], toOwn)
	copySteps(n.by_halves[:], byHalves)
	scan, exscan := m.ScanSteps()
	copySteps(n.scan[:], scan)
	copySteps(n.exscan[:], exscan)
	n.scan_steps, n.exscan_steps = C.uint64_t(len(scan)), C.uint64_t(len(exscan))
	if m.Topology != nil {
		n.near = nearOf(m)
	}
	return n
}

func freeNotes(n *C.struct_musubi_notes) {
	if n != nil {
		C.free(unsafe.Pointer(n.near))
		C.free(unsafe.Pointer(n))
	}
}

// nearOf returns the neighbours of this rank in a topology, in one block of memory.
func nearOf(m *abi.Comm) *C.struct_musubi_near {
	known := m.Topology.Neighbours(m)
	var to, part []C.int32_t
	for i, rank := range known.InOrder {
		to, part = append(to, C.int32_t(rank)), append(part, C.int32_t(i))
	}
	from, before := make([]C.int32_t, len(known.Sources)), make([]C.int32_t, len(known.Sources))
	times := map[int]C.int32_t{}
	for i, rank := range known.Sources {
		from[i], before[i] = C.int32_t(rank), times[rank]
		times[rank]++
	}
	lists := slices.Concat(from, before, to, part)
	n := (*C.struct_musubi_near)(C.malloc(C.sizeof_struct_musubi_near + C.size_t(len(lists))*C.sizeof_int32_t))
	in := unsafe.Slice((*C.int32_t)(unsafe.Add(unsafe.Pointer(n), C.sizeof_struct_musubi_near)), len(lists)+1)[:len(lists)]
	copy(in, lists)
	at := func(i int) *C.int32_t {
		return (*C.int32_t)(unsafe.Add(unsafe.Pointer(n), C.sizeof_struct_musubi_near+uintptr(i)*C.sizeof_int32_t))
	}
	n.sources, n.destinations = C.uint64_t(len(from)), C.uint64_t(len(to))
	n.from, n.before, n.to, n.part = at(0), at(len(from)), at(2*len(from)), at(2*len(from)+len(to))
	return n
}

// goesWithout says which operations of a communicator are not for the front.
func goesWithout(m *abi.Comm) (without C.uint64_t) {
	if !m.Inner.ExchangesByNotes() {
		without |= C.MUSUBI_NO_ALLTOALLV
	}
	if !m.Inner.ScattersByNotes() {
		without |= C.MUSUBI_NO_SCATTERV
	}
	if !m.Inner.ScansByNotes() {
		without |= C.MUSUBI_NO_SCAN
	}
	return without
}

func copySteps(into []C.struct_musubi_step, steps []abi.Step) {
	for i, s := range steps {
		into[i] = C.struct_musubi_step{C.uint32_t(s.From), C.uint32_t(s.Into)}
	}
}

// pairs are the kinds of values with an int behind them.
var pairs = map[int64]reflect.Kind{
	standard.FloatInt: C.MUSUBI_FLOAT_INT, standard.DoubleInt: C.MUSUBI_DOUBLE_INT, standard.LongInt: C.MUSUBI_LONG_INT, standard.ShortInt: C.MUSUBI_SHORT_INT, standard.TwoInt: C.MUSUBI_INT_INT,
}

// kindOf returns the kind of the elements of a datatype that the front reduces, 0 if it does not.
func kindOf(datatype int64) reflect.Kind {
	if pair, is := pairs[datatype]; is {
		return pair
	}
	switch k := reflect.Kind(self.KindInRow(datatype)); k {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return k
	}
	return 0
}
