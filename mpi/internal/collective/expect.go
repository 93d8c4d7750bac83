package collective

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
	"musubi/mpi/internal/schedule"
)

// expects is the receives of a step that receives from all other ranks. A request for each would be most of the memory of
// a large job, and its message mostly comes much later.
type expects struct {
	*Operation
	each schedule.Step
	made []uint64 // ranks whose receive has been made, one bit for each
}

var _ core.Expecter = (*expects)(nil)

// expectEach takes a step that receives from all other ranks: messages that have come already, the others when they come.
func (r *Operation) expectEach(each *schedule.Step) {
	if r.expects == nil {
		r.expects = new(expects)
	}
	x := r.expects
	words := (r.Schedule.Size + 63) / 64
	if cap(x.made) < words {
		x.made = make([]uint64, words)
	}
	x.made = x.made[:words]
	clear(x.made)
	x.Operation, x.each = r, *each
	left := r.Schedule.Size - 1
	for i := 0; i < r.Schedule.Size-1 && !r.broken && r.C.Engine.HasUnexpected(r.C.Collective); i++ {
		if s, _ := r.Part(each, i); x.receiveCome(&s) {
			left--
		}
	}
	if !r.broken {
		r.messages.Expect(&r.C.Comm, r.Tag, left, x)
	}
}

// receiveCome receives a message if it has come.
func (x *expects) receiveCome(s *schedule.Step) bool {
	m := x.messages.Message(x.C.Engine)
	x.set(m, s)
	come, err := x.messages.ReceiveCome(m)
	if err != nil {
		x.noteError(x.C.Fail(fault.Other, x.Call, err))
	}
	if come {
		x.mark(int(s.Peer))
	}
	return come
}

// set sets a request to the receive of a step.
func (x *expects) set(m *core.Request, s *schedule.Step) {
	m.SetReceive(&x.C.Comm, x.Call, x.C.Collective, int(s.Peer), int(x.Tag), s.Into)
	m.Batch = &x.messages
}

// mark notes that the receive from a rank has been made.
func (x *expects) mark(rank int) { x.made[rank/64] |= 1 << (rank % 64) }

// isMade reports whether the receive from a rank has been made.
func (x *expects) isMade(rank int) bool { return x.made[rank/64]&(1<<(rank%64)) != 0 }

// Receive implements match.Expecter.
func (x *expects) Receive(from int32) *match.Receive {
	rank := x.C.RankOf(from)
	if rank < 0 || rank == x.C.Rank() || x.isMade(rank) {
		return nil
	}
	x.mark(rank)
	m, s := x.messages.MessageExpected(x.C.Engine), x.PartFrom(&x.each, rank)
	x.set(m, &s)
	return &m.Receive
}

// Batch implements core.Expecter.
func (x *expects) Batch() *core.Batch { return &x.messages }

// ExplainPeer names the first rank whose message has not come.
func (x *expects) ExplainPeer() string {
	for i := range x.Schedule.Size - 1 {
		if s, _ := x.Part(&x.each, i); !x.isMade(int(s.Peer)) {
			return x.C.ExplainProcess(" for ", x.C.Process(int(s.Peer)))
		}
	}
	return ""
}
