package mpi

import (
	"reflect"

	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/reduction"
)

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

	id reduction.ID // reduction.User unless it is one of this package
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

// Sum adds. Floating-point sums depend on how they are bracketed, and that on the
// algorithm and the number of ranks; with the same ones they are the same again, and
// all ranks get the same.
func Sum[T Number]() Op[T] {
	return Op[T]{id: reduction.SumID, Commutative: true, Apply: reduction.Sum[T]}
}

// Product multiplies. Sum says what that means for floating-point numbers.
func Product[T Number]() Op[T] {
	return Op[T]{id: reduction.ProductID, Commutative: true, Apply: reduction.Product[T]}
}

// Max takes the larger element. It is not a number if one of them is not.
func Max[T Real]() Op[T] {
	return Op[T]{id: reduction.MaxID, Commutative: true, Apply: reduction.Max[T]}
}

// Min takes the smaller element. It is not a number if one of them is not.
func Min[T Real]() Op[T] {
	return Op[T]{id: reduction.MinID, Commutative: true, Apply: reduction.Min[T]}
}

// And keeps the bits that both elements have.
func And[T Integer]() Op[T] {
	return Op[T]{id: reduction.AndID, Commutative: true, Apply: reduction.And[T]}
}

// Or keeps the bits that one of the elements has.
func Or[T Integer]() Op[T] {
	return Op[T]{id: reduction.OrID, Commutative: true, Apply: reduction.Or[T]}
}

// Xor keeps the bits that exactly one of the elements has.
func Xor[T Integer]() Op[T] {
	return Op[T]{id: reduction.XorID, Commutative: true, Apply: reduction.Xor[T]}
}

// LogicalAnd tells whether both elements are true.
func LogicalAnd[T ~bool]() Op[T] {
	return Op[T]{id: reduction.LogicalAndID, Commutative: true, Apply: reduction.LogicalAnd[T]}
}

// LogicalOr tells whether one of the elements is true.
func LogicalOr[T ~bool]() Op[T] {
	return Op[T]{id: reduction.LogicalOrID, Commutative: true, Apply: reduction.LogicalOr[T]}
}

// LogicalXor tells whether exactly one of the elements is true.
func LogicalXor[T ~bool]() Op[T] {
	return Op[T]{id: reduction.LogicalXorID, Commutative: true, Apply: reduction.LogicalXor[T]}
}

// MaxLocation takes the element with the largest value, and of several such ones
// that with the smallest index. What is not a number counts as less than all others.
func MaxLocation[T Real]() Op[Located[T]] { return onLocated[T](reduction.MaxLocationID) }

// MinLocation takes the element with the smallest value, and of several such ones
// that with the smallest index. What is not a number counts as less than all others.
func MinLocation[T Real]() Op[Located[T]] { return onLocated[T](reduction.MinLocationID) }

func onLocated[T Real](id reduction.ID) Op[Located[T]] {
	apply := reduction.Of(id, reduction.KindOf(reflect.TypeFor[Located[T]]()))
	return Op[Located[T]]{id: id, Commutative: true, Apply: func(in, inout []Located[T]) { apply(elements.Memory(in), elements.Memory(inout)) }}
}

// Replace takes the element that is given, for Accumulate and the operations like it: a Put
// that is atomic in each element.
func Replace[T any]() Op[T] {
	return Op[T]{id: reduction.ReplaceID, Apply: reduction.Replace[T]}
}

// NoOp leaves the element as it is, for GetAccumulate and FetchAndOp: a Get that is atomic
// in each element. The elements that are given do not matter.
func NoOp[T any]() Op[T] { return Op[T]{id: reduction.NoOpID, Apply: reduction.NoOp[T]} }

// check fails if the operation cannot be carried out.
func (op *Op[T]) check(c *collective.Comm, call string) error {
	if err := checkElement[T](); err != nil {
		return c.Fail(fault.Type, call, err)
	}
	if op.Apply == nil {
		return c.Failf(fault.Op, call, "an operation without Apply; expected one, such as Sum")
	}
	return nil
}

// onMemory returns the operation as one on the memory of elements.
func (op *Op[T]) onMemory() reduction.Op {
	r := reduction.Op{Commutative: op.Commutative, ID: op.id, Kind: reduction.KindOf(reflect.TypeFor[T]())}
	if r.Apply = reduction.Of(op.id, r.Kind); r.Apply == nil {
		apply := op.Apply
		r.Apply = func(in, inout []byte) { apply(elements.Of[T](in), elements.Of[T](inout)) }
	}
	return r
}
