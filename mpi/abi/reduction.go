package abi

import (
	"reflect"
	"unsafe"

	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/reduction"
)

func kindOf(k reflect.Kind) reduction.Kind { return reduction.Kind(k) }

// operation is a reduction of the program's own.
type operation struct {
	function    int64
	commutative bool
	large       bool // its length is an MPI_Count
}

// usual are the operations that package reduction has.
var usual = map[int64]reduction.ID{
	cSum: reduction.SumID, cProd: reduction.ProductID, cMax: reduction.MaxID, cMin: reduction.MinID, cBand: reduction.AndID, cBor: reduction.OrID, cBxor: reduction.XorID,
	cReplace: reduction.ReplaceID, cNoOp: reduction.NoOpID,
}

// reductionOf returns the operation of a handle on elements of a type, and the bytes of an element as
// it takes them. spread says that it takes them as they lie in memory, with gaps.
func (p *Process) reductionOf(h int64, t *datatype) (op reduction.Op, bytes int, spread bool, err error) {
	if own := p.ops.get(h); own != nil {
		op, bytes = p.ownReduction(own, t)
		return op, bytes, true, nil
	}
	e := t.element
	switch {
	case h == cMinloc || h == cMaxloc:
		if apply := located(e.basic, h == cMaxloc); apply != nil {
			return reduction.Op{Commutative: true, Apply: apply}, e.bytes, true, nil
		}
	case h == cLand || h == cLor || h == cLxor:
		if apply := logical(e.kind, h); apply != nil {
			return reduction.Op{Commutative: true, Apply: apply}, e.bytes, false, nil
		}
		if e.basic == cLongDouble {
			return p.longDouble(h), e.bytes, false, nil
		}
	default:
		id, known := usual[h]
		if !known {
			return op, 0, false, wrong(cErrOp, "%#x is no operation", h)
		}
		if e.kind == 0 && e.basic == cLongDouble {
			return p.longDouble(h), e.bytes, false, nil
		}
		if apply := reduction.Of(id, e.kind); apply != nil && e.kind != 0 {
			return reduction.Op{Commutative: true, ID: id, Kind: e.kind, Apply: apply}, e.bytes, false, nil
		}
	}
	return op, 0, false, wrong(cErrOp, "operation %#x is not for elements of %s", h, t.describe())
}

func (t *datatype) describe() string {
	if t.name != "" {
		return t.name
	}
	return "this datatype"
}

func (p *Process) longDouble(h int64) reduction.Op {
	return reduction.Op{Commutative: true, Apply: func(in, inout []byte) {
		p.inProgram(in, inout, func(a, b int64) { p.ask(LongDouble, h, a, b, int64(len(in)/16)) })
	}}
}

// ownReduction returns an operation that calls the function of the program. It gets elements as they
// lie in memory.
func (p *Process) ownReduction(own *operation, t *datatype) (reduction.Op, int) {
	bytes := max(t.extent(), 1)
	large := int64(0)
	if own.large {
		large = 1
	}
	return reduction.Op{Commutative: own.commutative, Apply: func(in, inout []byte) {
		shift := int64(-t.lower)
		p.inProgram(in, inout, func(a, b int64) {
			p.ask(Reduce, own.function, a+shift, b+shift, int64(len(in)/bytes), t.handle, large)
		})
	}}, bytes
}

// inProgram calls a function with the addresses of two slices, which the process of the program can
// read and, the second, write.
func (p *Process) inProgram(in, inout []byte, do func(a, b int64)) {
	if len(in) == 0 {
		return
	}
	if p.host.Direct() {
		do(int64(uintptr(unsafe.Pointer(&in[0]))), int64(uintptr(unsafe.Pointer(&inout[0]))))
		return
	}
	a, b := p.scratchFor(0, len(in)), p.scratchFor(1, len(inout))
	p.store(a, in)
	p.store(b, inout)
	do(a, b)
	copy(inout, p.host.View(uintptr(b), len(inout)))
}

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// logical returns an operation on truth values, which are numbers other than 0.
func logical(k reduction.Kind, h int64) func(in, inout []byte) {
	switch reflect.Kind(k) {
	case reflect.Int8:
		return logicalOn[int8](h)
	case reflect.Int16:
		return logicalOn[int16](h)
	case reflect.Int32:
		return logicalOn[int32](h)
	case reflect.Int64:
		return logicalOn[int64](h)
	case reflect.Uint8:
		return logicalOn[uint8](h)
	case reflect.Uint16:
		return logicalOn[uint16](h)
	case reflect.Uint32:
		return logicalOn[uint32](h)
	case reflect.Uint64:
		return logicalOn[uint64](h)
	case reflect.Float32:
		return logicalOn[float32](h)
	case reflect.Float64:
		return logicalOn[float64](h)
	}
	return nil
}

func logicalOn[T number](h int64) func(in, inout []byte) {
	return func(in, inout []byte) {
		a, b := elements.Of[T](in), elements.Of[T](inout)
		for i := range a {
			x, y := a[i] != 0, b[i] != 0
			switch h {
			case cLand:
				x = x && y
			case cLor:
				x = x || y
			default:
				x = x != y
			}
			b[i] = 0
			if x {
				b[i] = 1
			}
		}
	}
}

// pair is a value with its place.
type pair[T number] struct {
	value T
	place int32
}

// located returns MINLOC or MAXLOC on a type of pairs, nil if it is none.
func located(basic int64, largest bool) func(in, inout []byte) {
	switch basic {
	case cFloatInt:
		return locatedOn[pair[float32]](largest, func(a, b *pair[float32]) (int, int32, int32) { return order(a.value, b.value), a.place, b.place })
	case cDoubleInt:
		return locatedOn[pair[float64]](largest, func(a, b *pair[float64]) (int, int32, int32) { return order(a.value, b.value), a.place, b.place })
	case cLongInt:
		return locatedOn[pair[int64]](largest, func(a, b *pair[int64]) (int, int32, int32) { return order(a.value, b.value), a.place, b.place })
	case c2int, c2integer:
		return locatedOn[pair[int32]](largest, func(a, b *pair[int32]) (int, int32, int32) { return order(a.value, b.value), a.place, b.place })
	case cShortInt:
		return locatedOn[pair[int16]](largest, func(a, b *pair[int16]) (int, int32, int32) { return order(a.value, b.value), a.place, b.place })
	case c2real:
		return locatedOn[[2]float32](largest, func(a, b *[2]float32) (int, int32, int32) { return order(a[0], b[0]), int32(a[1]), int32(b[1]) })
	case c2doublePrecision:
		return locatedOn[[2]float64](largest, func(a, b *[2]float64) (int, int32, int32) { return order(a[0], b[0]), int32(a[1]), int32(b[1]) })
	case cLongDoubleInt:
		return locatedOn[longDoubleInt](largest, func(a, b *longDoubleInt) (int, int32, int32) { return order(a.float(), b.float()), a.place, b.place })
	}
	return nil
}

func order[T number](a, b T) int {
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
