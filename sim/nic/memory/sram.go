package memory

import (
	"musubi/units"
)

// sram is the memory of an interface that its rings lie in. What comes in over the link
// has the first turn, as the link cannot wait; it holds up all else by as long as it
// takes.
type sram struct {
	rate        units.Rate
	first, rest units.Time // when all that has the first turn, and all else, is done
}

// ringUse is how much of a ring is in use by frames of each class, in bytes.
type ringUse [frameClasses]int

// come reserves the memory for n bytes that arrive over the link, the last of them at a
// time, and returns when they are there.
func (s *sram) come(last units.Time, n int) units.Time {
	d := s.rate.Transfer(units.Bytes(n))
	begin := max(last-d, s.first)
	s.first = begin + d
	if s.rest > begin {
		s.rest += d
	}
	return s.first
}

// move reserves the memory for n bytes that go between it and bus or link, not before a
// time, and returns when the last of them can have gone.
func (s *sram) move(at units.Time, n int) units.Time {
	s.rest = max(at, s.first, s.rest) + s.rate.Transfer(units.Bytes(n))
	return s.rest
}

// admits reports whether a ring of a size has room for a frame. Requests leave some of it
// to replies.
func (u *ringUse) admits(class, bytes int, size, reserve units.Bytes) bool {
	room := int(size)
	if class == requests {
		if u[requests]+bytes > room-int(reserve) {
			return false
		}
	}
	return u[requests]+u[replies]+bytes <= room
}
