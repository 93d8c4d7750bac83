package abi

// Kept is what a call has read of the program and its handles, for calls with the same words: a persistent
// operation starts with what it was made of, whatever the program has freed or overwritten since.
type Kept struct {
	lists map[list][]int
	types map[int64]*Datatype
	comms map[int64]*Comm
	ops   map[int64]*Operation
}

// list is where an array of ints or words was, and how many it had.
type list struct {
	at int64
	n  int
}

// NewKept keeps what the first call reads.
func NewKept() *Kept {
	return &Kept{map[list][]int{}, map[int64]*Datatype{}, map[int64]*Comm{}, map[int64]*Operation{}}
}

// keep returns what a table has for a key, or reads it.
func keep[K comparable, V any](table map[K]V, key K, read func() V) V {
	v, has := table[key]
	if !has {
		v = read()
		table[key] = v
	}
	return v
}

// IntsInto is that of the process.
func (c *Call) IntsInto(room []int, at int64, n int, words bool) []int {
	if c.Kept == nil {
		return c.Process.IntsInto(room, at, n, words)
	}
	return append(room[:0], keep(c.Kept.lists, list{at, n}, func() []int { return c.Process.Ints(at, n, words) })...)
}

// TypeAt is that of the process.
func (c *Call) TypeAt(h int64) *Datatype {
	if c.Kept == nil {
		return c.Process.TypeAt(h)
	}
	return keep(c.Kept.types, h, func() *Datatype { return c.Process.TypeAt(h) })
}

// CommAt is that of the process.
func (c *Call) CommAt(h int64) *Comm {
	if c.Kept == nil {
		return c.Process.CommAt(h)
	}
	return keep(c.Kept.comms, h, func() *Comm { return c.Process.CommAt(h) })
}

// OpAt returns the operation of the program's own that a handle names, nil if there is none.
func (c *Call) OpAt(h int64) *Operation {
	if c.Kept == nil {
		return c.Ops.Get(h)
	}
	return keep(c.Kept.ops, h, func() *Operation { return c.Ops.Get(h) })
}
