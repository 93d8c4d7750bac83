package collective

import (
	"cmp"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/check"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// With Options.Check ranks compare what they say of each operation before they carry it out. Where
// the world compares (rma.Witness) that takes no messages. Elsewhere each rank tells rank 0, which
// tells all whether they agree: these steps come before those of the operation.

// The steps of a comparison, which are none of algorithms by interfaces or multicast.
const (
	compareAll = 200 + iota // compares what all ranks have said, at rank 0
	compareEnd              // fails if they do not agree
)

// comparison is what a rank says of an operation, and what it hears.
type comparison struct {
	mine     []byte
	theirs   [][]byte // of the other ranks, at rank 0
	conflict []byte   // of a rank that says something else than rank 0, behind its number and 1; else zeros
}

// comparisonOf returns the comparison of what a rank says.
func comparisonOf(said *check.Said) *comparison { return &comparison{mine: said.Fixed()} }

// conflictBytes is the length of a conflict: a byte that is 1 if there is one, a rank, and what that
// and rank 0 say.
const conflictBytes = 8 + 2*check.Bytes

// Agree prepares the comparison of an operation with those of other ranks, if the program has asked
// for that. Where the world compares, it fails at once if they differ.
func (r *Operation) Agree() error {
	if !r.C.Checks() {
		return nil
	}
	said := r.said()
	if r.C.job.witness == nil {
		r.comparison = comparisonOf(&said)
		return nil
	}
	err := r.C.witnessed(r.Call, &said)
	if err != nil {
		r.Recycle()
	}
	return err
}

// said describes the operation.
func (r *Operation) said() check.Said {
	if r.Near == nil {
		return check.Describe(r.Call, r.kind, &r.Arguments, r.C.collectives.forced[r.kind])
	}
	return check.Describe(r.Call, algorithm.AllToAllV, &algorithm.Arguments{Element: r.Element, Type: r.Type}, nil)
}

// Checks reports whether calls are to be compared.
func (c *Comm) Checks() bool {
	return c.job != nil && c.Engine.Checked && (c.job.witness != nil || c.Engine.Compare) && c.Size() > 1
}

// Compare compares a blocking operation with those of other ranks, and fails if they differ. It is
// for communicators that Checks reports.
func (c *Comm) Compare(call string, kind algorithm.Operation, a *algorithm.Arguments) error {
	if c.Check(call) != nil {
		return nil // the operation itself tells
	}
	return c.compare(check.Describe(call, kind, a, c.collectives.forced[kind]))
}

// compareCall is Compare of a call that has no elements, if the program has asked for that.
func (c *Comm) compareCall(call string) error {
	if !c.Checks() {
		return nil
	}
	return c.compare(check.Said{Call: call, Root: -1, Count: -1})
}

func (c *Comm) compare(said check.Said) error {
	if c.job.witness != nil {
		return c.witnessed(said.Call, &said)
	}
	r := c.NewOperation(said.Call)
	r.Algorithm, r.comparison = nothingMore, comparisonOf(&said)
	return r.runNow()
}

// nothingMore is an operation of which only the comparison is left.
var nothingMore = &algorithm.Algorithm{Name: "none", Build: func(*schedule.Schedule, algorithm.Arguments) {}}

// witnessed compares by the world.
func (c *Comm) witnessed(call string, said *check.Said) error {
	key := rma.Topic{First: int(c.Process(0)), Context: c.Collective, Number: c.collectives.compared}
	c.collectives.compared++
	process, text := c.job.witness.Witness(key, c.Size(), said.Append(nil))
	first, err := check.Read(text)
	if err != nil {
		return c.Fail(fault.Other, call, err)
	}
	return c.differ(said, &first, c.RankOf(int32(process)))
}

// differ returns the error of a rank that says something else than another one; nil if both agree.
func (c *Comm) differ(said, other *check.Said, rank int) error {
	if class, err := check.Mismatch(said, other, rank); err != nil {
		return c.Fail(class, said.Call, err)
	}
	return nil
}

// addComparison adds the steps of the comparison.
func (r *Operation) addComparison() {
	x, s := r.comparison, &r.Schedule
	x.conflict = make([]byte, conflictBytes)
	if s.Rank != 0 {
		s.Exchange(0, x.mine, 0, x.conflict)
	} else {
		x.theirs = make([][]byte, s.Size)
		for rank := 1; rank < s.Size; rank++ {
			x.theirs[rank] = make([]byte, check.Bytes)
			s.Receive(rank, x.theirs[rank])
		}
		s.Wait()
		s.Call(compareAll, nil, nil)
		for rank := 1; rank < s.Size; rank++ {
			s.Send(rank, x.conflict)
		}
		s.Wait()
	}
	s.Call(compareEnd, nil, nil)
}

// compareStep takes a step of the comparison.
func (r *Operation) compareStep(s *schedule.Step) {
	if s.Do == compareAll {
		r.comparison.findConflict()
		return
	}
	r.failed = r.spoiled
	if err := r.conflict(); err != nil {
		r.failed, r.broken = err, true // which ends the operation
	}
}

// findConflict finds the first rank that says something else than rank 0.
func (x *comparison) findConflict() {
	clear(x.conflict)
	for rank := 1; rank < len(x.theirs); rank++ {
		if string(x.theirs[rank]) == string(x.mine) {
			continue
		}
		x.conflict[0] = 1
		x.conflict[1], x.conflict[2], x.conflict[3] = byte(rank), byte(rank>>8), byte(rank>>16)
		copy(x.conflict[8:], x.theirs[rank])
		copy(x.conflict[8+check.Bytes:], x.mine)
		return
	}
}

// conflict returns the error that a rank says something else than rank 0. At those two it names the
// other one; at all others it names the one that differs.
func (r *Operation) conflict() error {
	b := r.comparison.conflict
	if b[0] == 0 {
		return nil
	}
	rank := int(b[1]) | int(b[2])<<8 | int(b[3])<<16
	theirs, failed := check.Read(b[8:])
	zeroth, alsoFailed := check.Read(b[8+check.Bytes:])
	if err := cmp.Or(failed, alsoFailed); err != nil {
		return r.C.Fail(fault.Other, r.Call, err)
	}
	c := r.C
	if c.Rank() == rank {
		return c.differ(&theirs, &zeroth, 0)
	}
	return c.differ(&zeroth, &theirs, rank)
}
