package datatype

// Cursor is a place in a type.
type Cursor struct {
	of   *Type
	run  int
	into int // bytes of the run
}

// From returns a cursor at the beginning of a type.
func From(t *Type) Cursor { return Cursor{of: t} }

// Rest returns what is left of the run that the cursor is in, which has bytes. The cursor may
// not be at the end.
func (c *Cursor) Rest() Run {
	r := c.of.Run(c.run)
	for r.Bytes == c.into {
		c.run++
		c.into = 0
		r = c.of.Run(c.run)
	}
	return Run{r.At + c.into, r.Bytes - c.into}
}

// Advance goes on by some bytes of the run.
func (c *Cursor) Advance(n int) { c.into += n }
