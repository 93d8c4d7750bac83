package reduction

import "cmp"

// Integer is the types that bitwise operations are for.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Real is the types that have an order.
type Real interface {
	Integer | ~float32 | ~float64
}

// Number is the types that can be added and multiplied.
type Number interface {
	Real | ~complex64 | ~complex128
}

// Sum adds.
func Sum[T Number](in, inout []T) {
	for i, v := range in {
		inout[i] += v
	}
}

// Product multiplies.
func Product[T Number](in, inout []T) {
	for i, v := range in {
		inout[i] *= v
	}
}

// Max takes the larger element, or what is not a number.
func Max[T Real](in, inout []T) {
	for i, v := range in {
		inout[i] = max(v, inout[i])
	}
}

// Min takes the smaller element, or what is not a number.
func Min[T Real](in, inout []T) {
	for i, v := range in {
		inout[i] = min(v, inout[i])
	}
}

// And keeps the bits that both elements have.
func And[T Integer](in, inout []T) {
	for i, v := range in {
		inout[i] &= v
	}
}

// Or keeps the bits that one of the elements has.
func Or[T Integer](in, inout []T) {
	for i, v := range in {
		inout[i] |= v
	}
}

// Xor keeps the bits that exactly one of the elements has.
func Xor[T Integer](in, inout []T) {
	for i, v := range in {
		inout[i] ^= v
	}
}

// LogicalAnd tells whether both elements are true.
func LogicalAnd[T ~bool](in, inout []T) {
	for i, v := range in {
		inout[i] = v && inout[i]
	}
}

// LogicalOr tells whether one of the elements is true.
func LogicalOr[T ~bool](in, inout []T) {
	for i, v := range in {
		inout[i] = v || inout[i]
	}
}

// LogicalXor tells whether exactly one of the elements is true.
func LogicalXor[T ~bool](in, inout []T) {
	for i, v := range in {
		inout[i] = v != inout[i]
	}
}

// Replace takes the element that is given.
func Replace[T any](in, inout []T) { copy(inout, in) }

// NoOp leaves the element that is there.
func NoOp[T any](_, _ []T) {}

// located is a value and where it is.
type located[T Real] struct {
	value T
	index int
}

// maxLocation takes the element with the largest value, and of several such ones that with the
// smallest index. What is not a number counts as less than all others.
func maxLocation[T Real](in, inout []located[T]) {
	for i, v := range in {
		inout[i] = first(v, inout[i], cmp.Compare(inout[i].value, v.value))
	}
}

// minLocation takes the element with the smallest value, and of several such ones that with the
// smallest index. What is not a number counts as less than all others.
func minLocation[T Real](in, inout []located[T]) {
	for i, v := range in {
		inout[i] = first(v, inout[i], cmp.Compare(v.value, inout[i].value))
	}
}

// first returns a if order is negative, b if it is positive, and else the one with the smaller
// index.
func first[T Real](a, b located[T], order int) located[T] {
	if cmp.Or(order, cmp.Compare(a.index, b.index)) < 0 {
		return a
	}
	return b
}
