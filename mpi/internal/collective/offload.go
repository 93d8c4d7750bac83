package collective

import (
	"encoding/binary"
	"fmt"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// offloadQueue is the group of interfaces of a communicator, and the operations that it does. The
// first operation makes the group.
type offloadQueue struct {
	turns
	wanted  bool      // there has been an operation that interfaces could have done
	started bool      // the first operation
	group   rma.Group // nil: none
	own     [1]uint64 // part of this rank and 1; 0: none
	parts   []uint64  // of all ranks
}

// mostOffloaded is how many ranks let interfaces do their operations unless they are told to. Each
// rank has to know the part of each other one, which takes more memory than a computer has where
// one simulates very many.
const mostOffloaded = 8192

// offloads reports whether interfaces do an operation by default. All ranks find the same.
func (c *Comm) offloads(kind algorithm.Operation, a *algorithm.Arguments) bool {
	t := &c.offload
	if c.job.collector == nil || c.Size() == 1 || c.Size() > mostOffloaded || kind != algorithm.Barrier && (kind != algorithm.AllReduce || !a.IsWord()) {
		return false
	}
	if !t.wanted { // a group costs more than one operation gains
		t.wanted = true
		return false
	}
	return t.state != exchanged || t.group != nil
}

// The steps of an operation that interfaces do.
const (
	offloadEnqueue = iota // puts the operation in the queue
	offloadJoin           // makes the group
	offloadRun            // lets the interfaces do the operation
)

// offloadStep takes a step of an operation that interfaces do.
func (r *Operation) offloadStep(s *schedule.Step) outcome {
	switch s.Do {
	case offloadEnqueue:
		r.enqueue(&r.C.offload.turns, r.exchangeParts, offloadRun)
	case offloadJoin:
		r.joinGroup()
	default:
		if !r.offload() {
			return stepWaits
		}
	}
	return stepDone
}

// exchangeParts adds the steps by which ranks exchange their parts of a group.
func (r *Operation) exchangeParts() {
	t := &r.C.offload
	if t.group = r.C.job.collector.NewGroup(); t.group != nil {
		t.own[0] = t.group.Part() + 1
	}
	t.parts = make([]uint64, r.C.Size())
	algorithm.BruckAllGather.Build(&r.Schedule, algorithm.Arguments{In: elements.Memory(t.own[:]), Out: elements.Memory(t.parts), Element: 8})
	r.Schedule.Call(offloadJoin, nil, nil)
}

// joinGroup makes the group, if the interfaces of all ranks have room for it.
func (r *Operation) joinGroup() {
	c, t := r.C, &r.C.offload
	t.state = exchanged
	if slices.Contains(t.parts, 0) {
		t.leaveGroup()
		return
	}
	ranks := make([]int, c.Size())
	for rank := range ranks {
		ranks[rank] = int(c.Process(rank))
		t.parts[rank]--
	}
	t.hasResult = t.group.HasResult
	if err := t.group.Join(ranks, t.parts); err != nil {
		r.noteError(c.Fail(fault.Other, r.Call, err))
	}
}

// leaveGroup ends the use of the group.
func (t *offloadQueue) leaveGroup() {
	if t.group != nil {
		t.group.Leave()
		t.group = nil
	}
}

// offload lets the interfaces do the operation when it is the first of the queue, and reports
// whether it is complete. If there is no group it adds the steps of an algorithm by messages.
func (r *Operation) offload() bool {
	c, t := r.C, &r.C.offload
	switch {
	case !t.isFirst(r):
		return false
	case t.group == nil:
		if slices.Contains(c.collectives.forced[:], r.Algorithm) {
			r.noteError(c.Fail(fault.Other, r.Call, errNoGroup))
		} else {
			r.buildByMessages()
		}
	case !t.started:
		reduction, word := r.toWord()
		if err := t.group.Start(reduction, word); err != nil {
			r.noteError(c.Fail(fault.Other, r.Call, err))
			break
		}
		t.started = true
		c.job.offloads.await(&t.turns)
		return false
	default:
		word, done, err := t.group.Result()
		if !done && err == nil {
			return false
		}
		r.fromWord(word, err)
		t.started = false
		c.job.offloads.forget(&t.turns)
	}
	t.next()
	return true
}

var errNoGroup = fmt.Errorf("algorithm %s, and not all interfaces have room for another communicator; expected one that others have freed", algorithm.Offload)

// toWord returns the reduction of the interfaces, and the element of this rank as a word for it.
func (r *Operation) toWord() (rma.Reduction, int64) {
	reduction, flipped := r.Op.AcrossRanks()
	if reduction == rma.NoOp {
		return rma.NoOp, 0
	}
	return reduction, int64(binary.NativeEndian.Uint64(r.In) ^ flipped)
}

// fromWord stores a result of the interfaces.
func (r *Operation) fromWord(word int64, err error) {
	reduction, flipped := r.Op.AcrossRanks()
	switch {
	case err != nil:
		r.noteError(r.C.Fail(fault.Op, r.Call, err))
	case reduction != rma.NoOp:
		binary.NativeEndian.PutUint64(r.Out, uint64(word)^flipped)
	}
}
