package mpi

import (
	"unsafe"

	"musubi/rma"
)

// arguments is what a rank gives to a collective operation, as memory. An operation
// uses some of it.
type arguments struct {
	root      int
	in, out   []byte
	ins, outs [][]byte // parts for, or from, each rank
	element   int      // bytes of an element
	op        operator
	near      *neighbours
	layouts   *layouts
}

// operator is an Op on the memory of its elements.
type operator struct {
	apply       func(in, inout []byte)
	commutative bool
	reduction   rma.Reduction // that interfaces can do instead; rma.NoOp: none
	turned      uint64        // bits of words for that
}

// planFor plans an operation on slices.
func planFor[T any](c *Comm, call string, kind operation, root int, in, out []T) (*running, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.fail(ErrType, call, err)
	}
	return c.plan(call, kind, &arguments{root: root, in: memoryOf(in), out: memoryOf(out), element: sizeOf[T]()})
}

// planParts plans an operation on slices for, or from, each rank.
func planParts[T any](c *Comm, call string, kind operation, root int, in, out []T, ins, outs [][]T) (*running, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.fail(ErrType, call, err)
	}
	return c.plan(call, kind, &arguments{
		root: root, in: memoryOf(in), out: memoryOf(out), ins: memoryOfEach(ins), outs: memoryOfEach(outs), element: sizeOf[T](),
	})
}

func memoryOfEach[T any](parts [][]T) [][]byte {
	memory := make([][]byte, len(parts))
	for i, part := range parts {
		memory[i] = memoryOf(part)
	}
	return memory
}

// planReduction plans a reduction.
func planReduction[T any](c *Comm, call string, kind operation, root int, in, out []T, op Op[T]) (*running, error) {
	if err := op.check(c, call); err != nil {
		return nil, err
	}
	a := arguments{root: root, in: memoryOf(in), out: memoryOf(out), element: sizeOf[T](), op: op.operator()}
	if c != nil && c.e.collector != nil {
		a.op.reduction, a.op.turned = reductionOf(op)
	}
	return c.plan(call, kind, &a)
}

// check fails if the operation cannot be carried out.
func (op Op[T]) check(c *Comm, call string) error {
	if err := checkElement[T](); err != nil {
		return c.fail(ErrType, call, err)
	}
	if op.Apply == nil {
		return c.failf(ErrOp, call, "an operation without Apply; expected one, such as Sum")
	}
	return nil
}

func (op Op[T]) operator() operator {
	return operator{
		commutative: op.Commutative,
		apply:       func(in, inout []byte) { op.Apply(elementsOf[T](in), elementsOf[T](inout)) },
	}
}

// elementsOf is the inverse of memoryOf.
func elementsOf[T any](memory []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/sizeOf[T]())
}

// choices is the algorithm for each operation; nil: the usual choice.
type choices [exScan + 1]*algorithm

// collectives is what a communicator keeps for its collective operations.
type collectives struct {
	forced   choices
	number   int32      // of the next operation
	prepared int32      // of the next one that is persistent
	casts    bool       // there has been one that multicasts could have done
	spare    []*running // for operations to come
}

// plan prepares an operation: it checks the arguments of a rank and chooses an
// algorithm.
func (c *Comm) plan(call string, kind operation, a *arguments) (*running, error) {
	if err := c.check(call); err != nil {
		return nil, err
	}
	r := c.idle(call, a)
	r.kind = kind
	if err := r.accept(&operations[kind]); err != nil {
		r.rest()
		return nil, err
	}
	algorithm, err := c.algorithm(call, kind, &r.arguments)
	if err != nil {
		r.rest()
		return nil, err
	}
	r.algorithm = algorithm
	return r, nil
}

// accept fails if a rank's arguments are wrong by themselves.
func (r *running) accept(o *operationInfo) error {
	c := r.c
	if o.rooted && (r.root < 0 || r.root >= c.Size()) {
		return c.failf(ErrRoot, r.call, "root %d; there are ranks 0 to %d", r.root, c.Size()-1)
	}
	if o.lengths == nil {
		return nil
	}
	if err := o.lengths(&r.arguments, c.rank, c.Size()); err != nil {
		return c.fail(ErrCount, r.call, err)
	}
	return nil
}

// carryOut starts a planned operation and waits for it.
func carryOut(r *running, err error) error {
	if err != nil {
		return err
	}
	e := r.c.e
	whole := e.newRequest()
	r.start(whole)
	_, err = e.end(whole)
	return err
}

// begin starts a planned operation.
func begin(r *running, err error) (*Request, error) {
	if err != nil {
		return nil, err
	}
	whole := new(Request)
	r.start(whole)
	return whole, nil
}
