package schedule

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"musubi/internal/spill"
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

// Schedule says what all ranks of a job do. That of a long job lies in a file, see package spill.
type Schedule struct {
	Ranks      []Rank
	CPUs, NICs int        // one more than the largest number of a cpu, or of a nic
	Groups     [][]uint32 // of ranks, for collective operations

	area *spill.Area
}

// New returns a schedule without ranks.
func New() *Schedule { return &Schedule{area: spill.New()} }

// AddRank adds a rank that does nothing so far. The next call moves it.
func (s *Schedule) AddRank() *Rank {
	s.Ranks = append(s.Ranks, Rank{area: s.area})
	return &s.Ranks[len(s.Ranks)-1]
}

// Used tells that some operations have been looked at, so that long schedules give memory back.
func (s *Schedule) Used(ops int) { s.area.Used(ops) }

// Rank has the operations of a rank in the order of the file.
type Rank struct {
	Ops []Op
	// Next has, for each operation, those that require it, and then those that require its start.
	Next []uint32
	IDs  []uint64 // of the operations, in a format that has such; else nil

	area *spill.Area // of the schedule
	from *spill.Area // of another one that has Next and IDs, too
}

// Area is where the lists of the rank lie.
func (r *Rank) Area() *spill.Area { return r.area }

// Add adds an operation.
func (r *Rank) Add(op Op) { r.Ops = spill.Append(r.area, r.Ops, op) }

// Op is an operation of a rank.
type Op struct {
	Size uint64 // of a message in bytes; of Calc in nanoseconds
	Peer uint32 // rank; of a receive possibly Any
	Tag  uint32 // of a receive possibly Any; of Calc picoseconds beyond Size, below 1,000
	Line uint32 // of the file, from 1; 0 if the file was binary
	// Waits is for how many operations this one waits, each counted as often as it is required.
	Waits uint32
	// First is where those that wait for this one are in Rank.Next: Ended of them for its end, and then
	// Started for its start.
	First, Ended, Started uint32
	Kind                  Kind
	CPU, NIC              uint8
}

// Requires returns which operations may start when operation i has ended.
func (r *Rank) Requires(i int) []uint32 {
	op := &r.Ops[i]
	return r.Next[op.First:][:op.Ended:op.Ended]
}

// Starts returns which operations may start when operation i has started.
func (r *Rank) Starts(i int) []uint32 {
	op := &r.Ops[i]
	return r.Next[op.First+op.Ended:][:op.Started:op.Started]
}

// Sent returns how many messages are sent, and their bytes, which may be more than an integer holds. Collective operations
// count as Expanded makes messages of them.
func (s *Schedule) Sent() (messages int, bytes float64) {
	for r := range s.Ranks {
		s.Used(len(s.Ranks[r].Ops))
		parts := map[uint32]*part{} // of each group
		for i := range s.Ranks[r].Ops {
			switch op := &s.Ranks[r].Ops[i]; op.Kind {
			case Send:
				messages++
				bytes += float64(op.Size)
			case Collective:
				p := parts[op.Peer]
				if p == nil {
					members := s.Members(op.Peer)
					p = &part{members: members, me: slices.Index(members, uint32(r))}
					parts[op.Peer] = p
				}
				p.carryOut(Operation(op.Tag), op.Size)
			}
		}
		for _, p := range parts {
			messages += p.messages
			bytes += p.bytes
		}
	}
	return messages, bytes
}

// Picoseconds returns how long a calculation takes; as many as an integer holds if it takes longer.
func (op *Op) Picoseconds() int64 {
	if op.Size >= math.MaxInt64/1000 {
		return math.MaxInt64
	}
	return 1000*int64(op.Size) + int64(op.Tag)
}

// CalcOf returns a calculation of some picoseconds.
func CalcOf(picoseconds int64) Op {
	return Op{Kind: Calc, Size: uint64(picoseconds / 1000), Tag: uint32(picoseconds % 1000)}
}

// setTime sets how long a calculation takes, in nanoseconds.
func (op *Op) setTime(ns float64) {
	op.Size, op.Tag = uint64(ns), 0
	if ns < 1<<52 {
		op.Tag = uint32((ns - float64(op.Size)) * 1000)
	}
}

// String returns the statement of an operation in GOAL, without a label.
func (op *Op) String() string {
	var b strings.Builder
	switch op.Kind {
	case Calc:
		fmt.Fprintf(&b, "calc %d", op.Size)
	case Send:
		fmt.Fprintf(&b, "send %db to %d tag %s", op.Size, op.Peer, number(op.Tag))
	case Receive:
		fmt.Fprintf(&b, "recv %db from %s tag %s", op.Size, number(op.Peer), number(op.Tag))
	case Collective:
		fmt.Fprintf(&b, "%v of %d bytes", Operation(op.Tag), op.Size)
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
	if ids := s.Ranks[rank].IDs; ids != nil {
		return fmt.Sprintf("rank %d, node %d: %v", rank, ids[i], op)
	}
	if op.Line == 0 {
		return fmt.Sprintf("rank %d, operation %d: %v", rank, i+1, op)
	}
	return fmt.Sprintf("line %d, rank %d: %v", op.Line, rank, op)
}

// Scaled returns a schedule whose calculations take a factor of the time.
func (s *Schedule) Scaled(factor float64) *Schedule {
	scaled := New()
	scaled.CPUs, scaled.NICs, scaled.Groups = s.CPUs, s.NICs, s.Groups
	for r := range s.Ranks {
		to := scaled.AddRank()
		to.Ops = spill.Make[Op](scaled.area, len(s.Ranks[r].Ops))
		to.Next, to.IDs, to.from = s.Ranks[r].Next, s.Ranks[r].IDs, s.area
		for i, op := range s.Ranks[r].Ops {
			if op.Kind == Calc {
				op.setTime(min(float64(math.MaxInt64), factor*float64(op.Size)+factor*float64(op.Tag)/1000))
			}
			to.Ops[i] = op
		}
	}
	return scaled
}
