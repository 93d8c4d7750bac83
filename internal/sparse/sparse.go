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
	// listed is how many ranks are looked for one after the other. They are in four cache lines, and a
	// table would have more for each rank.
	listed = 4 * chunk
	// chunk is how many values are made at once. They stay where they are until there are many.
	chunk = 8
)

// Values is a value for each rank of a job, zero at first. Only the ranks that are used have one, in
// the order of their first use. When these are a good part of all, the values move, once, to an order in which
// each is found without a search: that of the ranks, where those beside a used one have a value as well.
//
// Each rank of a large job has several Values, and most have few ranks. So what these need is small, and a value lies
// behind the ranks that it is found by: it is not in the processor's cache when it is needed.
type Values[T any] struct {
	all   []T       // by rank, in a small job; else nil
	first *block[T] // values of the ranks that were used first
	many  *many[T]  // those of others; nil: there are none
	ranks int32
	used  int32 // ranks that have a value in blocks
}

// block is values with their ranks.
type block[T any] struct {
	keys   [chunk]int32
	values [chunk]T
}

// many is what Values of more ranks than a block holds have.
type many[T any] struct {
	ranged []*[chunk]T // by rank, so many after each other; those of ranks that are not used are missing. There are no blocks then
	blocks []*block[T] // behind the first
	// table finds more keys than listed: a key lies in the first free slot from its hash on. It has a
	// power of two of slots, at most three quarters of which are used.
	table []int32 // index of the value + 1; 0: the slot is free
	shift uint8   // of a hash, which leaves a slot
}

// New returns values for ranks from 0 on.
func New[T any](ranks int) Values[T] { return Values[T]{ranks: int32(ranks)} }

// At returns the value of a rank. It is valid until At is called for a rank that has none yet.
func (v *Values[T]) At(rank int32) *T {
	if uint(rank) < uint(len(v.all)) {
		return &v.all[uint(rank)] // the index that was compared, so that it is not compared again
	}
	return v.find(rank) // a call of its own, so that the way above is inlined
}

// find is At where not all ranks have a value.
func (v *Values[T]) find(rank int32) *T {
	if value := v.known(rank); value != nil {
		return value
	}
	return v.add(rank)
}

// Known returns the value of a rank, or nil if At has never been called for it; then it may also be
// zero.
func (v *Values[T]) Known(rank int32) *T {
	if uint(rank) < uint(len(v.all)) {
		return &v.all[uint(rank)]
	}
	return v.known(rank)
}

// known is Known where not all ranks have a value.
func (v *Values[T]) known(rank int32) *T {
	if v.many != nil && v.many.ranged != nil {
		return v.inRange(rank)
	}
	if i := v.index(rank); i >= 0 {
		return v.value(i)
	}
	return nil
}

// inRange is known where values lie in the order of the ranks.
func (v *Values[T]) inRange(rank int32) *T {
	if uint(rank) >= uint(v.ranks) {
		return nil
	}
	values := v.many.ranged[rank/chunk]
	if values == nil {
		return nil
	}
	return &values[rank%chunk]
}

// makeInRange returns the value of a rank where values lie in the order of the ranks.
func (v *Values[T]) makeInRange(rank int32) *T {
	values := &v.many.ranged[rank/chunk]
	if *values == nil {
		*values = new([chunk]T)
	}
	return &(*values)[rank%chunk]
}

// block returns the block of a value that has an index, and its place there.
func (v *Values[T]) block(i int) (b *block[T], at int) {
	if i < chunk {
		return v.first, i
	}
	return v.many.blocks[i/chunk-1], i % chunk
}

func (v *Values[T]) value(i int) *T {
	b, at := v.block(i)
	return &b.values[at]
}

func (v *Values[T]) key(i int) int32 {
	b, at := v.block(i)
	return b.keys[at]
}

// index returns the index of the value of a rank, -1 if it has none.
func (v *Values[T]) index(rank int32) int {
	if v.many != nil && v.many.table != nil {
		return int(*v.slot(rank)) - 1
	}
	for begin := 0; begin < int(v.used); begin += chunk {
		b, _ := v.block(begin)
		for i, key := range b.keys[:min(chunk, int(v.used)-begin)] {
			if key == rank {
				return begin + i
			}
		}
	}
	return -1
}

