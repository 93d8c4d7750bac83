package reduction

import (
	"musubi/mpi/internal/elements"
	"reflect"
)

// table has the operations that messages can name, by number and kind; nil where an operation
// is not for such elements.
type table [LastID + 1][LastKind + 1]function

var functions = makeTable()

// Of returns the function of an operation on elements of a kind, nil if there is none.
func Of(id ID, kind Kind) function { return functions[id][kind] }

func makeTable() *table {
	t := new(table)
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
	b := kindOf[bool]()
	add(t, LogicalAndID, b, LogicalAnd[bool])
	add(t, LogicalOrID, b, LogicalOr[bool])
	add(t, LogicalXorID, b, LogicalXor[bool])
	addMoves[bool](t, b)
	addForeign(t)
	addLongDouble(t)
	vectorise(t)
	return t
}

func addInteger[T Integer](t *table) {
	addReal[T](t)
	k := kindOf[T]()
	add(t, AndID, k, And[T])
	add(t, OrID, k, Or[T])
	add(t, XorID, k, Xor[T])
}

func addReal[T Real](t *table) {
	addNumber[T](t)
	k := kindOf[T]()
	add(t, MaxID, k, Max[T])
	add(t, MinID, k, Min[T])
	add(t, MaxLocationID, Located+k, maxLocation[T])
	add(t, MinLocationID, Located+k, minLocation[T])
	addMoves[located[T]](t, Located+k)
	add(t, LogicalAndID, k, truth[T](func(a, b bool) bool { return a && b }))
	add(t, LogicalOrID, k, truth[T](func(a, b bool) bool { return a || b }))
	add(t, LogicalXorID, k, truth[T](func(a, b bool) bool { return a != b }))
}

func addNumber[T Number](t *table) {
	k := kindOf[T]()
	add(t, SumID, k, Sum[T])
	add(t, ProductID, k, Product[T])
	addMoves[T](t, k)
}

func addMoves[T any](t *table, k Kind) {
	add(t, ReplaceID, k, Replace[T])
	add(t, NoOpID, k, NoOp[T])
}

func kindOf[T any]() Kind { return Kind(reflect.TypeFor[T]().Kind()) }

// add adds a function on elements of one type as a function on their memory.
func add[T any](t *table, id ID, k Kind, f func(in, inout []T)) {
	t[id][k] = func(in, inout []byte) { f(elements.Of[T](in), elements.Of[T](inout)) }
}

// truth returns an operation on truth values that are numbers: every one but 0 is true.
func truth[T Real](apply func(a, b bool) bool) func(in, inout []T) {
	return func(in, inout []T) {
		for i, a := range in {
			is := apply(a != 0, inout[i] != 0)
			inout[i] = 0
			if is {
				inout[i] = 1
			}
		}
	}
}
