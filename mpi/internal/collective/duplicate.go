package collective

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// duplicateTag is the tag of messages by which ranks agree on duplicates while they do something else.
// A rank answers the first one before the next, so all rounds of all duplications of a communicator
// have tags by their number only.
const duplicateTag = groupTags | 1<<28

// Duplicate makes a communicator of the same ranks without blocking. In each round the first of
// them collects what the others give, and answers with what is free at all. Where there are two
// groups the first rank is that of the group whose first process has the lower number.
type Duplicate struct {
	c      *Comm
	call   string
	tag    int
	a      *agreement
	stage  duplicationStage
	first  bool   // this rank is the first
	others []peer // at the first rank: all others; elsewhere: the first one
	mine   []uint64
	theirs [][]uint64 // at the first rank, of the others
	made   *Comm
	failed error

	messages core.Batch
}

// Comm returns the communicator; nil while it is being made.
func (d *Duplicate) Comm() *Comm { return d.made }

// peer is a rank, of the own group or by a bridge of the other one.
type peer struct {
	by   *core.Comm
	rank int
}

type duplicationStage uint8

const (
	duplicationGives duplicationStage = iota
	duplicationCollects
	duplicationAnswers
)

// IDup begins to make a communicator of the same ranks, as a request. across are the ranks of another
// group that do the same by a bridge; nil: there is no other group.
func (c *Comm) IDup(call string, across *core.Comm) (*core.Request, *Duplicate, error) {
	if err := c.Check(call); err != nil {
		return nil, nil, err
	}
	number := c.collectives.duplications
	c.collectives.duplications++
	d := &Duplicate{c: c, call: call, tag: duplicateTag + number%(1<<28), a: c.job.agreements.enter(uint64(c.Point), uint64(number), false)}
	d.meet(across)
	d.messages.Operation = d
	whole := new(core.Request)
	whole.Begin(&c.Comm, call, &d.messages)
	d.messages.Whole = whole
	c.Engine.Advance(d)
	return whole, d, nil
}

// meet finds out who exchanges messages with whom.
func (d *Duplicate) meet(across *core.Comm) {
	own := &d.c.Comm
	if across != nil && across.Process(0) < own.Process(0) {
		d.others = []peer{{across, 0}}
		return
	}
	if d.first = own.Rank() == 0; !d.first {
		d.others = []peer{{own, 0}}
		return
	}
	for r := 1; r < own.Size(); r++ {
		d.others = append(d.others, peer{own, r})
	}
	if across != nil {
		for r := range across.Size() {
			d.others = append(d.others, peer{across, r})
		}
	}
}

// Advance goes on until it has to wait.
func (d *Duplicate) Advance() bool {
	for d.made == nil && d.failed == nil {
		if d.stage == duplicationGives {
			if len(d.others) == 0 && d.a.rounds > 0 && !d.c.job.agreements.mayGive(d.a) {
				d.c.job.agreements.sleepers = append(d.c.job.agreements.sleepers, d)
				return true
			}
			d.begin()
			d.stage = duplicationCollects
		}
		if d.messages.MustWait() {
			return true
		}
		d.collect()
		if d.failed == nil {
			d.next()
		}
	}
	if d.failed != nil {
		d.c.job.leave(d.a)
	}
	d.messages.Whole.FinishAs(d.failed, nil)
	return true
}

// begin begins a round.
func (d *Duplicate) begin() {
	d.mine = d.c.job.give(d.a)
	if !d.first {
		d.send(d.others[0], d.mine)
		d.receive(d.others[0], d.mine)
		return
	}
	d.theirs = make([][]uint64, len(d.others))
	for i, other := range d.others {
		d.theirs[i] = make([]uint64, len(d.mine))
		d.receive(other, d.theirs[i])
	}
}

// next goes on when the messages of a stage are complete.
func (d *Duplicate) next() {
	if d.stage == duplicationCollects && d.first {
		for _, words := range d.theirs {
			intersect(d.mine, words)
		}
		for _, other := range d.others {
			d.send(other, d.mine)
		}
		d.stage = duplicationAnswers
		return
	}
	id, again, err := d.c.job.conclude(d.a, d.mine)
	switch {
	case err != nil:
		d.failed = d.c.Fail(fault.Other, d.call, err)
	case again:
		d.stage = duplicationGives
	default:
		d.made = d.c.derive(d.c.Group, id)
	}
}

// intersect keeps what two sets have in common in the first one.
func intersect(set, other []uint64) {
	for i := range set {
		set[i] &= other[i]
	}
}

func (d *Duplicate) send(to peer, words []uint64) {
	m := d.messages.Message(d.c.Engine)
	m.SetSend(to.by, d.call, to.by.Collective, to.rank, d.tag, elements.Memory(words))
	m.Batch = &d.messages
	d.note(d.c.Engine.Send(m, false))
}

func (d *Duplicate) receive(from peer, words []uint64) {
	m := d.messages.Message(d.c.Engine)
	m.SetReceive(from.by, d.call, from.by.Collective, from.rank, d.tag, elements.Memory(words))
	m.Batch = &d.messages
	d.note(d.c.Engine.Receive(m))
}

// collect takes the errors of the messages, which are complete.
func (d *Duplicate) collect() {
	for _, m := range d.messages.Open {
		d.note(m.Err)
		d.c.Engine.Recycle(m)
	}
	d.messages.Clear(d.c.Engine)
}

func (d *Duplicate) note(err error) {
	if err != nil && d.failed == nil {
		d.failed = d.c.Fail(fault.Other, d.call, err)
	}
}

// Mismatch returns the error that a message is too long, which those of this library are not.
func (d *Duplicate) Mismatch(m *core.Request, bytes int) error {
	return d.c.Failf(fault.Truncate, d.call, "%d bytes from rank %d; expected %d", bytes, m.Status.From, len(m.Data))
}
