package mpi

import "cmp"

// Op combines the elements of several ranks into one, element by element. The
// operations of this package are made by functions such as Sum; any other is a
// literal of this type.
type Op[T any] struct {
	// Apply sets inout[i] to in[i] combined with inout[i], in this order, for every i.
	// The slices have the same length. in comes from lower ranks than inout unless the
	// operation is commutative. It has to be associative; is called for any part of the
	// elements, any number of times; may neither keep the slices nor communicate.
	Apply func(in, inout []T)
	// Commutative says that the order of two operands does not matter, which lets
	// ranks combine what has come first. Otherwise elements are combined in the order
	// of the ranks, bracketed in any way.
	Commutative bool

	id opID // of an operation of this package; see window_reduce.go
}

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

// Located is a value and where it is: an element for MaxLocation and MinLocation.
type Located[T Real] struct {
	Value T
	Index int
}

// elementwise makes a commutative operation of one on single elements.
func elementwise[T any](id opID, combine func(a, b T) T) Op[T] {
	return Op[T]{id: id, Commutative: true, Apply: func(in, inout []T) {
		for i, v := range in {
			inout[i] = combine(v, inout[i])
		}
	}}
}

// Sum adds. Floating-point sums depend on how they are bracketed, and that on the
// algorithm and the number of ranks; with the same ones they are the same again, and
// all ranks get the same.
func Sum[T Number]() Op[T] {
	return Op[T]{id: sumOp, Commutative: true, Apply: func(in, inout []T) {
		for i, v := range in {
			inout[i] += v
		}
	}}
}

// Product multiplies. Sum says what that means for floating-point numbers.
func Product[T Number]() Op[T] {
	return Op[T]{id: productOp, Commutative: true, Apply: func(in, inout []T) {
		for i, v := range in {
			inout[i] *= v
		}
	}}
}

// Max takes the larger element. It is not a number if one of them is not.
func Max[T Real]() Op[T] { return elementwise(maxOp, func(a, b T) T { return max(a, b) }) }

// Min takes the smaller element. It is not a number if one of them is not.
func Min[T Real]() Op[T] { return elementwise(minOp, func(a, b T) T { return min(a, b) }) }

// And keeps the bits that both elements have.
func And[T Integer]() Op[T] { return elementwise(andOp, func(a, b T) T { return a & b }) }

// Or keeps the bits that one of the elements has.
func Or[T Integer]() Op[T] { return elementwise(orOp, func(a, b T) T { return a | b }) }

// Xor keeps the bits that exactly one of the elements has.
func Xor[T Integer]() Op[T] { return elementwise(xorOp, func(a, b T) T { return a ^ b }) }

// LogicalAnd tells whether both elements are true.
func LogicalAnd[T ~bool]() Op[T] { return elementwise(logicalAndOp, func(a, b T) T { return a && b }) }

// LogicalOr tells whether one of the elements is true.
func LogicalOr[T ~bool]() Op[T] { return elementwise(logicalOrOp, func(a, b T) T { return a || b }) }

// LogicalXor tells whether exactly one of the elements is true.
func LogicalXor[T ~bool]() Op[T] { return elementwise(logicalXorOp, func(a, b T) T { return a != b }) }

// MaxLocation takes the element with the largest value, and of several such ones
// that with the smallest index. What is not a number counts as less than all others.
func MaxLocation[T Real]() Op[Located[T]] {
	return elementwise(maxLocationOp, func(a, b Located[T]) Located[T] {
		return first(a, b, cmp.Compare(b.Value, a.Value))
	})
}

// MinLocation takes the element with the smallest value, and of several such ones
// that with the smallest index. What is not a number counts as less than all others.
func MinLocation[T Real]() Op[Located[T]] {
	return elementwise(minLocationOp, func(a, b Located[T]) Located[T] {
		return first(a, b, cmp.Compare(a.Value, b.Value))
	})
}

// first returns a if order is negative, b if it is positive, and else the one with
// the smaller index.
func first[T Real](a, b Located[T], order int) Located[T] {
	if cmp.Or(order, cmp.Compare(a.Index, b.Index)) < 0 {
		return a
	}
	return b
}
