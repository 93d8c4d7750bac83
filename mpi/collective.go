package mpi

import (
	"reflect"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// planFor plans an operation on slices.
func planFor[T any](c *Comm, call string, kind algorithm.Operation, root int, in, out []T) (*collective.Operation, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.inner().Fail(fault.Type, call, err)
	}
	return c.inner().Plan(call, kind, &algorithm.Arguments{Root: root, In: elements.Memory(in), Out: elements.Memory(out), Element: elements.Size[T](), Type: reflect.TypeFor[T]()})
}

// planParts plans an operation on slices for, or from, each rank.
func planParts[T any](c *Comm, call string, kind algorithm.Operation, root int, in, out []T, ins, outs [][]T) (*collective.Operation, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.inner().Fail(fault.Type, call, err)
	}
	r, err := c.inner().Draft(call, kind)
	if err != nil {
		return nil, err
	}
	r.Root, r.In, r.Out, r.Element, r.Type = root, elements.Memory(in), elements.Memory(out), elements.Size[T](), reflect.TypeFor[T]()
	r.MakeRoom(len(ins), len(outs))
	putMemory(r.Ins, ins)
	putMemory(r.Outs, outs)
	return r.Plan()
}

// putMemory puts the memory of parts into as many slices of bytes.
func putMemory[T any](memory [][]byte, parts [][]T) {
	for i, part := range parts {
		memory[i] = elements.Memory(part)
	}
}

func memoryOfEach[T any](parts [][]T) [][]byte {
	memory := make([][]byte, len(parts))
	putMemory(memory, parts)
	return memory
}

// planReduction plans a reduction.
func planReduction[T any](c *Comm, call string, kind algorithm.Operation, root int, in, out []T, op Op[T]) (*collective.Operation, error) {
	comm := c.inner()
	if err := op.check(comm, call); err != nil {
		return nil, err
	}
	a := algorithm.Arguments{Root: root, In: elements.Memory(in), Out: elements.Memory(out), Element: elements.Size[T](), Type: reflect.TypeFor[T](), Op: op.onMemory()}
	return comm.Plan(call, kind, &a)
}

// carryOut starts a planned operation and waits for it.
func carryOut(r *collective.Operation, err error) error {
	if err != nil {
		return err
	}
	return r.C.Engine.Enter(r.Call).Returns(r.Run())
}

// begin starts a planned operation.
func begin(r *collective.Operation, err error) (*Request, error) {
	if err != nil {
		return nil, err
	}
	defer r.C.Engine.Enter(r.Call).Leave()
	if err := r.Agree(); err != nil {
		return nil, err
	}
	return requestFor(r.Begin()), nil
}
