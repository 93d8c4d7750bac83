package mpi

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"musubi/rma"
)

// Offload is an algorithm of Barrier and of AllReduce of one integer of 8 bytes by Sum,
// Min, Max, And, Or or Xor: the interfaces do it, by themselves. It is on machines of which
// all processes are an rma.Collector, and is the usual choice there from the second such
// operation of a communicator on, as long as the interfaces have room for its ranks. That
// of a communicator of one rank, and persistent operations, are done by messages.
const Offload = "offload"

var (
	offloadBarrier   = &algorithm{name: Offload, build: enterLine, otherwise: always(dissemination)}
	offloadAllReduce = &algorithm{name: Offload, build: enterLine, otherwise: chooseAllReduce, refuse: unlessWord}
)

func enterLine(s *schedule, _ arguments) { s.steps = append(s.steps, step{action: enterStep}) }

func unlessWord(a *arguments, _ int) string {
	if a.isWord() {
		return ""
	}
	return "other operations or elements; expected Sum, Min, Max, And, Or or Xor of one integer of 8 bytes"
}

// isWord reports whether interfaces can do the reduction.
func (a *arguments) isWord() bool { return a.op.reduction != rma.NoOp && len(a.in) == 8 }

// reductions are what interfaces can do; rma.NoOp: they cannot.
var reductions = [lastOp + 1]rma.Reduction{sumOp: rma.Sum, minOp: rma.Min, maxOp: rma.Max, andOp: rma.And, orOp: rma.Or, xorOp: rma.Xor}

// reductionOf returns how interfaces do an operation on integers of a type, rma.NoOp if
// they cannot, and the bits of each word that are to be turned over before and after: the
// sign of those that have none, for their order.
func reductionOf[T any](op Op[T]) (r rma.Reduction, turned uint64) {
	r = reductions[op.id]
	switch kind := reflect.TypeFor[T]().Kind(); {
	case sizeOf[T]() != 8:
	case kind == reflect.Int64, kind == reflect.Int:
		return r, 0
	case kind == reflect.Uint64 || kind == reflect.Uint:
		if r == rma.Min || r == rma.Max {
			turned = 1 << 63
		}
		return r, turned
	}
	return rma.NoOp, 0
}

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
func (c *Comm) offloads(kind operation, a *arguments) bool {
	t := &c.team
	if c.e.collector == nil || c.Size() == 1 || kind != barrier && (kind != allReduce || !a.isWord()) {
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
	if otherwise := r.algorithm.otherwise; otherwise != nil {
		r.algorithm = otherwise(&r.arguments, r.c.Size())
	}
}

// enter puts the operation in the line. It adds the steps that come then.
func (r *running) enter() {
	t := &r.c.team
	if r.c.Size() == 1 {
		r.byMessages()
		r.algorithm.build(&r.schedule, r.arguments)
		return
	}
	t.line = append(t.line, r)
	if t.stage == unasked {
		t.stage = asking
		r.ask()
	}
	r.steps = append(r.steps, step{action: offloadStep})
}

// ask adds the steps by which ranks tell each other their parts.
func (r *running) ask() {
	t := &r.c.team
	if t.group = r.c.e.collector.NewGroup(); t.group != nil {
		t.own[0] = t.group.Part() + 1
	}
	t.parts = make([]uint64, r.c.Size())
	bruckAllGather.build(&r.schedule, arguments{in: memoryOf(t.own[:]), out: memoryOf(t.parts), element: 8})
	r.steps = append(r.steps, step{action: joinStep})
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
		r.note(c.fail(ErrOther, r.call, err))
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
			r.note(c.fail(ErrOther, r.call, errNoGroup))
		} else {
			r.byMessages()
			r.algorithm.build(&r.schedule, r.arguments)
		}
	case !t.started:
		if err := t.group.Start(r.op.reduction, r.toWord()); err != nil {
			r.note(c.fail(ErrOther, r.call, err))
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

// toWord returns the element that the rank has, as interfaces take it.
func (r *running) toWord() int64 {
	if r.op.reduction == rma.NoOp {
		return 0
	}
	return int64(binary.NativeEndian.Uint64(r.in) ^ r.op.turned)
}

// fromWord takes a result.
func (r *running) fromWord(word int64, err error) {
	switch {
	case err != nil:
		r.note(r.c.fail(ErrOp, r.call, err))
	case r.op.reduction != rma.NoOp:
		binary.NativeEndian.PutUint64(r.out, uint64(word)^r.op.turned)
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
