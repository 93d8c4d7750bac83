package tables

import (
	"slices"

	"musubi/routing"
)

// PairTable holds a small number for every ordered pair of end points. The row of
// a source has one element if the number is the same for all destinations, else
// one per end point.
type PairTable [][]uint8

// At returns the number of a pair.
func (t PairTable) At(src, dst int) int {
	row := t[src]
	if len(row) == 1 {
		return int(row[0])
	}
	return int(row[dst])
}

// NewPairTable returns a table for n end points that is 0 everywhere.
func NewPairTable(n int) PairTable {
	t := make(PairTable, n)
	for i := range t {
		t[i] = []uint8{0}
	}
	return t
}

func (t PairTable) clone() PairTable {
	c := make(PairTable, len(t))
	for i, row := range t {
		c[i] = slices.Clone(row)
	}
	return c
}

// set changes the number of one pair.
func (t PairTable) set(src, dst int, v uint8) {
	if row := t[src]; len(row) == 1 {
		if row[0] == v {
			return
		}
		t[src] = make([]uint8, len(t))
		for i := range t[src] {
			t[src][i] = row[0]
		}
	}
	t[src][dst] = v
}

// newRow makes the row of a source from the numbers of all pairs with known set; it has one element
// if they are equal.
func newRow(values []uint8, known []bool) []uint8 {
	first := -1
	for i, k := range known {
		switch {
		case !k:
		case first < 0:
			first = i
		case values[i] != values[first]:
			return append([]uint8(nil), values...)
		}
	}
	if first < 0 {
		return []uint8{0}
	}
	return []uint8{values[first]}
}

// initialVCs collects the virtual channels on which packets enter the network.
func initialVCs(r *routing.Routes) PairTable {
	n := len(r.Net.EndPoints)
	t := make(PairTable, n)
	for src := range n {
		values, known := make([]uint8, n), make([]bool, n)
		for dst := range n {
			if id := r.PathID(src, dst); id >= 0 && src != dst {
				vc, _ := r.HostVCs(id)
				values[dst], known[dst] = uint8(vc), true
			}
		}
		t[src] = newRow(values, known)
	}
	return t
}
