package mpi

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

// Offload is an algorithm of Barrier and of AllReduce of one integer of 8 bytes by Sum,
// Min, Max, And, Or or Xor: the interfaces do it, by themselves. It is on machines of which
// all processes are an rma.Collector, and is the usual choice there from the second such
// operation of a communicator on, as long as the interfaces have room for its ranks. That
// of a communicator of one rank, and persistent operations, are done by messages.
const Offload = algorithm.Offload

// team is what a communicator keeps for operations that interfaces do: the first that has
// to be done by them asks for a group, and the others wait in a line.
type team struct {
	wanted  bool // there has been an operation that interfaces could have done
	stage   teamStage
	group   rma.Group // nil: none
	own     [1]uint64 // part of this rank and 1; 0: none
	parts   []uint64  // of all
	line    []*running
	started bool // the first of them
}

type teamStage uint8

const (
	unasked teamStage = iota
	asking
	settled
)

// offloads reports whether the usual choice for an operation is that interfaces do it. All
// ranks find the same.
func (c *Comm) offloads(kind algorithm.Operation, a *algorithm.Arguments) bool {
	t := &c.team
	if c.e.collector == nil || c.Size() == 1 || kind != algorithm.Barrier && (kind != algorithm.AllReduce || !a.IsWord()) {
		return false
	}
	if !t.wanted { // a group costs more than one operation gains
		t.wanted = true
		return false
	}
	return t.stage != settled || t.group != nil
}

// byMessages replaces what interfaces do by the usual algorithm.
func (r *running) byMessages() {
	if otherwise := r.algorithm.Otherwise; otherwise != nil {
		r.algorithm = otherwise(&r.Arguments, r.c.Size())
	}
}

// The steps of an operation that interfaces do.
const (
	offloadEnter = iota // gets in line
	offloadJoin         // makes the group
	offloadTurn         // lets the interfaces do the operation
)

// offloadStep takes a step of an operation that interfaces do.
func (r *running) offloadStep(s *schedule.Step) outcome {
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
func (r *running) enter() {
	t := &r.c.team
	if r.c.Size() == 1 {
		r.byMessages()
		r.algorithm.Build(&r.Schedule, r.Arguments)
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
func (r *running) ask() {
	t := &r.c.team
	if t.group = r.c.e.collector.NewGroup(); t.group != nil {
		t.own[0] = t.group.Part() + 1
	}
	t.parts = make([]uint64, r.c.Size())
	algorithm.BruckAllGather.Build(&r.Schedule, algorithm.Arguments{In: elements.Memory(t.own[:]), Out: elements.Memory(t.parts), Element: 8})
	r.Schedule.Call(offloadJoin, nil, nil)
}

// join makes the group, if all ranks have room for it.
func (r *running) join() {
	c, t := r.c, &r.c.team
	t.stage = settled
	if slices.Contains(t.parts, 0) {
		t.leave()
		return
	}
	ranks := make([]int, c.Size())
	for rank := range ranks {
		ranks[rank] = int(c.process(rank))
		t.parts[rank]--
	}
	if err := t.group.Join(ranks, t.parts); err != nil {
		r.note(c.fail(fault.Other, r.call, err))
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
func (r *running) offload() bool {
	c, t := r.c, &r.c.team
	switch {
	case t.line[0] != r:
		return false
	case t.group == nil:
		if slices.Contains(c.collectives.forced[:], r.algorithm) {
			r.note(c.fail(fault.Other, r.call, errNoGroup))
		} else {
			r.byMessages()
			r.algorithm.Build(&r.Schedule, r.Arguments)
		}
	case !t.started:
		reduction, word := r.toWord()
		if err := t.group.Start(reduction, word); err != nil {
			r.note(c.fail(fault.Other, r.call, err))
			break
		}
		t.started = true
		c.e.teams = append(c.e.teams, c)
		return false
	default:
		word, done, err := t.group.Result()
		if !done && err == nil {
			return false
		}
		r.fromWord(word, err)
		t.started = false
		c.e.teams = slices.DeleteFunc(c.e.teams, func(other *Comm) bool { return other == c })
	}
	t.line = slices.Delete(t.line, 0, 1)
	if len(t.line) > 0 {
		c.e.goOn(t.line[0])
	}
	return true
}

var errNoGroup = fmt.Errorf("algorithm %s, and not all interfaces have room for another communicator; expected one that others have freed", Offload)

// toWord returns what interfaces are to do, and the element that the rank has, as they take it.
func (r *running) toWord() (rma.Reduction, int64) {
	reduction, flipped := r.Op.AcrossRanks()
	if reduction == rma.NoOp {
		return rma.NoOp, 0
	}
	return reduction, int64(binary.NativeEndian.Uint64(r.In) ^ flipped)
}

// fromWord takes a result.
func (r *running) fromWord(word int64, err error) {
	reduction, flipped := r.Op.AcrossRanks()
	switch {
	case err != nil:
		r.note(r.c.fail(fault.Op, r.call, err))
	case reduction != rma.NoOp:
		binary.NativeEndian.PutUint64(r.Out, uint64(word)^flipped)
	}
}

// hasResult reports whether the operation that the interfaces do is complete.
func (c *Comm) hasResult() bool { return c.team.group.HasResult() }

// goOnTeams lets operations end that interfaces have done, and reports whether there was
// one.
func (e *engine) goOnTeams() bool {
	i := slices.IndexFunc(e.teams, (*Comm).hasResult)
	if i < 0 {
		return false
	}
	e.goOn(e.teams[i].team.line[0])
	e.goOnTeams()
	return true
}
