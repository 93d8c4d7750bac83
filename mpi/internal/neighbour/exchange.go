// Package neighbour carries out persistent neighbourhood operations. The data of each edge goes
// straight to memory of its receiver, and where the machine has command queues they send it when the
// receiver is ready, without the processor.
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

// mostAwaited is how many of the pushes of an operation are waited for at once.
const mostAwaited = 4

// exchange is a persistent neighbourhood operation of this rank.
type exchange struct {
	c       *collective.Comm
	e       *core.Engine
	all     *exchanges // of the process
	call    string
	tags    connectTags
	paired  *paired // nil: the operation is a collective one
	options Options
	plan    plan

	ins  []inEdge // in the order in which messages would be
	outs []outEdge
	memory
	queues     []commandQueue
	host       *host  // nil: this rank need not agree with others
	agent      *agent // nil: there is none
	connection connection
	wrong      error // lengths at the two ends of an edge differ
	unable     bool  // connecting has failed, so the operation cannot be started again

	stage  stage
	round  uint64
	whole  *core.Request
	failed error // of the machine, in this round

	missing []int // edges to this rank whose word has not come
	notices int   // that are missing in this round
	unready []int // edges from this rank that the processor serves, whose receiver is not ready
	ops     []rma.Op

	software units.Time // see rma.QueueCosts
}

// stage is the state of a started operation.
type stage uint8

const (
	idle       stage = iota
	joining          // see host
	refusing         // tells the others of the host that they do not agree
	connecting       // to neighbours
	handing          // edges to the agent
	underWay
)

// Start starts a round. The first round begins when the neighbours are connected.
func (x *exchange) Start(whole *core.Request) error {
	x.c.Engine.RecordBeside("persistent exchanges with neighbours, by command queues")
	whole.Begin(&x.c.Comm, x.call, x)
	if x.unable {
		whole.FinishAs(x.wrong, nil)
		return nil
	}
	x.whole, x.failed = whole, nil
	x.round++
	binary.LittleEndian.PutUint64(x.own, x.round)
	x.packAll()
	x.all.add(x)
	if x.round == 1 {
		x.all.planAll()
		if x.host != nil {
			x.stage = joining
			x.join()
		} else {
			x.connect()
		}
	} else {
		x.begin()
	}
	x.all.Advance()
	return nil
}

