// Package sparse keeps a value for each rank of a job, in memory that grows with the ranks that are
// used: in large jobs a rank communicates with few others.
package sparse

import (
	"cmp"
	"iter"
	"slices"
)

const (
	// small is how many ranks a job has at most in which all have a value at once.
	small = 16
	// dense is the share of the ranks, one in so many, from which on all have a value: a table has a
	// key for each value, and is up to half empty.
	dense = 4
	// firstSlots is the size of a table when it is made, a power of two.
	firstSlots = 8
)

// Values is a value for each rank of a job, zero at first. They are in a hash table until a good
// part of all ranks is used, then in a slice.
type Values[T any] struct {
	all   []T // by rank; nil: in the table
	ranks int

	table []slot[T] // a power of two of slots; a value lies in the first free one from its hash on
	used  int       // slots
	shift uint8     // of a hash, which leaves a slot
}

type slot[T any] struct {
	value T
	key   int32 // rank + 1; 0: the slot is free
}

// New returns values for ranks from 0 on.
func New[T any](ranks int) Values[T] { return Values[T]{ranks: ranks} }

// At returns the value of a rank. It is valid until At is called for a rank that has none yet.
func (v *Values[T]) At(rank int32) *T {
	if uint(rank) < uint(len(v.all)) {
		return &v.all[rank]
	}
	return v.find(rank)
}

// Known returns the value of a rank, or nil if At has never been called for it; then it may also be
// zero.
func (v *Values[T]) Known(rank int32) *T {
	if uint(rank) < uint(len(v.all)) {
		return &v.all[rank]
	}
	if len(v.table) == 0 {
		return nil
	}
	if s := v.slot(rank); s.key != 0 {
		return &s.value
	}
	return nil
}

// find is At for ranks whose values are in a table, or nowhere.
func (v *Values[T]) find(rank int32) *T {
	if uint(rank) >= uint(v.ranks) {
		panic("sparse: no such rank")
	}
	if len(v.table) > 0 {
		s := v.slot(rank)
		if s.key != 0 {
			return &s.value
		}
		if 4*(v.used+1) <= 3*len(v.table) {
			v.used++
			s.key = rank + 1
			return &s.value
		}
	}
	v.grow()
	return v.At(rank)
}

// slot returns the slot of a rank, or a free one where its value goes.
func (v *Values[T]) slot(rank int32) *slot[T] {
	const golden = 0x9e3779b1 // 2^32 by the golden ratio, which scatters ranks at equal distances (Knuth)
	for i := uint32(rank) * golden >> v.shift; ; i++ {
		if s := &v.table[i&uint32(len(v.table)-1)]; s.key == 0 || s.key == rank+1 {
			return s
		}
	}
}

// grow makes room for more values.
func (v *Values[T]) grow() {
	old := v.table
	if size := 2 * len(old); v.ranks <= small || size > v.ranks/dense {
		v.all, v.table = make([]T, v.ranks), nil
		for i := range old {
			if s := &old[i]; s.key != 0 {
				v.all[s.key-1] = s.value
			}
		}
		return
	}
	if v.shift--; len(old) == 0 {
		v.shift = 32 - 3
	}
	v.table = make([]slot[T], max(firstSlots, 2*len(old)))
	for i := range old {
		if s := &old[i]; s.key != 0 {
			*v.slot(s.key - 1) = *s
		}
	}
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
		for _, s := range v.inOrder() {
			if !yield(s.key-1, &s.value) {
				return
			}
		}
	}
}

// inOrder returns the slots of a table that are used, by rank.
func (v *Values[T]) inOrder() []*slot[T] {
	list := make([]*slot[T], 0, v.used)
	for i := range v.table {
		if s := &v.table[i]; s.key != 0 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *slot[T]) int { return cmp.Compare(a.key, b.key) })
	return list
}
