package wordlock

import "sync/atomic"

// Message is what one rank tells another about a lock.
type Message uint8

const (
	Behind  Message = iota // the sender is the next of the lane
	Turn                   // the receiver is the first of the lane
	Granted                // the receiver has the lock
)

// Do is what a rank has to do next.
type Do uint8

const (
	Nothing Do = iota // the lock is held, or released
	Change            // compare a word with Expected, and replace it by Operand if they are equal
	Swap              // replace a word by Operand
	Tell              // send a Message to a rank
	Await             // wait for a message
)

// Step is what a rank has to do next.
type Step struct {
	Do                Do
	Word              int
	Expected, Operand int64
	To                int
	Message           Message
}

// phase is where a rank is with a lock.
type phase uint8

const (
	idle      phase = iota
	enters          // tries to change the state
	queues          // takes its place in the lane
	announces       // tells the one before
	waits           // for its turn
	registers       // enters its number into the state
	sleeps          // waits for the lock
	leaves          // the lane, as the first
	looks           // waits to hear who is next
	passes          // tells that it is first
	releases        // changes the state
	gives           // tells to whom the release gives the lock
)

// Claim is one rank's side of a lock. The zero value has nothing; Rank has to be set.
type Claim struct {
	Rank int
	Held Kind

	phase  phase
	want   Kind
	lane   int
	first  bool         // in the lane
	seen   state        // the state that is expected
	before int          // rank before in the lane
	heirs  [lanes]int64 // to whom the release gives the lock, see state.release
	next   int          // rank behind in the lane, and 1; 0: not known
	turned bool
	given  bool
}

// Acquire begins to acquire the lock. others says that the rank holds other locks.
func (c *Claim) Acquire(kind Kind, others bool) {
	c.phase, c.want, c.lane, c.first, c.seen = enters, kind, ordinary, false, 0
	if others && kind == Shared {
		c.lane = holding
	}
}

// Release begins to release the lock.
func (c *Claim) Release() {
	c.phase, c.seen = releases, 1
	if c.Held == Exclusive {
		c.seen = Writer
	}
}

// TakeFree is all of Acquire for a rank whose processor reaches the state, if nobody holds the lock or waits for it. Otherwise it reports
// false, and nothing has happened.
func (c *Claim) TakeFree(kind Kind, word *atomic.Int64) bool {
	held, _ := state(0).grant(kind)
	if !word.CompareAndSwap(0, int64(held)) {
		return false
	}
	c.Held = kind
	return true
}

// LeaveFree is all of Release for such a rank, if nobody else holds the lock or waits for it.
func (c *Claim) LeaveFree(word *atomic.Int64) bool {
	held, _ := state(0).grant(c.Held)
	if !word.CompareAndSwap(int64(held), 0) {
		return false
	}
	c.Held = None
	return true
}

// Next returns what is to be done.
func (c *Claim) Next() Step {
	switch c.phase {
	case enters:
		granted, _ := c.seen.grant(c.want)
		return c.change(granted)
	case queues:
		return Step{Do: Swap, Word: Tails + c.lane, Operand: int64(c.Rank + 1)}
	case announces:
		return Step{Do: Tell, To: c.before, Message: Behind}
	case registers:
		return c.change(c.seen.enter(c.lane, c.Rank, c.want))
	case leaves:
		return Step{Do: Change, Word: Tails + c.lane, Expected: int64(c.Rank + 1)}
	case passes:
		return Step{Do: Tell, To: c.next - 1, Message: Turn}
	case releases:
		left, _ := c.seen.release(c.Held)
		return c.change(left)
	case gives:
		return Step{Do: Tell, To: int(c.heirs[c.heir()]) - 1, Message: Granted}
	case waits, sleeps, looks:
		return Step{Do: Await}
	}
	return Step{}
}

// change is the step that changes the state from what has been seen.
func (c *Claim) change(to state) Step {
	return Step{Do: Change, Word: State, Expected: int64(c.seen), Operand: int64(to)}
}

// Changed says what the word of the last Change or Swap was before.
func (c *Claim) Changed(was int64) {
	done := state(was) == c.seen
	switch c.phase {
	case enters, registers:
		c.entered(state(was), done)
	case queues:
		if c.before = int(was) - 1; was == 0 {
			c.toFront()
		} else {
			c.phase = announces
		}
	case leaves:
		switch {
		case was == int64(c.Rank+1):
			c.phase = idle
		case c.next != 0:
			c.phase = passes
		default:
			c.phase = looks
		}
	case releases:
		if !done {
			c.seen = state(was)
			return
		}
		_, c.heirs = c.seen.release(c.Held)
		c.Held, c.phase = None, gives
		c.endGiving()
	}
}

// entered goes on after an attempt to change the state: that of a rank which enters is then held.
func (c *Claim) entered(was state, done bool) {
	switch {
	case done && c.phase == registers:
		c.phase = sleeps
		c.wake()
	case done:
		c.take()
	default:
		c.seen = was
		c.decide()
	}
}

// decide chooses what to do in the state that has been seen: enter, wait in the lane, or as its first
// wait for a change.
func (c *Claim) decide() {
	_, may := c.seen.grant(c.want)
	inTurn := c.first || c.lane == holding || c.seen.first(ordinary) == 0
	switch {
	case may && inTurn:
		c.phase = enters
	case c.first:
		c.phase = registers
	default:
		c.phase = queues
	}
}

// toFront goes on as the first of the lane.
func (c *Claim) toFront() {
	c.first = true
	c.decide()
}

// take goes on with the lock.
func (c *Claim) take() {
	c.Held, c.phase = c.want, idle
	switch {
	case c.first && c.next != 0:
		c.phase = passes
	case c.first:
		c.phase = leaves
	}
}

// Told says that the message of the last step has been sent.
func (c *Claim) Told() {
	switch c.phase {
	case announces:
		c.phase = waits
		c.wake()
	case passes:
		c.next, c.phase = 0, idle
	case gives:
		c.heirs[c.heir()] = 0
		c.endGiving()
	}
}

// heir returns the lane whose first rank has to be told that it has the lock.
func (c *Claim) heir() int {
	if c.heirs[holding] != 0 {
		return holding
	}
	return ordinary
}

// endGiving ends the release if all have been told.
func (c *Claim) endGiving() {
	if c.heirs[c.heir()] == 0 {
		c.phase = idle
	}
}

// Hear takes a message of a rank, and reports whether that was to be expected.
func (c *Claim) Hear(from int, m Message) bool {
	switch {
	case m == Behind && c.next == 0:
		c.next = from + 1
	case m == Turn && !c.turned:
		c.turned = true
	case m == Granted && !c.given:
		c.given = true
	default:
		return false
	}
	c.wake()
	return true
}

// wake goes on if what the rank waits for has come.
func (c *Claim) wake() {
	switch {
	case c.phase == waits && c.turned:
		c.turned = false
		c.toFront()
	case c.phase == sleeps && c.given:
		c.given = false
		c.take()
	case c.phase == looks && c.next != 0:
		c.phase = passes
	}
}