// begin starts a round: it posts to the command queues, or tells senders by RTR words that this rank
// is ready, and sends the data of eager edges.
func (x *exchange) begin() {
	x.stage = underWay
	x.missing, x.unready, x.notices = x.missing[:0], x.unready[:0], 0
	for i := range x.ins {
		in := &x.ins[i]
		if in.notice {
			x.notices++
		} else {
			x.missing = append(x.missing, i)
		}
		if len(x.queues) == 0 && x.agent == nil && !in.paired {
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
	if x.agent != nil {
		x.tellAgents()
	}
	for i := range x.queues {
		x.spendSoftware(x.queues[i].prepares)
	}
	for i := range x.queues {
		x.note(x.queues[i].post())
	}
}

// advance deals with what has arrived or completed, and reports whether there was anything.
func (x *exchange) advance() bool {
	moved := false
	switch {
	case x.stage != underWay && x.isConnected():
		moved = true
		x.goOn()
		if x.stage != underWay {
			return true
		}
	case x.stage != underWay:
		return false
	}
	for i := range x.queues {
		moved = x.collect(&x.queues[i]) || moved
	}
	before := len(x.missing) + len(x.unready)
	x.missing = slices.DeleteFunc(x.missing, x.takeIfCome)
	x.unready = slices.DeleteFunc(x.unready, x.sendIfReady)
	moved = moved || before > len(x.missing)+len(x.unready)
	if x.hasSent() {
		x.agent.sending, moved = false, true
	}
	if x.hasAll() {
		moved = x.test() || moved
		if len(x.ops) == 0 && (x.agent == nil || !x.agent.sending) && !slices.ContainsFunc(x.queues, commandQueue.busy) {
			x.finish()
			return true
		}
	}
	return moved
}

// goOn goes on to the next stage, when the messages of one before the first round are complete.
func (x *exchange) goOn() {
	switch x.stage {
	case joining:
		x.joined()
	case refusing:
		x.refused()
	case connecting:
		x.connected()
	case handing:
		x.handedOver()
	}
}

// hasAll reports whether all data has arrived, and all data of this rank is in flight.
func (x *exchange) hasAll() bool {
	return x.stage == underWay && x.notices == 0 && len(x.missing)+len(x.unready) == 0
}

// hasEvent reports whether advance would find something other than completed pushes. It only reads
// memory.
func (x *exchange) hasEvent() bool {
	if x.stage != underWay {
		return x.isConnected()
	}
	if x.hasSent() {
		return true
	}
	for i := range x.queues {
		if x.queues[i].queue.HasEvent() {
			return true
		}
	}
	return slices.ContainsFunc(x.missing, x.hasCome) || slices.ContainsFunc(x.unready, x.isReady)
}

// hasCome reports whether the EOD word behind the data of an edge is there.
func (x *exchange) hasCome(in int) bool { return x.isDue(x.ins[in].word) }

func (x *exchange) isReady(out int) bool { return x.isDue(x.outs[out].word) }

// isDue reports whether a word has the number of this round, or of the next one, as the other end of
// an eager edge may be one round ahead. A word that is written in part is neither.
func (x *exchange) isDue(word int) bool { return x.word(word)-x.round <= 1 }

// takeIfCome takes the data of an edge, and reports whether it is there.
func (x *exchange) takeIfCome(i int) bool {
	if !x.hasCome(i) {
		return false
	}
	if in := &x.ins[i]; in.buffer != nil {
		x.takeFromSlot(in)
	}
	return true
}

// sendIfReady sends the data of an edge, if its receiver is ready. An eager edge has sent it already,
// but a round is complete only when the receiver has begun it as well: so neither end gets ahead by
// more than one round.
func (x *exchange) sendIfReady(i int) bool {
	if !x.isReady(i) {
		return false
	}
	if out := &x.outs[i]; !out.isEager() {
		x.sendData(out)
	}
	return true
}

// sendData sends the data of an edge, and the EOD word behind it.
func (x *exchange) sendData(out *outEdge) {
	if data := out.toSend(); len(data) > 0 {
		x.push(x.far(out.rank, out.slotIn(x.round)), data)
	}
	x.push(x.far(out.rank, out.far.Done), x.own)
}

func (x *exchange) push(to rma.Address, data []byte) {
	x.spendSoftware(1)
	x.addOp(x.e.Process.Push(to, data, rma.DMA))
}

// addOp adds an operation to those that are under way.
func (x *exchange) addOp(op rma.Op, err error) {
	if err != nil {
		x.note(err)
		return
	}
	if op != 0 {
		x.ops = append(x.ops, op)
	}
}

// collect takes completions and notices of a queue, and reports whether there was one.
func (x *exchange) collect(s *commandQueue) bool {
	moved := false
	for s.incomplete > 0 {
		done, err := s.queue.Completion()
		if !done {
			break
		}
		x.note(err)
		s.incomplete--
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

// test removes the pushes that are complete, and reports whether there was one. It is called only
// when hasAll is true, as each test costs time.
func (x *exchange) test() bool {
	before := len(x.ops)
	x.ops = slices.DeleteFunc(x.ops, func(op rma.Op) bool {
		done, err := x.e.Process.Test(op)
		x.note(err)
		return done || err != nil
	})
	return len(x.ops) < before
}

// spendSoftware computes as long as a library does for some commands before it posts them.
func (x *exchange) spendSoftware(commands int) {
	if d := units.Time(commands) * x.software; d > 0 {
		x.e.Process.Compute(d)
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
	if x.paired != nil {
		x.whole.Status = x.pairedStatus()
	}
	x.stage = idle
	x.whole.FinishAs(x.wrong, x.failed)
}

// Free closes the queues and withdraws the memory.
func (x *exchange) Free() error {
	err := x.closeQueues()
	err = errors.Join(err, x.withdraw())
	x.all.forget(x)
	return err
}

// ExplainPeer names the first rank that the operation waits for.
func (x *exchange) ExplainPeer() string {
	switch {
	case x.stage != idle && x.stage != underWay:
		for _, r := range []*core.Request{&x.connection.heard, &x.connection.told} {
			if r.Does != nil {
				return r.Does.ExplainPeer()
			}
		}
	case len(x.missing) > 0:
		return x.named(x.ins[x.missing[0]].rank)
	case len(x.unready) > 0:
		return x.named(x.outs[x.unready[0]].rank)
	}
	for i := range x.ins {
		if x.ins[i].notice && x.notices > 0 {
			return x.named(x.ins[i].rank)
		}
	}
	if x.agent != nil && x.agent.sending {
		return x.named(x.host.members[0])
	}
	return ""
}

func (x *exchange) named(rank int) string {
	return x.c.ExplainProcess(" for ", x.c.Process(rank))
}
