// Package neighbour carries out persistent operations between neighbours: each edge has its place
// in the memory of its receiver, and command queues, where there are such, send the data of a
// round by themselves when all is ready.
package neighbour

import (
	"encoding/binary"
	"errors"
	"slices"

	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/rma"
	"musubi/units"
)

// watchedPushes is how many of the pushes of an operation are waited for at once.
const watchedPushes = 4

// exchange is a persistent neighbourhood operation of this rank.
type exchange struct {
	c       *collective.Comm
	e       *core.Engine
	all     *exchanges // of the process
	call    string
	tag     int32
	options Options
	plan    plan

	ins  []inEdge // in the order in which messages would be
	outs []outEdge
	memory
	stations []station
	wiring   wiring
	wrong    error // what partners have told does not fit
	unable   bool  // they could not be told

	stage  stage
	round  uint64
	whole  *core.Request
	failed error // of the machine, in this round

	silent  []int // edges to this rank whose word has not come
	notices int   // that have not come
	unready []int // edges from this rank that the processor sees to, whose receiver is not ready
	ops     []rma.Op

	software units.Time // see rma.QueueCosts
}

// stage is how far a start is.
type stage uint8

const (
	resting stage = iota
	connecting
	underWay
)

// Start starts a round: at once, or if it is the first one when partners have told what
// they want.
func (x *exchange) Start(whole *core.Request) error {
	if x.unable {
		return x.wrong
	}
	whole.Begin(&x.c.Comm, x.call, x)
	x.whole, x.failed = whole, nil
	x.round++
	binary.LittleEndian.PutUint64(x.own, x.round)
	x.packAll()
	x.all.add(x)
	if x.round == 1 {
		x.all.planAll()
		x.stage = connecting
		x.connect()
	} else {
		x.begin()
	}
	x.all.GoOn()
	return nil
}

// begin starts what can be at once: all that has a command queue, and what tells senders
// that this rank is ready.
func (x *exchange) begin() {
	x.stage = underWay
	x.silent, x.unready, x.notices = x.silent[:0], x.unready[:0], 0
	for i := range x.ins {
		in := &x.ins[i]
		if in.byNotice() {
			x.notices++
		} else {
			x.silent = append(x.silent, i)
		}
		if len(x.stations) == 0 && !in.paired {
			x.push(x.far(in.rank, in.far.Ready), x.own)
		}
	}
	for i := range x.outs {
		out := &x.outs[i]
		if out.byCommand() {
			continue
		}
		if !out.paired {
			x.unready = append(x.unready, i)
		}
		if out.isEager() {
			x.sendData(out)
		}
	}
	for i := range x.stations {
		x.note(x.stations[i].post())
	}
}

// goOn takes what has come about, and reports whether there was anything.
func (x *exchange) goOn() bool {
	moved := false
	switch {
	case x.stage == connecting && x.wiring.request.Complete:
		moved = true
		x.connected()
		if x.stage == resting {
			return true
		}
	case x.stage != underWay:
		return false
	}
	for i := range x.stations {
		moved = x.collect(&x.stations[i]) || moved
	}
	before := len(x.silent) + len(x.unready)
	x.silent = slices.DeleteFunc(x.silent, x.takeIfCome)
	x.unready = slices.DeleteFunc(x.unready, x.sendIfReady)
	moved = moved || before > len(x.silent)+len(x.unready)
	if x.hasAll() {
		moved = x.test() || moved
		if len(x.ops) == 0 && !slices.ContainsFunc(x.stations, station.busy) {
			x.finish()
			return true
		}
	}
	return moved
}

// hasAll reports whether all data has come, and all that this rank has is on its way.
func (x *exchange) hasAll() bool {
	return x.stage == underWay && x.notices == 0 && len(x.silent)+len(x.unready) == 0
}

// hasNews reports whether goOn would find something, but for operations. It only reads
// memory.
func (x *exchange) hasNews() bool {
	if x.stage == connecting {
		return x.wiring.request.Complete
	}
	for i := range x.stations {
		if x.stations[i].queue.HasEvent() {
			return true
		}
	}
	return slices.ContainsFunc(x.silent, x.hasCome) || slices.ContainsFunc(x.unready, x.isReady)
}

