// Package triggered carries out persistent barriers and allreduces on command queues: the puts of
// all steps are posted at the start, and each step is released by the arrival of the step before
// (triggered operations). No processor is needed between start and end.
//
// Ranks exchange by recursive doubling: in step k rank r sends all blocks that it has to rank
// r xor 2^k, so that all ranks have the blocks of all after log2 n steps. Interfaces do not
// compute; the processor combines the blocks at the end, in the order of ranks.
package triggered

import (
	"fmt"
	"math/bits"

	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/rma"
	"musubi/units"
)

// Bounds of an operation on queues. Longer vectors are better combined on the way.
const (
	mostBytes = 32 << 10 // of all ranks together
	mostSteps = 12
)

// operation is a persistent barrier or allreduce of this rank.
type operation struct {
	r   *collective.Operation // its arguments; not started
	c   *collective.Comm
	e   *core.Engine
	all *operations // of the process

	blocks   [2][]byte // of all ranks, in rounds in turn: others may send those of the next round
	segment  int       // both
	queues   []rma.Queue
	commands [2][][]rma.Command // of each queue, in even and odd rounds

	whole      *core.Request // nil: it is not under way
	round      int
	incomplete []int // commands of each queue
	notices    int   // that have come; one ends a round
	failed     error // of the machine, in this round

	software units.Time // see rma.QueueCosts
}

// Prepare makes a planned barrier or allreduce persistent: on at most some command queues, 0 for as
// many as it takes, or by messages if any rank cannot. All ranks call it.
func Prepare(r *collective.Operation, most int) (*core.Persistent, error) {
	steps := bits.Len(uint(r.C.Size())) - 1
	if r.C.Size() != 1<<steps || steps > mostSteps {
		return r.Prepare(), nil // all ranks see that alike
	}
	x := &operation{r: r, c: r.C, e: r.C.Engine, all: operationsOf(r.C.Engine)}
	own, err := x.open(steps, most)
	if err != nil {
		return nil, r.C.Fail(fault.Other, r.Call, err)
	}
	all := make([]info, r.C.Size())
	if err := collective.AllGather(r.C, r.Call, []info{own}, all); err != nil {
		return nil, err
	}
	if able, wrong := check(r, all); wrong != nil || !able {
		if err := x.close(); err != nil {
			return nil, r.C.Fail(fault.Other, r.Call, err)
		}
		if wrong != nil {
			return nil, wrong
		}
		return r.Prepare(), nil
	}
	x.prepare(all)
	x.all.all = append(x.all.all, x)
	return core.NewPersistent(&r.C.Comm, r.Call, x), nil
}

// check reports whether all ranks are able, and fails if they have given other lengths.
func check(r *collective.Operation, all []info) (able bool, wrong error) {
	able = true
	for rank := range all {
		if there, here := all[rank].Bytes, len(r.In); there != int64(here) {
			return false, r.C.Failf(fault.Count, r.Call, "%d bytes at rank %d; expected %d, as this rank has given", there, rank, here)
		}
		able = able && all[rank].Able == 1
	}
	return able, nil
}

// Start starts a round.
func (x *operation) Start(whole *core.Request) error {
	x.e.RecordBeside("persistent collective operations, by command queues")
	whole.Begin(&x.c.Comm, x.r.Call, x)
	x.whole, x.failed = whole, nil
	x.round++
	copy(x.blocks[x.round%2][x.c.Rank()*len(x.r.In):], x.r.In)
	commands := x.commands[x.round%2]
	if d := units.Time(count(commands)) * x.software; d > 0 {
		x.e.Process.Compute(d)
	}
	// The first queue waits for nothing, so it comes last.
	for k := len(x.queues) - 1; k >= 0; k-- {
		if err := x.queues[k].Post(commands[k]...); err != nil {
			x.note(err)
			continue
		}
		x.incomplete[k] = len(commands[k])
	}
	x.all.add(x)
	x.all.Advance()
	return nil
}

func count(commands [][]rma.Command) (n int) {
	for _, of := range commands {
		n += len(of)
	}
	return n
}

// advance takes what queues tell, and reports whether there was anything.
func (x *operation) advance() bool {
	moved, left := false, 0
	for k, q := range x.queues {
		for x.incomplete[k] > 0 {
			done, err := q.Completion()
			if !done {
				break
			}
			x.note(err)
			x.incomplete[k]--
			moved = true
		}
		left += x.incomplete[k]
	}
	if n := len(x.queues); n > 0 && x.queues[n-1].HasEvent() {
		if _, ok := x.queues[n-1].Notice(); ok {
			x.notices++
			moved = true
		}
	}
	if left > 0 || x.notices == 0 && len(x.queues) > 0 {
		return moved
	}
	x.end()
	return true
}

// end combines the blocks, and ends the round.
func (x *operation) end() {
	if len(x.queues) > 0 {
		x.notices--
	}
	if n := len(x.r.In); n > 0 {
		blocks := x.blocks[x.round%2]
		copy(x.r.Out, blocks[len(blocks)-n:])
		for at := len(blocks) - 2*n; at >= 0; at -= n {
			x.r.Op.Apply(blocks[at:at+n], x.r.Out)
		}
	}
	whole := x.whole
	x.whole = nil
	whole.FinishAs(nil, x.failed)
}

// hasEvent reports whether advance would find something. It only reads memory.
func (x *operation) hasEvent() bool {
	for _, q := range x.queues {
		if q.HasEvent() {
			return true
		}
	}
	return len(x.queues) == 0
}

// note keeps the first error of the machine.
func (x *operation) note(err error) {
	if x.failed == nil {
		x.failed = err
	}
}

// Free gives back memory and queues.
func (x *operation) Free() error {
	x.all.forget(x)
	err := x.close()
	x.r.Recycle()
	return err
}

// ExplainPeer names the rank of the last step, whose put ends the round.
func (x *operation) ExplainPeer() string {
	return x.c.ExplainProcess(" for ", x.c.Process(x.c.Rank()^(1<<len(x.queues)>>1)))
}

// Plan returns the engines of the queues of an operation on queues, and how it is carried out;
// false for others.
func Plan(p *core.Persistent) (engines []int, how string, ok bool) {
	x, ok := p.Operation.(*operation)
	if !ok {
		return nil, "", false
	}
	for _, q := range x.queues {
		engines = append(engines, q.Engine())
	}
	return engines, fmt.Sprintf("recursive doubling in %d steps, each released by the one before", len(x.queues)), true
}
