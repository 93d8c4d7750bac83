package reduction

import "musubi/mpi/internal/elements"

// Kinds of pairs as other languages have them: a value with a place behind it.
const (
	FloatInt Kind = LastOfGo + 1 + iota
	DoubleInt
	LongInt
	IntInt
	ShortInt
	LongDoubleInt
	TwoReals
	TwoDoubles
	// LongDouble and LongDoubleComplex are numbers of C, and no pairs.
	LongDouble
	LongDoubleComplex
	// LastKind is the largest kind.
	LastKind = LongDoubleComplex
)

// IsForeign reports whether elements are pairs of another language.
func (k Kind) IsForeign() bool { return k > LastOfGo && k < LongDouble }

// pair is a value with its place.
type pair[T Real] struct {
	value T
	place int32
}

// longDoubleInt is a long double and its place.
type longDoubleInt struct {
	value longDouble
	place int32
	_     [12]byte
}

func addForeign(t *table) {
	addPair[float32](t, FloatInt)
	addPair[float64](t, DoubleInt)
	addPair[int64](t, LongInt)
	addPair[int32](t, IntInt)
	addPair[int16](t, ShortInt)
	addTwo[float32](t, TwoReals)
	addTwo[float64](t, TwoDoubles)
	addOrdered(t, LongDoubleInt, func(a, b *longDoubleInt) (int, int32, int32) { return a.value.order(&b.value), a.place, b.place })
}

func addPair[T Real](t *table, k Kind) {
	addOrdered(t, k, func(a, b *pair[T]) (int, int32, int32) { return order(a.value, b.value), a.place, b.place })
}

// addTwo adds pairs whose place is a number of the kind of the value.
func addTwo[T Real](t *table, k Kind) {
	addOrdered(t, k, func(a, b *[2]T) (int, int32, int32) { return order(a[0], b[0]), int32(a[1]), int32(b[1]) })
}

func addOrdered[P any](t *table, k Kind, compare func(a, b *P) (int, int32, int32)) {
	t[MinLocationID][k] = locatedOn(false, compare)
	t[MaxLocationID][k] = locatedOn(true, compare)
	addMoves[P](t, k)
}

func order[T Real](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func locatedOn[P any](largest bool, compare func(a, b *P) (int, int32, int32)) func(in, inout []byte) {
	return func(in, inout []byte) {
		a, b := elements.Of[P](in), elements.Of[P](inout)
		for i := range a {
			o, x, y := compare(&a[i], &b[i])
			if largest {
				o = -o
			}
			if o < 0 || o == 0 && x < y {
				b[i] = a[i]
			}
		}
	}
}
