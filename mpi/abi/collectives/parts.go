package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
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

// partsOut returns the packed data of parts of an array, each of some elements at a displacement. unit
// is the bytes that displacements count.
func partsOut(c *abi.Call, at int64, counts, displacements []int, types []*abi.Datatype) [][]byte {
	all := make([][]byte, len(counts))
	for i, n := range counts {
		all[i] = c.Outgoing(at+int64(displacements[i]), n, types[i])
	}
	return all
}

func partsIn(c *abi.Call, n *plan, at int64, counts, displacements []int, types []*abi.Datatype) [][]byte {
	all := make([][]byte, len(counts))
	for i, k := range counts {
		all[i] = lands(c, n, at+int64(displacements[i]), k, types[i])
	}
	return all
}

// vector reads counts, displacements in elements and the type of them for a number of ranks.
func vector(c *abi.Call, counts, displacements, of, n int) ([]int, []int, []*abi.Datatype, error) {
	t, err := c.Datatype(of)
	if err != nil {
		return nil, nil, nil, err
	}
	list, at := c.Ints(c.Words[counts], n, c.Large), c.Ints(c.Words[displacements], n, c.Large)
	types := make([]*abi.Datatype, n)
	for i := range at {
		if err := abi.CheckData(list[i], t); err != nil {
			return nil, nil, nil, err
		}
		at[i] *= t.Extent()
		types[i] = t
	}
	return list, at, types, nil
}

// regular is counts, displacements and types of as many elements for each rank.
func regular(count int, t *abi.Datatype, n int) (counts, at []int, types []*abi.Datatype) {
	for i := range n {
		counts, at, types = append(counts, count), append(at, i*count*t.Extent()), append(types, t)
	}
	return counts, at, types
}

// eachOf reads counts, displacements in bytes and types for a number of ranks.
func eachOf(c *abi.Call, counts, displacements, types, n int) ([]int, []int, []*abi.Datatype, error) {
	list, at := c.Ints(c.Words[counts], n, c.Large), c.Ints(c.Words[displacements], n, c.Large)
	of := make([]*abi.Datatype, n)
	for i, h := range c.Ints(c.Words[types], n, true) {
		t := c.TypeAt(int64(h))
		if t == nil {
			if list[i] == 0 {
				t = c.TypeAt(standard.Byte)
			} else {
				return nil, nil, nil, abi.Wrong(standard.ErrType, "%#x is no datatype", h)
			}
		}
		if of[i] = t; list[i] < 0 {
			return nil, nil, nil, abi.Wrong(standard.ErrCount, "%d elements; expected at least 0", list[i])
		}
	}
	return list, at, of, nil
}

// vectorsOf reads the data that goes to some ranks and comes from others.
func vectorsOf(c *abi.Call, n *plan, each bool, to, from int) error {
	read := vector
	if each {
		read = eachOf
	}
	counts, at, types, err := read(c, 5, 6, 7, from)
	if err != nil {
		return err
	}
	n.args.Outs = partsIn(c, n, c.Words[4], counts, at, types)
	if c.Words[0] == standard.InPlace && !n.m.IsInter() {
		n.args.Ins = partsOut(c, c.Words[4], counts, at, types)
		for i := range n.args.Ins {
			n.args.Ins[i] = append([]byte(nil), n.args.Ins[i]...)
		}
		return nil
	}
	if counts, at, types, err = read(c, 1, 2, 3, to); err == nil {
		n.args.Ins = partsOut(c, c.Words[0], counts, at, types)
	}
	return err
}
