package match

import (
	"fmt"
	"slices"
)

// Any as source or tag of a receive takes messages with every one.
const Any = -1

// Receive is what a posted receive asks for.
type Receive struct {
	Source  int32 // sending process, or Any
	Tag     int32 // or Any
	Context uint32
}

// Header is what is compared of a message.
type Header struct {
	Source, Tag int32
	Context     uint32
}

// Takes reports whether the receive matches a message.
func (r *Receive) Takes(h *Header) bool {
	return r.Context == h.Context && (r.Source == Any || r.Source == h.Source) && (r.Tag == Any || r.Tag == h.Tag)
}

// Post is a receive on its way to the interface.
type Post struct {
	Receive
	Number uint32 // of the posts of the process, from 1 on
	Seen   uint32 // messages from rings that the process had looked at
}

// Decision is what becomes of a message.
type Decision struct {
	Number   uint32 // of the post that the message has matched; 0: it goes to a ring
	Searched int    // entries of the table that were compared
	// Accepted is the number of the last post that is in the table, or was. It accompanies a
	// message to the ring.
	Accepted uint32
}

// Counters count what a Unit has done.
type Counters struct {
	Matched, Passed   uint64 // messages
	Accepted, Refused uint64 // posts
	Searched          uint64 // entries compared
}

// Unit is the half of the interface for one process: the table of posted receives.
type Unit struct {
	table    []Post // the oldest first
	room     int
	passed   uint32 // messages that have gone to rings
	accepted uint32 // number of the last post accepted
	closed   bool   // a post has been refused since the last message passed
	counters Counters
}

// NewUnit returns a unit with an empty table for a number of receives.
func NewUnit(entries int) (*Unit, error) {
	if entries < 1 {
		return nil, fmt.Errorf("match: a table for %d receives; expected at least 1", entries)
	}
	return &Unit{room: entries}, nil
}

// Post takes a receive into the table, or refuses it. Posts of a process come in their order.
func (u *Unit) Post(p Post) bool {
	if u.closed || p.Seen != u.passed || len(u.table) == u.room {
		u.closed = true
		u.counters.Refused++
		return false
	}
	u.table = append(u.table, p)
	u.accepted = p.Number
	u.counters.Accepted++
	return true
}

// Arrive decides about a message, once, when its first packet is there. A post that it matches
// leaves the table.
func (u *Unit) Arrive(h *Header) Decision {
	for i := range u.table {
		if u.table[i].Takes(h) {
			d := Decision{Number: u.table[i].Number, Searched: i + 1}
			u.table = slices.Delete(u.table, i, i+1)
			u.counters.Matched++
			u.counters.Searched += uint64(d.Searched)
			return d
		}
	}
	u.passed++
	u.closed = false
	u.counters.Passed++
	u.counters.Searched += uint64(len(u.table))
	return Decision{Searched: len(u.table), Accepted: u.accepted}
}

// Withdraw takes a post back, which has reached the interface. It reports false if the post has
// been matched.
func (u *Unit) Withdraw(number uint32) bool {
	i := slices.IndexFunc(u.table, func(p Post) bool { return p.Number == number })
	if i < 0 {
		return number > u.accepted // it was refused
	}
	u.table = slices.Delete(u.table, i, i+1)
	return true
}

// Len returns how many receives are in the table.
func (u *Unit) Len() int { return len(u.table) }

// Counters returns the counters so far.
func (u *Unit) Counters() Counters { return u.counters }
