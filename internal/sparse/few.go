package sparse

import "iter"

// Few is Values of which hardly ever more than one is not zero. That one lies where the Few is: to find it, no other memory is
// looked at, and most need none.
type Few[T any] struct {
	holds  int32 // whose value one is, and 1; 0: nobody's
	one    T
	others Values[T]
}

// NewFew returns values for ranks from 0 on.
func NewFew[T any](ranks int) Few[T] { return Few[T]{others: New[T](ranks)} }

// At returns the value of a rank. It is valid until At is called for a rank that has none yet, or a value is forgotten.
func (f *Few[T]) At(rank int32) *T {
	if rank == f.holds-1 && rank >= 0 {
		return &f.one
	}
	return f.other(rank)
}

// other is At of a rank whose value is not the one.
func (f *Few[T]) other(rank int32) *T {
	if value := f.others.Known(rank); value != nil {
		return value
	}
	if f.holds == 0 && uint(rank) < uint(f.others.ranks) {
		f.holds = rank + 1
		return &f.one
	}
	return f.others.At(rank)
}

// Known returns the value of a rank, or nil if At has never been called for it; then it may also be zero.
func (f *Few[T]) Known(rank int32) *T {
	if rank == f.holds-1 && rank >= 0 {
		return &f.one
	}
	return f.others.Known(rank)
}

// Forget tells that the value of a rank is zero again, as that of Values does.
func (f *Few[T]) Forget(rank int32) bool {
	if rank != f.holds-1 || rank < 0 {
		return f.others.Forget(rank)
	}
	var zero T
	f.holds, f.one = 0, zero
	return true
}

// All yields the values of the ranks that have one, by rank; others may be among them, which are zero.
func (f *Few[T]) All() iter.Seq2[int32, *T] {
	return func(yield func(int32, *T) bool) {
		one := f.holds - 1 // -1 once it has been told of
		for rank, value := range f.others.All() {
			if one >= 0 && one <= rank {
				if !yield(one, &f.one) {
					return
				}
				if one == rank { // of a small job, where each has one there as well
					one = -1
					continue
				}
				one = -1
			}
			if !yield(rank, value) {
				return
			}
		}
		if one >= 0 {
			yield(one, &f.one)
		}
	}
}