// slot returns the slot of a rank, or the free one where it goes.
func (v *Values[T]) slot(rank int32) *int32 {
	const golden = 0x9e3779b1 // 2^32 by the golden ratio, which scatters ranks at equal distances (Knuth)
	table := v.many.table
	for i := uint32(rank) * golden >> v.many.shift; ; i++ {
		if s := &table[i&uint32(len(table)-1)]; *s == 0 || v.key(int(*s-1)) == rank {
			return s
		}
	}
}

// add gives a rank a value.
func (v *Values[T]) add(rank int32) *T {
	if uint(rank) >= uint(v.ranks) {
		panic("sparse: no such rank")
	}
	switch {
	case v.ranks <= small:
		v.all = make([]T, v.ranks)
		return &v.all[rank]
	case v.many != nil && v.many.ranged != nil:
		return v.makeInRange(rank)
	case dense*v.used >= v.ranks:
		v.arrange()
		return v.makeInRange(rank)
	}
	i := int(v.used)
	v.used++
	b, at := v.room(i)
	b.keys[at] = rank
	switch {
	case i < listed:
	case 4*(i+1) > 3*len(v.many.table):
		v.makeTable()
	default:
		*v.slot(rank) = int32(i + 1)
	}
	return &b.values[at]
}

// room returns the block for a value, and its place there.
func (v *Values[T]) room(i int) (b *block[T], at int) {
	switch {
	case v.first == nil:
		v.first = new(block[T])
	case i < chunk:
	case v.many == nil:
		v.many = &many[T]{blocks: []*block[T]{new(block[T])}}
	case i == chunk*(1+len(v.many.blocks)):
		v.many.blocks = append(v.many.blocks, new(block[T]))
	}
	return v.block(i)
}

// Forget tells that the value of a rank is zero again. While few ranks have one, it is found for another rank then, so that
// values that are not zero for a short time only take little memory. Values that At has returned are not valid any more. It
// reports false, and does nothing, while many ranks have one, or if this rank has none.
func (v *Values[T]) Forget(rank int32) bool {
	if v.all != nil || v.many != nil && (v.many.table != nil || v.many.ranged != nil) {
		return false
	}
	i := v.index(rank)
	if i < 0 {
		return false
	}
	v.used--
	b, at := v.block(i)
	last, lastAt := v.block(int(v.used))
	b.keys[at], b.values[at] = last.keys[lastAt], last.values[lastAt]
	var zero T
	last.values[lastAt] = zero
	return true
}

// makeTable makes a table of all keys, with as much room again.
func (v *Values[T]) makeTable() {
	size := 2 * listed
	for v.many.shift = 32 - 6; 4*int(v.used) > 2*size; v.many.shift-- {
		size *= 2
	}
	v.many.table = make([]int32, size)
	for i := range int(v.used) {
		*v.slot(v.key(i)) = int32(i + 1)
	}
}

// arrange moves the values to the order of their ranks.
func (v *Values[T]) arrange() {
	if v.many == nil {
		v.many = new(many[T])
	}
	v.many.ranged = make([]*[chunk]T, (v.ranks+chunk-1)/chunk)
	for i := range int(v.used) {
		*v.makeInRange(v.key(i)) = *v.value(i)
	}
	v.used, v.first, v.many.blocks, v.many.table = 0, nil, nil, nil
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
		if v.many != nil && !v.allInRange(yield) {
			return
		}
		keys := make([]int32, v.used)
		for i := range keys {
			keys[i] = v.key(i)
		}
		slices.Sort(keys)
		for _, rank := range keys {
			if !yield(rank, v.known(rank)) {
				return
			}
		}
	}
}

// allInRange is All of the values that lie in the order of the ranks. It reports false if no more are wanted.
func (v *Values[T]) allInRange(yield func(int32, *T) bool) bool {
	for i, values := range v.many.ranged {
		if values == nil {
			continue
		}
		for j := range min(chunk, int(v.ranks)-i*chunk) {
			if !yield(int32(i*chunk+j), &values[j]) {
				return false
			}
		}
	}
	return true
}
