package goal

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Any is the source or tag of a receive that takes all.
const Any = ^uint32(0)

// Kind is what an operation does. The numbers are those of the binary form.
type Kind uint8

// The kinds of operations.
const (
	Send    Kind = 1
	Receive Kind = 2
	Calc    Kind = 3
)

// Schedule says what all ranks of a job do.
type Schedule struct {
	Ranks      []Rank
	CPUs, NICs int // one more than the largest number of a cpu, or of a nic
}

// Rank has the operations of a rank in the order of the file.
type Rank struct {
	Ops []Op
	// next has, for each operation, those that require it, and then those that require its start.
	next []uint32
}

// Op is an operation of a rank.
type Op struct {
	Size uint64 // of a message in bytes; of Calc in nanoseconds
	Peer uint32 // rank; of a receive possibly Any
	Tag  uint32 // of a receive possibly Any
	Line uint32 // of the file, from 1; 0 if the file was binary
	// Waits is for how many operations this one waits, each counted as often as it is required.
	Waits            uint32
	first            uint32
	requires, starts uint32
	Kind             Kind
	CPU, NIC         uint8
}

// Requires returns which operations may start when operation i has ended.
func (r *Rank) Requires(i int) []uint32 {
	op := &r.Ops[i]
	return r.next[op.first:][:op.requires:op.requires]
}

// Starts returns which operations may start when operation i has started.
func (r *Rank) Starts(i int) []uint32 {
	op := &r.Ops[i]
	return r.next[op.first+op.requires:][:op.starts:op.starts]
}

// Sent returns how many messages are sent, and their bytes, which may be more than an integer holds.
func (s *Schedule) Sent() (messages int, bytes float64) {
	for r := range s.Ranks {
		for i := range s.Ranks[r].Ops {
			if op := &s.Ranks[r].Ops[i]; op.Kind == Send {
				messages++
				bytes += float64(op.Size)
			}
		}
	}
	return messages, bytes
}

// String returns the statement of an operation, without a label.
func (op *Op) String() string {
	var b strings.Builder
	switch op.Kind {
	case Calc:
		fmt.Fprintf(&b, "calc %d", op.Size)
	case Send:
		fmt.Fprintf(&b, "send %db to %d tag %s", op.Size, op.Peer, number(op.Tag))
	case Receive:
		fmt.Fprintf(&b, "recv %db from %s tag %s", op.Size, number(op.Peer), number(op.Tag))
	}
	if op.CPU != 0 {
		fmt.Fprintf(&b, " cpu %d", op.CPU)
	}
	if op.NIC != 0 {
		fmt.Fprintf(&b, " nic %d", op.NIC)
	}
	return b.String()
}

// number writes Any as the language does.
func number(n uint32) string {
	if n == Any {
		return "-1"
	}
	return fmt.Sprint(n)
}

// Where names operation i of a rank for messages.
func (s *Schedule) Where(rank, i int) string {
	op := &s.Ranks[rank].Ops[i]
	if op.Line == 0 {
		return fmt.Sprintf("rank %d, operation %d: %v", rank, i+1, op)
	}
	return fmt.Sprintf("line %d, rank %d: %v", op.Line, rank, op)
}

// edge says that operation to waits for operation from: for its end, or for its start.
type edge struct {
	from, to uint32
	start    bool
}

// connect enters what operations wait for, in the order of edges.
func (r *Rank) connect(edges []edge) {
	for _, e := range edges {
		if e.start {
			r.Ops[e.from].starts++
		} else {
			r.Ops[e.from].requires++
		}
		r.Ops[e.to].Waits++
	}
	at := uint32(0)
	for i := range r.Ops {
		r.Ops[i].first = at
		at += r.Ops[i].requires + r.Ops[i].starts
	}
	r.next = make([]uint32, at)
	ends, starts := make([]uint32, len(r.Ops)), make([]uint32, len(r.Ops)) // entered so far
	for _, e := range edges {
		op := &r.Ops[e.from]
		if e.start {
			r.next[op.first+op.requires+starts[e.from]] = e.to
			starts[e.from]++
		} else {
			r.next[op.first+ends[e.from]] = e.to
			ends[e.from]++
		}
	}
}

// count counts processors and interfaces.
func (s *Schedule) count() {
	s.CPUs, s.NICs = 1, 1
	for r := range s.Ranks {
		for i := range s.Ranks[r].Ops {
			op := &s.Ranks[r].Ops[i]
			s.CPUs, s.NICs = max(s.CPUs, int(op.CPU)+1), max(s.NICs, int(op.NIC)+1)
		}
	}
}

// Scaled returns a schedule whose calculations take a factor of the time.
func (s *Schedule) Scaled(factor float64) *Schedule {
	scaled := *s
	scaled.Ranks = slices.Clone(s.Ranks)
	for r := range scaled.Ranks {
		ops := slices.Clone(s.Ranks[r].Ops)
		for i := range ops {
			if ops[i].Kind == Calc {
				ops[i].Size = uint64(min(float64(math.MaxInt64), factor*float64(ops[i].Size)))
			}
		}
		scaled.Ranks[r].Ops = ops
	}
	return &scaled
}
