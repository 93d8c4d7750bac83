// Package sparse keeps a value for each rank of a job, in memory that grows with the ranks that are
// used: in large jobs a rank communicates with few others.
package sparse

import (
	"iter"
	"slices"
)

const (
	// small is how many ranks a job has at most in which all have a value at once.
	small = 64
	// dense is the share of the ranks, one in so many, from which on values lie in the order of their ranks.
	dense = 8
	// listed is how many ranks are looked for one after the other. They are in two cache lines, and a
	// table would have more for each rank.
	listed = 32
	// chunk is how many values are made at once. They stay where they are until there are many.
	chunk = 8
)

// Values is a value for each rank of a job, zero at first. Only the ranks that are used have one, in
// the order of their first use. When these are a good part of all, the values move, once, to an order in which
// each is found without a search: that of the ranks, where those beside a used one have a value as well.
type Values[T any] struct {
	all    []T         // by rank, in a small job; else nil
	ranged []*[chunk]T // by rank, so many after each other; those of ranks that are not used are missing
	ranks  int

	keys   []int32 // ranks that have a value
	chunks []*[chunk]T
	// table finds more keys than listed: a key lies in the first free slot from its hash on. It has a
	// power of two of slots, at most three quarters of which are used.
	table []int32 // index in keys + 1; 0: the slot is free
	shift uint8   // of a hash, which leaves a slot
}

// New returns values for ranks from 0 on.
func New[T any](ranks int) Values[T] { return Values[T]{ranks: ranks} }

// At returns the value of a rank. It is valid until At is called for a rank that has none yet.
func (v *Values[T]) At(rank int32) *T {
	if uint(rank) < uint(len(v.all)) {
		return &v.all[uint(rank)] // the index that was compared, so that it is not compared again
	}
	return v.find(rank) // a call of its own, so that the way above is inlined
}

// find is At where not all ranks have a value.
func (v *Values[T]) find(rank int32) *T {
	if v.ranged != nil {
		return v.inRange(rank)
	}
	if i := v.index(rank); i >= 0 {
		return v.value(i)
	}
	return v.add(rank)
}

// inRange is At where values lie in the order of the ranks.
func (v *Values[T]) inRange(rank int32) *T {
	v.check(rank)
	values := &v.ranged[rank/chunk]
	if *values == nil {
		*values = new([chunk]T)
	}
	return &(*values)[rank%chunk]
}

// check panics if there is no such rank.
func (v *Values[T]) check(rank int32) {
	if uint(rank) >= uint(v.ranks) {
		panic("sparse: no such rank")
	}
}

// Known returns the value of a rank, or nil if At has never been called for it; then it may also be
// zero.
func (v *Values[T]) Known(rank int32) *T {
	if uint(rank) < uint(len(v.all)) {
		return &v.all[rank]
	}
	if v.ranged != nil {
		if uint(rank) < uint(v.ranks) && v.ranged[rank/chunk] != nil {
			return &v.ranged[rank/chunk][rank%chunk]
		}
		return nil
	}
	if i := v.index(rank); i >= 0 {
		return v.value(i)
	}
	return nil
}

func (v *Values[T]) value(i int) *T { return &v.chunks[i/chunk][i%chunk] }

// index returns where a rank is in keys, -1 if it has no value.
func (v *Values[T]) index(rank int32) int {
	if v.table != nil {
		return int(*v.slot(rank)) - 1
	}
	for i, key := range v.keys {
		if key == rank {
			return i
		}
	}
	return -1
}

// slot returns the slot of a rank, or the free one where it goes.
func (v *Values[T]) slot(rank int32) *int32 {
	const golden = 0x9e3779b1 // 2^32 by the golden ratio, which scatters ranks at equal distances (Knuth)
	for i := uint32(rank) * golden >> v.shift; ; i++ {
		if s := &v.table[i&uint32(len(v.table)-1)]; *s == 0 || v.keys[*s-1] == rank {
			return s
		}
	}
}

// add gives a rank a value.
func (v *Values[T]) add(rank int32) *T {
	v.check(rank)
	switch {
	case v.ranks <= small:
		v.all = make([]T, v.ranks)
		return &v.all[rank]
	case dense*len(v.keys) >= v.ranks:
		v.arrange()
		return v.inRange(rank)
	}
	i := len(v.keys)
	if i == chunk*len(v.chunks) {
		v.chunks = append(v.chunks, new([chunk]T))
	}
	v.keys = append(v.keys, rank)
	switch {
	case i < listed:
	case 4*(i+1) > 3*len(v.table):
		v.makeTable()
	default:
		*v.slot(rank) = int32(i + 1)
	}
	return v.value(i)
}

// Forget tells that the value of a rank is zero again. While few ranks have one, it is found for another rank then, so that
// values that are not zero for a short time only take little memory. Values that At has returned are not valid any more.
func (v *Values[T]) Forget(rank int32) {
	if v.all != nil || v.table != nil || v.ranged != nil {
		return
	}
	i, last := v.index(rank), len(v.keys)-1
	if i < 0 {
		return
	}
	v.keys[i] = v.keys[last]
	v.keys = v.keys[:last]
	var zero T
	*v.value(i) = *v.value(last)
	*v.value(last) = zero
}

// makeTable makes a table of all keys, with as much room again.
func (v *Values[T]) makeTable() {
	size := 2 * listed
	for v.shift = 32 - 6; 4*len(v.keys) > 2*size; v.shift-- {
		size *= 2
	}
	v.table = make([]int32, size)
	for i, rank := range v.keys {
		*v.slot(rank) = int32(i + 1)
	}
}

// arrange moves the values to the order of their ranks.
func (v *Values[T]) arrange() {
	v.ranged = make([]*[chunk]T, (v.ranks+chunk-1)/chunk)
	for i, rank := range v.keys {
		*v.inRange(rank) = *v.value(i)
	}
	v.keys, v.chunks, v.table = nil, nil, nil
}

// All yields the values of the ranks that have one, by rank; others may be among them, which are
// zero.
func (v *Values[T]) All() iter.Seq2[int32, *T] {
	return func(yield func(int32, *T) bool) {
		for rank := range v.all {
			if !yield(int32(rank), &v.all[rank]) {
				return
			}
		}
		for i, values := range v.ranged {
			if values == nil {
				continue
			}
			for j := range min(chunk, v.ranks-i*chunk) {
				if !yield(int32(i*chunk+j), &values[j]) {
					return
				}
			}
		}
		for _, rank := range slices.Sorted(slices.Values(v.keys)) {
			if !yield(rank, v.Known(rank)) {
				return
			}
		}
	}
}
