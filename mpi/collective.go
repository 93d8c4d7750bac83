package mpi

import (
	"unsafe"
)

// arguments is what a rank gives to a collective operation, as memory. An operation
// uses some of it.
type arguments struct {
	root      int
	in, out   []byte
	ins, outs [][]byte // parts for, or from, each rank
	element   int      // bytes of an element
	op        operator
}

// operator is an Op on the memory of its elements.
type operator struct {
	apply       func(in, inout []byte)
	commutative bool
}

// run carries out an operation on slices.
func run[T any](c *Comm, kind operation, root int, in, out []T) error {
	if err := checkElement[T](); err != nil {
		return c.fail(ErrType, operations[kind].call, err)
	}
	return c.operate(kind, arguments{root: root, in: memoryOf(in), out: memoryOf(out), element: sizeOf[T]()})
}

// runV carries out an operation on slices for, or from, each rank.
func runV[T any](c *Comm, kind operation, root int, in, out []T, ins, outs [][]T) error {
	if err := checkElement[T](); err != nil {
		return c.fail(ErrType, operations[kind].call, err)
	}
	return c.operate(kind, arguments{
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

// runOp carries out a reduction.
func runOp[T any](c *Comm, kind operation, root int, in, out []T, op Op[T]) error {
	if err := checkElement[T](); err != nil {
		return c.fail(ErrType, operations[kind].call, err)
	}
	if op.Apply == nil {
		return c.failf(ErrOp, operations[kind].call, "an operation without Apply; expected one, such as Sum")
	}
	return c.operate(kind, arguments{
		root: root, in: memoryOf(in), out: memoryOf(out), element: sizeOf[T](),
		op: operator{
			commutative: op.Commutative,
			apply:       func(in, inout []byte) { op.Apply(elementsOf[T](in), elementsOf[T](inout)) },
		},
	})
}

// elementsOf is the inverse of memoryOf.
func elementsOf[T any](memory []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/sizeOf[T]())
}

// choices is the algorithm for each operation; nil: the usual choice.
type choices [exScan + 1]*algorithm

// collectives is what a communicator keeps for its collective operations.
type collectives struct {
	forced choices
	spare  *schedule // for the next operation; nil while there is one
}

// operate carries out one operation.
func (c *Comm) operate(kind operation, a arguments) error {
	o := &operations[kind]
	if err := c.check(o.call); err != nil {
		return err
	}
	if err := o.accept(c, &a); err != nil {
		return err
	}
	algorithm, err := c.algorithm(kind, &a)
	if err != nil {
		return err
	}
	return c.perform(o.call, a.op, func(s *schedule) { algorithm.build(s, a) })
}

// perform carries out the schedule that build makes.
func (c *Comm) perform(call string, op operator, build func(*schedule)) error {
	s := c.collectives.spare
	c.collectives.spare = nil
	if s == nil {
		s = &schedule{}
	}
	s.reset(c.rank, c.Size())
	build(s)
	err := c.carryOut(call, s, op)
	s.reset(0, 0)
	c.collectives.spare = s
	return err
}

// accept fails if a rank's arguments are wrong by themselves.
func (o *operationInfo) accept(c *Comm, a *arguments) error {
	if o.rooted && (a.root < 0 || a.root >= c.Size()) {
		return c.failf(ErrRoot, o.call, "root %d; there are ranks 0 to %d", a.root, c.Size()-1)
	}
	if o.lengths == nil {
		return nil
	}
	if err := o.lengths(a, c.rank, c.Size()); err != nil {
		return c.fail(ErrCount, o.call, err)
	}
	return nil
}
