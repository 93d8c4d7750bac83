package abi

import (
	"reflect"
	"unsafe"

	"musubi/mpi/abi/standard"
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

// reductionOf returns the operation of a handle on elements of a type, and the bytes of an element as
// it takes them. spread says that it takes them as they lie in memory, with gaps.
func (p *Process) reductionOf(h int64, t *datatype) (op reduction.Op, bytes int, spread bool, err error) {
	if own := p.ops.Get(h); own != nil {
		op, bytes = p.ownReduction(own, t)
		return op, bytes, true, nil
	}
	id, known := usual[h]
	if !known {
		return op, 0, false, wrong(standard.ErrOp, "%#x is no operation", h)
	}
	e := t.Element
	if e.Basic == standard.Byte && !onBytes[h] {
		return op, 0, false, wrong(standard.ErrOp, "operation %#x on MPI_BYTE; expected one on bits, or a type of numbers", h)
	}
	if e.Basic == standard.LongDouble && id < reduction.ReplaceID {
		return p.longDouble(h), e.Bytes, false, nil
	}
	apply := reduction.Of(id, e.Kind)
	if apply == nil || e.Kind == 0 {
		return op, 0, false, wrong(standard.ErrOp, "operation %#x is not for elements of %s", h, t.describe())
	}
	op = reduction.Op{Commutative: true, Apply: apply}
	if !e.Kind.IsForeign() && (id < reduction.LogicalAndID || id > reduction.LogicalXorID) {
		op.ID, op.Kind = id, e.Kind
	}
	return op, e.Bytes, e.Kind.IsForeign(), nil
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
	bytes := max(t.Extent(), 1)
	large := int64(0)
	if own.large {
		large = 1
	}
	return reduction.Op{Commutative: own.commutative, Apply: func(in, inout []byte) {
		shift := int64(-t.Lower)
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
