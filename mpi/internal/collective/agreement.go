package collective

import (
	"cmp"
	"slices"

	"musubi/mpi/internal/fault"
)

// agreement is how this process agrees with others on the id of a communicator, in rounds: each
// gives the ids that are free at it, and all take the first that is free at all of them.
//
// Several can be under way at once, as programs may start to duplicate communicators and go on. Only
// one of them may give its free ids at a time, or two would take the same; the others give none, and
// their round has to be repeated at all ranks. In its first round one that does not block gives none
// either: after it all ranks have called the operation, and no agreement keeps the ids for longer than
// messages take. Of those after their first round the one with the lowest key comes next, which is the
// same one at all ranks, so that they do not get in each other's way for ever.
type agreement struct {
	comm, number uint64 // key: of the communicator, and of the operation there
	rounds       int
	blocks       bool // the process does nothing else until it is done
}

// agreements are those that are under way at this process.
type agreements struct {
	open     []*agreement
	holder   *agreement   // gives its free ids in this round
	sleepers []*Duplicate // wait until another one is done
}

// given marks a set of ids that were given: bit 0 stands for no communicator that could be free.
const given = 1

// Numbers of the operations of a communicator, for keys: duplications count from 0.
const (
	createNumber   = 1 << 40 // and the tag
	blockingNumber = 1 << 41
)

// bridging is the key of agreements between groups, which have no communicator in common.
const bridging = 1 << 32

func (s *agreements) enter(comm, number uint64, blocks bool) *agreement {
	a := &agreement{comm: comm, number: number, blocks: blocks}
	s.open = append(s.open, a)
	return a
}

// mayGive reports whether it is the turn of an agreement to give its ids.
func (s *agreements) mayGive(a *agreement) bool {
	if s.holder != nil {
		return false
	}
	if a.rounds == 0 {
		return a.blocks && len(s.open) == 1
	}
	return !slices.ContainsFunc(s.open, func(b *agreement) bool { return b.rounds > 0 && b.compare(a) < 0 })
}

func (a *agreement) compare(b *agreement) int {
	return cmp.Or(cmp.Compare(a.comm, b.comm), cmp.Compare(a.number, b.number))
}

// give begins a round: it returns the ids that are free, or none.
func (j *job) give(a *agreement) []uint64 {
	if !j.agreements.mayGive(a) {
		return make([]uint64, mostComms/64)
	}
	j.agreements.holder = a
	left := j.ids.free()
	left[0] |= given
	return left
}

// conclude ends a round with what all ranks have given. It takes the id, unless there has to be
// another round.
func (j *job) conclude(a *agreement, all []uint64) (id uint32, again bool, err error) {
	s := &j.agreements
	a.rounds++
	if s.holder == a {
		s.holder = nil
	}
	if all[0]&given == 0 {
		return 0, true, nil
	}
	all[0] &^= given
	id, ok := lowest(all)
	if ok {
		j.ids.take(id) // before others go on, which would take it as well
	}
	j.leave(a)
	if !ok {
		return 0, false, errNoContext
	}
	return id, false, nil
}

// leave ends an agreement.
func (j *job) leave(a *agreement) {
	s := &j.agreements
	s.open = slices.DeleteFunc(s.open, func(b *agreement) bool { return a == b })
	if s.holder == a {
		s.holder = nil
	}
	sleepers := s.sleepers
	s.sleepers = nil
	for _, d := range sleepers {
		j.Engine.Advance(d)
	}
}

func always() bool { return true }

// agreeBy agrees in rounds, of which each combines what all ranks give. The id is taken.
func (c *Comm) agreeBy(call string, comm, number uint64, combine func(words []uint64) error) (uint32, error) {
	a := c.job.agreements.enter(comm, number, c.Engine.Share == nil)
	for {
		words := c.job.give(a)
		if err := combine(words); err != nil {
			c.job.leave(a)
			return 0, err
		}
		id, again, err := c.job.conclude(a, words)
		switch {
		case err != nil:
			return 0, c.Fail(fault.Other, call, err)
		case !again:
			return id, nil
		}
		if share := c.Engine.Share; share != nil { // the agreement of another thread has to end first
			share(always)
		}
	}
}
