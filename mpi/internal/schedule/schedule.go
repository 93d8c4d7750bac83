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

	"musubi/internal/cached"
	"musubi/internal/phantom"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
)

// Schedule is the part of one rank in a collective operation.
type Schedule struct {
	Rank, Size int
	Steps      []Step
	few        [usualSteps]Step // the first of them
	types      []datatype.Type  // of memory that is packed or unpacked
	runs       []datatype.Run   // of these types, kept for the next operation if they are few
	scratch    []byte           // kept for the next operation
	free       []byte           // part of scratch that is not in use
	needed     int              // bytes of scratch memory that the steps so far need
	most       int              // the largest needed of the operations that scratch is kept for
	small      int              // operations since the last one that needed half of scratch

	phantomFree, phantom []byte // likewise, of phantom memory
}

// Action is what a step does.
type Action uint8

const (
	Send        Action = iota // starts to send From to Peer
	Receive                   // starts to receive Into from Peer
	Wait                      // waits until all that has been started is complete
	Exchange                  // starts to receive Into from Source, then to send From to Peer, and waits like Wait
	Combine                   // combines From with Into, in this order, to Into
	Copy                      // copies From to Into
	Pack                      // copies what its type names of From to Into
	Unpack                    // copies From to what its type names of Into
	Call                      // does part Do of an operation that is not done by messages
	SendEach                  // starts to send every other rank its part of From, which has one for each rank
	ReceiveEach               // starts to receive every other rank's part of Into, which has one for each rank
	Disseminate               // exchanges nothing with the ranks a power of two places away, one after the other
	Double                    // exchanges From with ever farther peers, one after the other, and combines what comes, to Into, with it
	PassOn                    // passes pieces of Into on in a ring
	CombineOn                 // passes pieces of From on in a ring, combined with those of others, to Into
)

// Step is one step of a rank. It has the size of a cache line.
type Step struct {
	Action     Action
	Do         uint8 // the part of a Call; 0 is the first, which adds the others
	Peer       int32 // rank to send to, or to receive from
	Source     int32 // rank that an Exchange receives from
	memory     int32 // index of the type of a Pack or an Unpack; of a Double, how many rounds have gone before; of a ring, bytes of an element
	From, Into []byte
}

// parts returns how many steps a step stands for: SendEach, ReceiveEach and PassOn for one for each other rank, as many steps of
// their own would take much memory, CombineOn for two, and Disseminate and Double for those of their rounds.
func (s *Schedule) parts(step *Step) int {
	switch step.Action {
	case SendEach, ReceiveEach, PassOn:
		return s.Size - 1
	case CombineOn:
		return 2 * (s.Size - 1)
	case Disseminate:
		return bits.Len(uint(s.Size - 1))
	case Double:
		return stepsOfRound(step) * s.rounds(step)
	}
	return 1
}

// HasRounds reports whether a step stands for others that are taken one after the other, each when the one before has ended.
func (step *Step) HasRounds() bool {
	switch step.Action {
	case Disseminate, Double, PassOn, CombineOn:
		return true
	}
	return false
}

// rounds returns how many rounds a Double has. Source is how many of the ranks stand aside: as many as are too many for a power
// of two.
func (s *Schedule) rounds(double *Step) int {
	return bits.Len(uint(s.Size-int(double.Source))) - 1 - int(double.memory)
}

// stepsOfRound returns how many steps a round of a Double has: it exchanges and combines, unless there is nothing to combine.
func stepsOfRound(double *Step) int {
	if len(double.From) == 0 {
		return 1
	}
	return 2
}

// Part returns the i-th of the steps that a step of several parts stands for, and false if it has fewer.
func (s *Schedule) Part(each *Step, i int) (Step, bool) {
	if i >= s.parts(each) {
		return Step{}, false
	}
	switch each.Action {
	case SendEach:
		to := s.Right(i + 1)
		return Step{Action: Send, Peer: int32(to), From: s.partOf(each.From, to)}, true
	case Disseminate:
		return Step{Action: Exchange, Peer: int32(s.Right(1 << i)), Source: int32(s.Left(1 << i))}, true
	case Double:
		return doubled(each, i), true
	case PassOn:
		return s.inRing(each, i), true
	case CombineOn:
		return s.combinedOn(each, i), true
	}
	return s.PartFrom(each, s.Left(i+1)), true
}

// doubled returns the i-th of the steps that a Double stands for.
func doubled(double *Step, i int) Step {
	each := stepsOfRound(double)
	if i%each == 1 {
		return Step{Action: Combine, From: double.Into, Into: double.From}
	}
	peer := Unfolded(int(double.Peer)^1<<(int(double.memory)+i/each), int(double.Source))
	return Step{Action: Exchange, Peer: int32(peer), Source: int32(peer), From: double.From, Into: double.Into}
}

// Unfolded returns the rank with a number among those that stay where the first ranks are in pairs, of which the second one
// stays.
func Unfolded(number, pairs int) int {
	if number >= pairs {
		return number + pairs
	}
	return 2*number + 1
}

// PartFrom returns the step of a ReceiveEach that receives from a rank.
func (s *Schedule) PartFrom(each *Step, from int) Step {
	return Step{Action: Receive, Peer: int32(from), Into: s.partOf(each.Into, from)}
}

