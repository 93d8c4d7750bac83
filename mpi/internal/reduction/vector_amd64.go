package reduction

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"musubi/mpi/internal/elements"
)

// vectorFunction combines memory in vectors. Bytes is a positive multiple of 64.
type vectorFunction func(in, inout *byte, bytes int)

//go:noescape
func sumInt8(in, inout *byte, bytes int)

//go:noescape
func sumInt16(in, inout *byte, bytes int)

//go:noescape
func sumInt32(in, inout *byte, bytes int)

//go:noescape
func sumInt64(in, inout *byte, bytes int)

//go:noescape
func sumFloat32(in, inout *byte, bytes int)

//go:noescape
func sumFloat64(in, inout *byte, bytes int)

//go:noescape
func and(in, inout *byte, bytes int)

//go:noescape
func or(in, inout *byte, bytes int)

//go:noescape
func xor(in, inout *byte, bytes int)

//go:noescape
func minFloat32(in, inout *byte, bytes int)

//go:noescape
func minFloat64(in, inout *byte, bytes int)

//go:noescape
func maxFloat32(in, inout *byte, bytes int)

//go:noescape
func maxFloat64(in, inout *byte, bytes int)

//go:noescape
func minInt32(in, inout *byte, bytes int)

//go:noescape
func minInt64(in, inout *byte, bytes int)

//go:noescape
func maxInt32(in, inout *byte, bytes int)

//go:noescape
func maxInt64(in, inout *byte, bytes int)

//go:noescape
func productFloat32(in, inout *byte, bytes int)

//go:noescape
func productFloat64(in, inout *byte, bytes int)

// vectorise replaces functions of a table by such as combine vectors: the compiler makes no vector
// instructions of loops.
func vectorise(t *table) {
	vectoriseInteger[int8](t, sumInt8)
	vectoriseInteger[uint8](t, sumInt8)
	vectoriseInteger[int16](t, sumInt16)
	vectoriseInteger[uint16](t, sumInt16)
	vectoriseInteger[int32](t, sumInt32)
	vectoriseInteger[uint32](t, sumInt32)
	vectoriseInteger[int64](t, sumInt64)
	vectoriseInteger[uint64](t, sumInt64)
	vectoriseInteger[int](t, sumInt64)
	vectoriseInteger[uint](t, sumInt64)
	inVectors(t, SumID, sumFloat32, Sum[float32])
	inVectors(t, SumID, sumFloat64, Sum[float64])
	inVectors(t, SumID, sumFloat32, Sum[complex64])
	inVectors(t, SumID, sumFloat64, Sum[complex128])
	inVectors(t, ProductID, productFloat32, Product[float32])
	inVectors(t, ProductID, productFloat64, Product[float64])
	vectoriseOrder[float32](t, minFloat32, maxFloat32)
	vectoriseOrder[float64](t, minFloat64, maxFloat64)
	vectoriseOrder[int32](t, minInt32, maxInt32)
	if cpu.X86.HasSSE42 {
		vectoriseOrder[int64](t, minInt64, maxInt64)
		vectoriseOrder[int](t, minInt64, maxInt64)
	}
	inVectors(t, LogicalAndID, and, LogicalAnd[bool])
	inVectors(t, LogicalOrID, or, LogicalOr[bool])
	inVectors(t, LogicalXorID, xor, LogicalXor[bool])
}

func vectoriseInteger[T Integer](t *table, sum vectorFunction) {
	inVectors(t, SumID, sum, Sum[T])
	inVectors(t, AndID, and, And[T])
	inVectors(t, OrID, or, Or[T])
	inVectors(t, XorID, xor, Xor[T])
}

func vectoriseOrder[T Real](t *table, smaller, larger vectorFunction) {
	inVectors(t, MinID, smaller, Min[T])
	inVectors(t, MaxID, larger, Max[T])
}

// inVectors lets an operation combine what is left by vectors one by one.
func inVectors[T any](t *table, id ID, vectors vectorFunction, oneByOne func(in, inout []T)) {
	t[id][kindOf[T]()] = func(in, inout []byte) {
		inout = inout[:len(in)]
		if whole := len(in) &^ 63; whole > 0 {
			vectors(unsafe.SliceData(in), unsafe.SliceData(inout), whole)
			in, inout = in[whole:], inout[whole:]
		}
		oneByOne(elements.Of[T](in), elements.Of[T](inout))
	}
}
