package mpi

import (
	"reflect"
	"strings"
)

// opID names an operation of this package in messages.
type opID uint8

const (
	userOp opID = iota // any other one
	sumOp
	productOp
	maxOp
	minOp
	andOp
	orOp
	xorOp
	logicalAndOp
	logicalOrOp
	logicalXorOp
	maxLocationOp
	minLocationOp
	replaceOp
	noOp
	lastOp = noOp
)

// Replace takes the element that is given, for Accumulate and its kin: a Put that is
// atomic in each element.
func Replace[T any]() Op[T] {
	return Op[T]{id: replaceOp, Apply: func(in, inout []T) { copy(inout, in) }}
}

// NoOp leaves the element that is there, for GetAccumulate and FetchAndOp: a Get that
// is atomic in each element. The elements that are given do not matter.
func NoOp[T any]() Op[T] { return Op[T]{id: noOp, Apply: func(_, _ []T) {}} }

// elementKind is what elements of a window are, as far as operations mind: a
// reflect.Kind, or that of a located value and located; 0 if there are no operations.
type elementKind uint8

const (
	located  elementKind = 32
	lastKind             = located + elementKind(reflect.Complex128)
)

// kindOf returns the kind of elements of a type.
func kindOf[T any]() elementKind {
	t := reflect.TypeFor[T]()
	switch {
	case isNumber(t.Kind()):
		return elementKind(t.Kind())
	case isLocated(t):
		return located + elementKind(t.Field(0).Type.Kind())
	}
	return 0
}

// isLocated reports whether a type is one of Located.
func isLocated(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[Located[int]]().PkgPath() && strings.HasPrefix(t.Name(), "Located[")
}

// isWhole reports whether elements are integers or booleans.
func (k elementKind) isWhole() bool { return k > 0 && k <= elementKind(reflect.Uint64) }

// isSigned reports whether elements are integers with a sign.
func (k elementKind) isSigned() bool {
	return k >= elementKind(reflect.Int) && k <= elementKind(reflect.Int64)
}

// reducer combines elements in memory: those of inout become in combined with inout.
type reducer func(in, inout []byte)

// reducers are the operations that messages can name, by operation and kind; nil where
// an operation is not for such elements.
var reducers = makeReducers()

// reducerOf returns the one for an operation on elements of a kind, nil if there is
// none.
func reducerOf(op opID, kind elementKind) reducer { return reducers[op][kind] }

type reducerTable [lastOp + 1][lastKind + 1]reducer

func makeReducers() *reducerTable {
	t := new(reducerTable)
	addInteger[int](t)
	addInteger[int8](t)
	addInteger[int16](t)
	addInteger[int32](t)
	addInteger[int64](t)
	addInteger[uint](t)
	addInteger[uint8](t)
	addInteger[uint16](t)
	addInteger[uint32](t)
	addInteger[uint64](t)
	addReal[float32](t)
	addReal[float64](t)
	addNumber[complex64](t)
	addNumber[complex128](t)
	add(t, LogicalAnd[bool](), LogicalOr[bool](), LogicalXor[bool](), Replace[bool](), NoOp[bool]())
	return t
}

func addInteger[T Integer](t *reducerTable) {
	addReal[T](t)
	add(t, And[T](), Or[T](), Xor[T]())
}

func addReal[T Real](t *reducerTable) {
	addNumber[T](t)
	add(t, Max[T](), Min[T]())
	add(t, MaxLocation[T](), MinLocation[T](), Replace[Located[T]](), NoOp[Located[T]]())
}

func addNumber[T Number](t *reducerTable) {
	add(t, Sum[T](), Product[T](), Replace[T](), NoOp[T]())
}

// add enters operations on elements of one type.
func add[T any](t *reducerTable, ops ...Op[T]) {
	for _, op := range ops {
		t[op.id][kindOf[T]()] = op.operator().apply
	}
}