// partOf returns the part of a rank of memory that has parts of the same size for all.
func (s *Schedule) partOf(memory []byte, rank int) []byte {
	n := len(memory) / s.Size
	return memory[rank*n : (rank+1)*n : (rank+1)*n]
}

// Sent returns how many messages a step sends, and how many bytes in all.
func (s *Schedule) Sent(step *Step) (messages, bytes int) {
	switch step.Action {
	case Send, Exchange:
		return 1, len(step.From)
	case SendEach:
		return s.Size - 1, len(step.From) / s.Size * (s.Size - 1)
	case Disseminate:
		return s.parts(step), 0
	case Double:
		return s.rounds(step), s.rounds(step) * len(step.From)
	case PassOn, CombineOn:
		return s.Size - 1, s.sentInRing(step)
	}
	return 0, 0
}

// Done returns which part of the steps are taken, from 0 to 1, when next is the one to be taken next, of which some
// parts are, and some messages are not complete.
func (s *Schedule) Done(next, parts, open int) float64 {
	taken, all := parts-open, 0
	for i := range s.Steps {
		n := s.parts(&s.Steps[i])
		if all += n; i < next {
			taken += n
		}
	}
	return float64(max(0, taken)) / float64(max(1, all))
}

// keptFor is how many operations in a row may need less than half of the scratch memory before it
// is let go, so that one long operation does not keep its memory for ever.
const keptFor = 64

// Reset makes an empty schedule for one rank out of size.
func (s *Schedule) Reset(rank, size int) {
	s.Rank, s.Size = rank, size
	if s.Steps == nil && size > 0 {
		s.Steps = s.few[:0]
	}
	clear(s.Steps) // lets go of the program's memory
	clear(s.types)
	s.Steps, s.types = s.Steps[:0], s.types[:0]
	if s.runs = s.runs[:0]; cap(s.runs) > keptRuns {
		s.runs = nil
	}
	s.keepScratch()
}

const (
	usualSteps = 4 // of barriers and short reductions
	keptRuns   = 64
)

// Runs returns memory for n runs of a type that the steps use, all zero.
func (s *Schedule) Runs(n int) []datatype.Run {
	begin := len(s.runs)
	s.runs = slices.Grow(s.runs, n)[:begin+n]
	clear(s.runs[begin:])
	return s.runs[begin:]
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

// ReceiveEach adds a step that starts to receive from every other rank.
func (s *Schedule) ReceiveEach(into []byte) {
	s.Steps = append(s.Steps, Step{Action: ReceiveEach, Into: into})
}

// SendEach adds a step that starts to send to every other rank.
func (s *Schedule) SendEach(from []byte) {
	s.Steps = append(s.Steps, Step{Action: SendEach, From: from})
}

// Disseminate adds a step that exchanges nothing with the ranks a power of two places away: in each round with the one so many
// places on, and the one so many places before.
func (s *Schedule) Disseminate() { s.Steps = append(s.Steps, Step{Action: Disseminate}) }

// Double adds a step in which ranks with numbers exchange from with ever farther peers, in round k with those whose number
// differs in bit k, and combine what they receive, to into, with it. This rank has a number; as many pairs of ranks have one
// each, see Unfolded. Some rounds have gone before.
func (s *Schedule) Double(number, pairs, before int, from, into []byte) {
	s.Steps = append(s.Steps, Step{Action: Double, Peer: int32(number), Source: int32(pairs), memory: int32(before), From: from, Into: into})
}

// Wait adds a step that waits for all messages that have been started.
func (s *Schedule) Wait() { s.Steps = append(s.Steps, Step{Action: Wait}) }

// Exchange adds a step that sends to one rank, receives from another, and waits for both.
func (s *Schedule) Exchange(to int, from []byte, source int, into []byte) {
	s.Steps = append(s.Steps, Step{Action: Exchange, Peer: int32(to), Source: int32(source), From: from, Into: into})
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
	s.convert(Pack, into, from, t)
}

// Unpack adds a step that copies from to what t names of into, unless that is nothing.
func (s *Schedule) Unpack(into, from []byte, t *datatype.Type) {
	s.convert(Unpack, into, from, t)
}

func (s *Schedule) convert(action Action, into, from []byte, t *datatype.Type) {
	if t.Size == 0 {
		return
	}
	s.Steps = append(s.Steps, Step{Action: action, From: from, Into: into, memory: int32(len(s.types))})
	s.types = append(s.types, *t)
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
func (s *Schedule) Compute(step *Step, op reduction.Op) {
	switch step.Action {
	case Combine:
		if len(step.From) > 0 && !phantom.Is(step.From) && !phantom.Is(step.Into) {
			op.Apply(step.From, step.Into)
		}
	case Copy:
		copyStep(step.Into, step.From)
	case Pack:
		s.types[step.memory].Pack(step.Into, step.From)
	case Unpack:
		s.types[step.memory].Unpack(step.Into, step.From)
	}
}

// copyStep copies what the program looks at again soon.
func copyStep(into, from []byte) {
	if phantom.Is(into) || phantom.Is(from) {
		phantom.Copy(into, from)
	} else {
		cached.Copy(into, from)
	}
}
