// Package schedule describes the part of one rank in a collective operation as data: a list of
// steps that send, receive and combine.
//
// Algorithms make schedules and do not communicate. So they can be tested without a world, and the
// code that carries out schedules is the same for all of them.
package schedule

import (
	"math/bits"
	"slices"
	"unsafe"

	"musubi/internal/phantom"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
)

// Schedule is the part of one rank in a collective operation.
type Schedule struct {
	Rank, Size int
	Steps      []Step
	scratch    []byte // kept for the next operation
	free       []byte // part of scratch that is not in use
	needed     int    // bytes of scratch memory that the steps so far need
	most       int    // the largest needed of the operations that scratch is kept for
	small      int    // operations since the last one that needed half of scratch

	phantomFree, phantom []byte // likewise, of phantom memory
}

// Action is what a step does.
type Action uint8

const (
	Send    Action = iota // starts to send From to Peer
	Receive               // starts to receive Into from Peer
	Wait                  // waits until all that has been started is complete
	Combine               // combines From with Into, in this order, to Into
	Copy                  // copies From to Into
	Pack                  // copies what Memory names of From to Into
	Unpack                // copies From to what Memory names of Into
	Call                  // does part Do of an operation that is not done by messages
)

// Step is one step of a rank. It has the size of a cache line.
type Step struct {
	Action     Action
	Do         uint8 // the part of a Call; 0 is the first, which adds the others
	Peer       int32 // rank to send to, or to receive from
	From, Into []byte
	Memory     *datatype.Type // of From in a Pack, of Into in an Unpack
}

// keptFor is how many operations in a row may need less than half of the scratch memory before it
// is let go, so that one long operation does not keep its memory for ever.
const keptFor = 64

// Reset makes an empty schedule for one rank out of size.
func (s *Schedule) Reset(rank, size int) {
	s.Rank, s.Size = rank, size
	if s.Steps == nil && size > 0 {
		s.Steps = make([]Step, 0, 4*bits.Len(uint(size))+4) // what most algorithms need where there are many ranks
	}
	clear(s.Steps) // lets go of the program's memory
	s.Steps = s.Steps[:0]
	s.keepScratch()
}

// keepScratch keeps the scratch memory of the last operation for the next one. It grows to what an
// operation needs in all, as memory that is made anew has to be cleared, mapped and collected.
func (s *Schedule) keepScratch() {
	s.most = max(s.most, s.needed)
	if s.small++; s.needed > len(s.scratch)/2 {
		s.small = 0
	} else if s.small > keptFor {
		s.scratch, s.most, s.small = nil, 0, 0
	}
	s.free, s.needed = s.scratch, 0
	s.phantomFree = s.phantom
}

// Reserve makes room for some more steps, of which there will be many.
func (s *Schedule) Reserve(steps int) { s.Steps = slices.Grow(s.Steps, steps) }

// Send adds a step that starts to send.
func (s *Schedule) Send(peer int, from []byte) {
	s.Steps = append(s.Steps, Step{Action: Send, Peer: int32(peer), From: from})
}

// Receive adds a step that starts to receive.
func (s *Schedule) Receive(peer int, into []byte) {
	s.Steps = append(s.Steps, Step{Action: Receive, Peer: int32(peer), Into: into})
}

// Wait adds a step that waits for all messages that have been started.
func (s *Schedule) Wait() { s.Steps = append(s.Steps, Step{Action: Wait}) }

// Exchange adds steps that send to one rank, receive from another, and wait for both.
func (s *Schedule) Exchange(to int, from []byte, source int, into []byte) {
	s.Receive(source, into)
	s.Send(to, from)
	s.Wait()
}

// Copy adds a step that copies, unless there is nothing to copy.
func (s *Schedule) Copy(into, from []byte) {
	if len(from) == 0 || unsafe.SliceData(into) == unsafe.SliceData(from) {
		return
	}
	s.Steps = append(s.Steps, Step{Action: Copy, From: from, Into: into})
}

// Pack adds a step that copies what t names of from, unless that is nothing.
func (s *Schedule) Pack(into, from []byte, t *datatype.Type) {
	if t.Size > 0 {
		s.Steps = append(s.Steps, Step{Action: Pack, From: from, Into: into, Memory: t})
	}
}

// Unpack adds a step that copies from to what t names of into, unless that is nothing.
func (s *Schedule) Unpack(into, from []byte, t *datatype.Type) {
	if t.Size > 0 {
		s.Steps = append(s.Steps, Step{Action: Unpack, From: from, Into: into, Memory: t})
	}
}

// Combine adds a step that combines from with into.
func (s *Schedule) Combine(from, into []byte) {
	if len(from) > 0 {
		s.Steps = append(s.Steps, Step{Action: Combine, From: from, Into: into})
	}
}

// Call adds a step that does a part of an operation that is not done by messages.
func (s *Schedule) Call(do uint8, from, into []byte) {
	s.Steps = append(s.Steps, Step{Action: Call, Do: do, From: from, Into: into})
}

// Scratch returns memory for intermediate results of data, of any content, aligned for all elements.
// It is phantom if the data is.
func (s *Schedule) Scratch(data []byte, bytes int) []byte {
	const word = 8
	aligned := (bytes + word - 1) &^ (word - 1)
	if phantom.Is(data) {
		return s.phantomScratch(data, aligned)[:bytes:bytes]
	}
	s.needed += aligned
	if aligned > len(s.free) {
		words := make([]uint64, max(aligned, s.most)/word)
		s.free = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*word)
		if len(s.scratch) < len(s.free) {
			s.scratch = s.free
		}
	}
	memory := s.free[:bytes:bytes]
	s.free = s.free[aligned:]
	return memory
}

// phantomScratch returns phantom scratch memory.
func (s *Schedule) phantomScratch(data []byte, bytes int) []byte {
	if bytes > len(s.phantomFree) {
		s.phantom = phantom.Like(data, max(bytes, 2*len(s.phantom))) // soon enough for all operations
		s.phantomFree = s.phantom
	}
	memory := s.phantomFree[:bytes]
	s.phantomFree = s.phantomFree[bytes:]
	return memory
}

// Left returns the rank some places before this one, in a circle.
func (s *Schedule) Left(places int) int { return (s.Rank - places + s.Size) % s.Size }

// Right returns the rank some places after this one, in a circle.
func (s *Schedule) Right(places int) int { return (s.Rank + places) % s.Size }

// Compute carries out a step that does not communicate.
func (s *Step) Compute(op reduction.Op) {
	switch s.Action {
	case Combine:
		if !phantom.Is(s.From) && !phantom.Is(s.Into) {
			op.Apply(s.From, s.Into)
		}
	case Copy:
		phantom.Copy(s.Into, s.From)
	case Pack:
		s.Memory.Pack(s.Into, s.From)
	case Unpack:
		s.Memory.Unpack(s.Into, s.From)
	}
}
