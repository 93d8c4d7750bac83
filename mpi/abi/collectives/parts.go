package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
)

// ownAt returns the displacement of this rank's part, in bytes; 0 in an intercommunicator.
func ownAt(m *abi.Comm, displacements []int) int {
	if m.IsInter() {
		return 0
	}
	return displacements[m.Inner.Rank()]
}

// lands adds a place for results to a plan, and returns its memory.
func lands(c *abi.Call, n *plan, at int64, count int, t *abi.Datatype) []byte {
	l := c.Landing(at, count, t)
	n.lands = append(n.lands, l)
	return l.Data
}

// partsOut adds the packed data of the parts of an array that the vector of a plan has. The program need not have those for a
// neighbour that there is not.
func partsOut(c *abi.Call, n *plan, at int64) {
	n.ins = n.ins[:0]
	for i, k := range n.v.counts {
		if n.near != nil && n.near.Destinations[i] == core.None {
			n.ins = append(n.ins, nil)
			continue
		}
		n.ins = append(n.ins, c.Outgoing(at+int64(n.v.at[i]), k, n.v.types[i]))
	}
	n.args.Ins = n.ins
}

// partsIn adds a place for each of these parts.
func partsIn(c *abi.Call, n *plan, at int64) {
	n.outs = n.outs[:0]
	for i, k := range n.v.counts {
		n.outs = append(n.outs, lands(c, n, at+int64(n.v.at[i]), k, n.v.types[i]))
	}
	n.args.Outs = n.outs
}

// vector is counts, displacements in bytes and types, one of each for a number of ranks.
type vector struct {
	counts, at []int
	types      []*abi.Datatype
}

// read reads counts, displacements in elements and the type of them for a number of ranks.
func (v *vector) read(c *abi.Call, counts, displacements, of, n int) error {
	t, err := c.Datatype(of)
	if err != nil {
		return err
	}
	v.counts = c.IntsInto(v.counts, c.Words[counts], n, c.Large)
	v.at = c.IntsInto(v.at, c.Words[displacements], n, c.Large)
	v.types = v.types[:0]
	for i := range v.at {
		if err := abi.CheckData(v.counts[i], t); err != nil {
			return err
		}
		v.at[i] *= t.Extent()
		v.types = append(v.types, t)
	}
	return nil
}

// regular sets as many elements for each rank.
func (v *vector) regular(count int, t *abi.Datatype, n int) {
	v.counts, v.at, v.types = v.counts[:0], v.at[:0], v.types[:0]
	for i := range n {
		v.counts, v.at, v.types = append(v.counts, count), append(v.at, i*count*t.Extent()), append(v.types, t)
	}
}

// readEach reads counts, displacements in bytes and types for a number of ranks.
// Displacements are wide where counts are, and those of neighbours always (MPI_Aint).
func (v *vector) readEach(c *abi.Call, counts, displacements, types, n int, wide bool) error {
	c.Lists.Ints = c.IntsInto(c.Lists.Ints, c.Words[types], n, true)
	v.counts = c.IntsInto(v.counts, c.Words[counts], n, c.Large)
	v.at = c.IntsInto(v.at, c.Words[displacements], n, wide)
	v.types = v.types[:0]
	for i, h := range c.Lists.Ints {
		t := c.TypeAt(int64(h))
		if t == nil && v.counts[i] == 0 {
			t = c.TypeAt(standard.Byte)
		}
		if t == nil {
			return abi.Wrong(standard.ErrType, "%#x is no datatype", h)
		}
		if v.counts[i] < 0 {
			return abi.Wrong(standard.ErrCount, "%d elements; expected at least 0", v.counts[i])
		}
		v.types = append(v.types, t)
	}
	return nil
}

// vectorsOf reads the data that goes to some ranks and comes from others.
func vectorsOf(c *abi.Call, n *plan, each bool, to, from int) error {
	v := &n.v
	read := v.read
	if each {
		wide := c.Large || n.near != nil
		read = func(c *abi.Call, counts, displacements, types, n int) error {
			return v.readEach(c, counts, displacements, types, n, wide)
		}
	}
	if err := read(c, 5, 6, 7, from); err != nil {
		return err
	}
	partsIn(c, n, c.Words[4])
	if c.Words[0] == standard.InPlace && !n.m.IsInter() {
		partsOut(c, n, c.Words[4])
		return nil
	}
	if err := read(c, 1, 2, 3, to); err != nil {
		return err
	}
	partsOut(c, n, c.Words[0])
	return nil
}
