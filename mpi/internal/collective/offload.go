package collective

import (
	"encoding/binary"
	"fmt"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// team is what a communicator keeps for operations that interfaces do: the first that has
// to be done by them asks for a group, and the others wait in a line.
type team struct {
	wanted  bool // there has been an operation that interfaces could have done
	stage   stage
	group   rma.Group // nil: none
	own     [1]uint64 // part of this rank and 1; 0: none
	parts   []uint64  // of all ranks
	line    []*Operation
	started bool // the first of them
}

type stage uint8

const (
	unasked stage = iota
	asking
	settled
)

// offloads reports whether the usual choice for an operation is that interfaces do it. All
// ranks find the same.
func (c *Comm) offloads(kind algorithm.Operation, a *algorithm.Arguments) bool {
	t := &c.team
	if c.job.collector == nil || c.Size() == 1 || kind != algorithm.Barrier && (kind != algorithm.AllReduce || !a.IsWord()) {
		return false
	}
	if !t.wanted { // a group costs more than one operation gains
		t.wanted = true
		return false
	}
	return t.stage != settled || t.group != nil
}

// byMessages replaces what interfaces do by the usual algorithm.
func (r *Operation) byMessages() {
	if otherwise := r.Algorithm.Otherwise; otherwise != nil {
		r.Algorithm = otherwise(&r.Arguments, r.C.Size())
	}
}

// The steps of an operation that interfaces do.
const (
	offloadEnter = iota // gets in line
	offloadJoin         // makes the group
	offloadTurn         // lets the interfaces do the operation
)

// offloadStep takes a step of an operation that interfaces do.
func (r *Operation) offloadStep(s *schedule.Step) outcome {
	switch s.Do {
	case offloadEnter:
		r.enter()
	case offloadJoin:
		r.join()
	default:
		if !r.offload() {
			return stepWaits
		}
	}
	return stepDone
}

// enter puts the operation in the line. It adds the steps that come then.
func (r *Operation) enter() {
	t := &r.C.team
	if r.C.Size() == 1 {
		r.byMessages()
		r.Algorithm.Build(&r.Schedule, r.Arguments)
		return
	}
	t.line = append(t.line, r)
	if t.stage == unasked {
		t.stage = asking
		r.ask()
	}
	r.Schedule.Call(offloadTurn, nil, nil)
}

// ask adds the steps by which ranks tell each other their parts.
func (r *Operation) ask() {
	t := &r.C.team
	if t.group = r.C.job.collector.NewGroup(); t.group != nil {
		t.own[0] = t.group.Part() + 1
	}
	t.parts = make([]uint64, r.C.Size())
	algorithm.BruckAllGather.Build(&r.Schedule, algorithm.Arguments{In: elements.Memory(t.own[:]), Out: elements.Memory(t.parts), Element: 8})
	r.Schedule.Call(offloadJoin, nil, nil)
}

// join makes the group, if all ranks have room for it.
func (r *Operation) join() {
	c, t := r.C, &r.C.team
	t.stage = settled
	if slices.Contains(t.parts, 0) {
		t.leave()
		return
	}
	ranks := make([]int, c.Size())
	for rank := range ranks {
		ranks[rank] = int(c.Process(rank))
		t.parts[rank]--
	}
	if err := t.group.Join(ranks, t.parts); err != nil {
		r.note(c.Fail(fault.Other, r.Call, err))
	}
}

// leave ends the use of the group.
func (t *team) leave() {
	if t.group != nil {
		t.group.Leave()
		t.group = nil
	}
}

// offload lets the interfaces do the operation when it is its turn, and reports whether
// that is over. If there is no group it adds the steps of another algorithm.
func (r *Operation) offload() bool {
	c, t := r.C, &r.C.team
	switch {
	case t.line[0] != r:
		return false
	case t.group == nil:
		if slices.Contains(c.collectives.forced[:], r.Algorithm) {
			r.note(c.Fail(fault.Other, r.Call, errNoGroup))
		} else {
			r.byMessages()
			r.Algorithm.Build(&r.Schedule, r.Arguments)
		}
	case !t.started:
		reduction, word := r.toWord()
		if err := t.group.Start(reduction, word); err != nil {
			r.note(c.Fail(fault.Other, r.Call, err))
			break
		}
		t.started = true
		c.job.offloads.await(c)
		return false
	default:
		word, done, err := t.group.Result()
		if !done && err == nil {
			return false
		}
		r.fromWord(word, err)
		t.started = false
		c.job.offloads.forget(c)
	}
	t.line = slices.Delete(t.line, 0, 1)
	if len(t.line) > 0 {
		c.Engine.GoOn(t.line[0])
	}
	return true
}

var errNoGroup = fmt.Errorf("algorithm %s, and not all interfaces have room for another communicator; expected one that others have freed", algorithm.Offload)

// toWord returns what interfaces are to do, and the element that the rank has, as they take it.
func (r *Operation) toWord() (rma.Reduction, int64) {
	reduction, flipped := r.Op.AcrossRanks()
	if reduction == rma.NoOp {
		return rma.NoOp, 0
	}
	return reduction, int64(binary.NativeEndian.Uint64(r.In) ^ flipped)
}

// fromWord takes a result.
func (r *Operation) fromWord(word int64, err error) {
	reduction, flipped := r.Op.AcrossRanks()
	switch {
	case err != nil:
		r.note(r.C.Fail(fault.Op, r.Call, err))
	case reduction != rma.NoOp:
		binary.NativeEndian.PutUint64(r.Out, uint64(word)^flipped)
	}
}

// hasResult reports whether the operation that the interfaces do is complete.
func (c *Comm) hasResult() bool { return c.team.group.HasResult() }

// offloads are the communicators of which interfaces do an operation: a source of progress.
type offloads struct {
	number int // of the source
	waits  []*Comm
}

// await enters a communicator that waits for a result.
func (o *offloads) await(c *Comm) {
	o.waits = append(o.waits, c)
	c.Engine.Sources.Set(o.number, true)
}

// forget removes a communicator that has its result.
func (o *offloads) forget(c *Comm) {
	o.waits = slices.DeleteFunc(o.waits, func(other *Comm) bool { return other == c })
	c.Engine.Sources.Set(o.number, len(o.waits) > 0)
}

// HasNews reports whether interfaces have told a result.
func (o *offloads) HasNews() bool { return slices.ContainsFunc(o.waits, (*Comm).hasResult) }

// GoOn lets operations end that interfaces have done.
func (o *offloads) GoOn() bool {
	i := slices.IndexFunc(o.waits, (*Comm).hasResult)
	if i < 0 {
		return false
	}
	c := o.waits[i]
	c.Engine.GoOn(c.team.line[0])
	o.GoOn()
	return true
}

// Pending returns the operations that wait for interfaces.
func (o *offloads) Pending() (list []*core.Request) {
	for _, c := range o.waits {
		for _, r := range c.team.line {
			list = append(list, r.messages.Whole)
		}
	}
	return list
}

// Free does nothing: communicators give back their groups themselves.
func (o *offloads) Free(*core.Comm) error { return nil }
