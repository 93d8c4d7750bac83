package mpi

import "unsafe"

// schedule is the part of one rank in a collective operation: what it sends,
// receives and combines, one step after the other. Algorithms make schedules and do
// not communicate; so they can be tested without a world, and one that carries out
// schedules does for all of them.
type schedule struct {
	rank, size int
	steps      []step
	free       []byte // of room, for scratch
	room       []byte // is kept for the next operation
}

// action is what a step does.
type action uint8

const (
	sendStep         action = iota // starts to send from to peer
	receiveStep                    // starts to receive into from peer
	waitStep                       // for all that has been started to be complete
	combineStep                    // from with into, in this order, to into
	copyStep                       // from to into
	packStep                       // what layout names of from to into
	unpackStep                     // from to what layout names of into
	enterStep                      // gets in line for what interfaces do; see offload.go
	joinStep                       // makes the group for that
	offloadStep                    // lets the interfaces do the operation
	enterLandingStep               // gets in line for multicasts; see landing.go
	landStep                       // adds the steps of the operation
	castStep                       // sends from to all others
	takeSlotStep                   // takes into what another rank has sent so
	leaveStep                      // lets the next of the line have its turn
)

type step struct {
	action     action
	peer       int
	from, into []byte
	layout     *spread
}

// mostRoom is how much scratch memory is kept from one operation to the next, in
// bytes: enough for operations whose latency matters.
const mostRoom = 64 << 10

// reset makes an empty schedule for one rank out of size.
func (s *schedule) reset(rank, size int) {
	s.rank, s.size = rank, size
	clear(s.steps) // lets go of the program's memory
	s.steps = s.steps[:0]
	s.free = s.room
}

func (s *schedule) send(peer int, from []byte) {
	s.steps = append(s.steps, step{action: sendStep, peer: peer, from: from})
}

func (s *schedule) receive(peer int, into []byte) {
	s.steps = append(s.steps, step{action: receiveStep, peer: peer, into: into})
}

func (s *schedule) wait() { s.steps = append(s.steps, step{action: waitStep}) }

// exchange sends to one rank while receiving from another, and waits for both.
func (s *schedule) exchange(to int, from []byte, source int, into []byte) {
	s.receive(source, into)
	s.send(to, from)
	s.wait()
}

func (s *schedule) copy(into, from []byte) {
	if len(from) == 0 || unsafe.SliceData(into) == unsafe.SliceData(from) {
		return
	}
	s.steps = append(s.steps, step{action: copyStep, from: from, into: into})
}

func (s *schedule) combine(from, into []byte) {
	if len(from) > 0 {
		s.steps = append(s.steps, step{action: combineStep, from: from, into: into})
	}
}

// merge combines what this rank has got so far with what it has received. It
// returns which of the two memories has the result, and the other one. Unless the
// operation is commutative the operand from lower ranks is the first.
func (s *schedule) merge(op operator, have, received []byte, receivedIsLower bool) (result, spare []byte) {
	if receivedIsLower || op.commutative {
		s.combine(received, have)
		return have, received
	}
	s.combine(have, received)
	return received, have
}

// scratch returns memory to work in, of any content, aligned for all elements.
func (s *schedule) scratch(bytes int) []byte {
	const word = 8
	aligned := (bytes + word - 1) &^ (word - 1)
	if aligned > len(s.free) {
		words := make([]uint64, aligned/word)
		s.free = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), aligned)
		if len(s.room) < aligned && aligned <= mostRoom {
			s.room = s.free
		}
	}
	memory := s.free[:bytes:bytes]
	s.free = s.free[aligned:]
	return memory
}

// left and right are the ranks some places before and after this one, in a circle.
func (s *schedule) left(places int) int { return (s.rank - places + s.size) % s.size }

func (s *schedule) right(places int) int { return (s.rank + places) % s.size }
