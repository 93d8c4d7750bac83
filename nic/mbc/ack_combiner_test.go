package mbc

// AckCombiner is what a switch knows about the acknowledgements of one multicast that it has
// copied: which of its branches have answered, and what. A multicast that is sent again may
// be acknowledged again; the first answer of each branch counts. As what a switch has sent on
// may get lost, it opens the multicast again when all branches have answered.
type AckCombiner struct {
	tally    AckTally
	answered []bool
	missing  int
}

// Open begins a multicast that has been copied to so many branches. It uses the memory of
// the one before.
func (c *AckCombiner) Open(branches int) {
	answered := c.answered[:0]
	for range branches {
		answered = append(answered, false)
	}
	*c = AckCombiner{answered: answered, missing: branches}
}

// Answer takes the acknowledgement of a branch. It reports whether it is the last one that
// was missing; then Tally is to be sent on.
func (c *AckCombiner) Answer(branch int, t AckTally) (last bool) {
	if c.answered[branch] {
		return false
	}
	c.answered[branch] = true
	c.tally.Add(t)
	c.missing--
	return c.missing == 0
}

// Missing returns how many branches have not answered.
func (c *AckCombiner) Missing() int { return c.missing }

// Tally returns what the branches have answered so far.
func (c *AckCombiner) Tally() AckTally { return c.tally }
