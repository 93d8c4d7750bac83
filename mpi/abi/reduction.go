package abi

import (
	"reflect"
	"slices"
	"unsafe"

	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/reduction"
)

// KindOf returns the kind of elements that reductions take for one of Go.
func KindOf(k reflect.Kind) reduction.Kind { return reduction.Kind(k) }

// Operation is a reduction of the program's own.
type Operation struct {
	Function    int64
	Commutative bool
	Large       bool // its length is an MPI_Count
}

// Usual are the operations that package reduction has.
var Usual = map[int64]reduction.ID{
	standard.Sum:     reduction.SumID,
	standard.Prod:    reduction.ProductID,
	standard.Max:     reduction.MaxID,
	standard.Min:     reduction.MinID,
	standard.Band:    reduction.AndID,
	standard.Bor:     reduction.OrID,
	standard.Bxor:    reduction.XorID,
	standard.Land:    reduction.LogicalAndID,
	standard.Lor:     reduction.LogicalOrID,
	standard.Lxor:    reduction.LogicalXorID,
	standard.Minloc:  reduction.MinLocationID,
	standard.Maxloc:  reduction.MaxLocationID,
	standard.Replace: reduction.ReplaceID,
	standard.NoOp:    reduction.NoOpID,
}

// onBytes are the operations on data that is no number (MPI 5.0, section 6.9.2).
var onBytes = map[int64]bool{standard.Band: true, standard.Bor: true, standard.Bxor: true, standard.Replace: true, standard.NoOp: true}

// CheckOnBytes fails if an operation on numbers is to combine elements of MPI_BYTE.
func CheckOnBytes(h int64, t *Datatype) error {
	if t.Element.Basic == standard.Byte && !onBytes[h] {
		return Wrong(standard.ErrOp, "operation %#x on MPI_BYTE; expected one on bits, or a type of numbers", h)
	}
	return nil
}

// ReductionOf returns the operation of a handle on elements of a type, and the bytes of an element as
// it takes them. spread says that it takes them as they lie in memory, with gaps.
func (c *Call) ReductionOf(h int64, t *Datatype) (op reduction.Op, bytes int, spread bool, err error) {
	if own := c.OpAt(h); own != nil {
		if t.Size > 0 && (t.TrueLow < t.Lower || t.TrueUp > t.Upper) {
			return c.ownPackedReduction(own, t), t.Size, false, nil
		}
		op, bytes = c.ownReduction(own, t)
		return op, bytes, true, nil
	}
	id, known := Usual[h]
	if !known {
		return op, 0, false, Wrong(standard.ErrOp, "%#x is no operation", h)
	}
	e := t.Element
	if err := CheckOnBytes(h, t); err != nil {
		return op, 0, false, err
	}
	if wide[e.Basic].has(h) {
		return c.wideReduction(h, e), e.Bytes, false, nil
	}
	apply := reduction.Of(id, e.Kind)
	if apply == nil || e.Kind == 0 {
		return op, 0, false, Wrong(standard.ErrOp, "operation %#x is not for elements of %s", h, t.Describe())
	}
	op = reduction.Op{Commutative: true, Apply: apply}
	if !e.Kind.IsForeign() && (id < reduction.LogicalAndID || id > reduction.LogicalXorID) {
		op.ID, op.Kind = id, e.Kind
	}
	return op, e.Bytes, e.Kind.IsForeign(), nil
}

// Describe names a type for errors.
func (t *Datatype) Describe() string {
	if t.Name != "" {
		return t.Name
	}
	return "this datatype"
}

// wide are the numbers that C has and Go has not. The process of the program reduces them.
var wide = map[int64]numbers{
	standard.LongDouble: reals, standard.Real16: reals,
	standard.CLongDoubleComplex: complexes, standard.CxxLongDoubleComplex: complexes, standard.Complex32: complexes,
	standard.Integer16: integers, standard.Logical16: truths,
}

// numbers are a class of numbers, or none, by the operations that it has (MPI 5.0, section 6.9.2).
type numbers []int64

var (
	complexes = numbers{standard.Sum, standard.Prod}
	truths    = numbers{standard.Land, standard.Lor, standard.Lxor}
	reals     = slices.Concat(complexes, truths, numbers{standard.Max, standard.Min})
	integers  = slices.Concat(reals, numbers{standard.Band, standard.Bor, standard.Bxor})
)

func (n numbers) has(op int64) bool { return slices.Contains(n, op) }

func (p *Process) wideReduction(op int64, e typemap.Element) reduction.Op {
	return reduction.Op{Commutative: true, Apply: func(in, inout []byte) {
		p.inProgram(in, inout, func(a, b int64) { p.Ask(ReduceWide, op, a, b, int64(len(in)/e.Bytes), e.Basic) })
	}}
}

// ownReduction returns an operation that calls the function of the program. It gets elements as they
// lie in memory.
func (p *Process) ownReduction(own *Operation, t *Datatype) (reduction.Op, int) {
	bytes := max(t.Extent(), 1)
	return reduction.Op{Commutative: own.Commutative, Apply: func(in, inout []byte) {
		p.inProgram(in, inout, func(a, b int64) { p.askToReduce(own, a, b, t.Lower, len(in)/bytes, t) })
	}}, bytes
}

// ownPackedReduction is ownReduction for elements that have data outside of their bounds, as the columns of a matrix do: what one has
// in memory lies among what others have. They are packed, and the function gets a copy of each call's elements as in memory.
func (p *Process) ownPackedReduction(own *Operation, t *Datatype) reduction.Op {
	return reduction.Op{Commutative: own.Commutative, Apply: func(in, inout []byte) {
		count := len(in) / t.Size
		low, span := t.Span(count)
		from, into := make([]byte, span), make([]byte, span)
		t.Unpack(from, in, low, count)
		t.Unpack(into, inout, low, count)
		p.inProgram(from, into, func(a, b int64) { p.askToReduce(own, a, b, low, count, t) })
		t.Pack(inout, into, low, count)
	}}
}

// askToReduce calls the function of the program with elements in memory that begins at low from their addresses.
func (p *Process) askToReduce(own *Operation, a, b int64, low, count int, t *Datatype) {
	large := int64(0)
	if own.Large {
		large = 1
	}
	p.Ask(Reduce, own.Function, a-int64(low), b-int64(low), int64(count), t.Handle, large)
}

// inProgram calls a function with the addresses of two slices, which the process of the program can
// read and, the second, write.
func (p *Process) inProgram(in, inout []byte, do func(a, b int64)) {
	if len(in) == 0 {
		return
	}
	if p.Host.Direct() {
		do(int64(uintptr(unsafe.Pointer(&in[0]))), int64(uintptr(unsafe.Pointer(&inout[0]))))
		return
	}
	a, b := p.ScratchFor(0, len(in)), p.ScratchFor(1, len(inout))
	p.Store(a, in)
	p.Store(b, inout)
	do(a, b)
	copy(inout, p.Host.View(uintptr(b), len(inout)))
}