// hasCome reports whether the word that follows the data of an edge is there.
func (x *exchange) hasCome(in int) bool { return x.isDue(x.ins[in].word) }

func (x *exchange) isReady(out int) bool { return x.isDue(x.outs[out].word) }

// isDue reports whether a word has the number of this round, or of the next one, in which the
// other end of an eager edge may be already. A word that is written in part is neither.
func (x *exchange) isDue(word int) bool { return x.word(word)-x.round <= 1 }

// takeIfCome brings the data of an edge to where it belongs, if it is there.
func (x *exchange) takeIfCome(i int) bool {
	if !x.hasCome(i) {
		return false
	}
	if in := &x.ins[i]; in.buffer != nil {
		x.takeFromSlot(in)
	}
	return true
}

// sendIfReady sends the data of an edge, if its receiver is ready. On an eager one it has
// been sent, but a round is over only when the receiver has begun it as well: so neither
// end gets ahead by more than a round.
func (x *exchange) sendIfReady(i int) bool {
	if !x.isReady(i) {
		return false
	}
	if out := &x.outs[i]; !out.isEager() {
		x.sendData(out)
	}
	return true
}

// sendData sends the data of an edge, and then the word that tells that it is there.
func (x *exchange) sendData(out *outEdge) {
	if data := out.toSend(); len(data) > 0 {
		x.push(x.far(out.rank, out.slotIn(x.round)), data)
	}
	x.push(x.far(out.rank, out.far.Done), x.own)
}

func (x *exchange) push(to rma.Address, data []byte) {
	op, err := x.e.Process.Push(to, data, rma.DMA)
	if err != nil {
		x.note(err)
		return
	}
	if op != 0 {
		x.ops = append(x.ops, op)
	}
}

// collect takes what a queue tells.
func (x *exchange) collect(s *station) bool {
	moved := false
	for s.left > 0 {
		done, err := s.queue.Completion()
		if !done {
			break
		}
		x.note(err)
		x.spendSoftware()
		s.left--
		moved = true
	}
	for s.notices > 0 {
		if _, ok := s.queue.Notice(); !ok {
			break
		}
		s.notices--
		x.notices--
		moved = true
	}
	return moved
}

// test looks which pushes are complete. It is called when it hasAll, as each look costs
// time.
func (x *exchange) test() bool {
	before := len(x.ops)
	x.ops = slices.DeleteFunc(x.ops, func(op rma.Op) bool {
		done, err := x.e.Process.Test(op)
		x.note(err)
		if done {
			x.spendSoftware()
		}
		return done || err != nil
	})
	return len(x.ops) < before
}

// spendSoftware computes as long as a library does for a command.
func (x *exchange) spendSoftware() {
	if x.software > 0 {
		x.e.Process.Compute(x.software)
	}
}

// note keeps the first error of the machine.
func (x *exchange) note(err error) {
	if x.failed == nil {
		x.failed = err
	}
}

func (x *exchange) finish() {
	x.unpackAll()
	x.stage = resting
	x.whole.FinishAs(x.wrong, x.failed)
}

// Free gives back memory and queues.
func (x *exchange) Free() error {
	err := x.closeStations()
	err = errors.Join(err, x.withdraw())
	x.all.forget(x)
	return err
}

// ExplainPeer names the first rank that the operation waits for.
func (x *exchange) ExplainPeer() string {
	switch {
	case x.stage == connecting:
		if d := x.wiring.request.Does; d != nil {
			return d.ExplainPeer()
		}
	case len(x.silent) > 0:
		return x.named(x.ins[x.silent[0]].rank)
	case len(x.unready) > 0:
		return x.named(x.outs[x.unready[0]].rank)
	}
	for i := range x.ins {
		if x.ins[i].byNotice() && x.notices > 0 {
			return x.named(x.ins[i].rank)
		}
	}
	return ""
}

func (x *exchange) named(rank int) string {
	return x.c.ExplainProcess(" for ", x.c.Process(rank))
}
