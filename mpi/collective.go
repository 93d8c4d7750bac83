package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// planFor plans an operation on slices.
func planFor[T any](c *Comm, call string, kind algorithm.Operation, root int, in, out []T) (*running, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.fail(fault.Type, call, err)
	}
	return c.plan(call, kind, &algorithm.Arguments{Root: root, In: elements.Memory(in), Out: elements.Memory(out), Element: elements.Size[T]()})
}

// planParts plans an operation on slices for, or from, each rank.
func planParts[T any](c *Comm, call string, kind algorithm.Operation, root int, in, out []T, ins, outs [][]T) (*running, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.fail(fault.Type, call, err)
	}
	return c.plan(call, kind, &algorithm.Arguments{
		Root: root, In: elements.Memory(in), Out: elements.Memory(out), Ins: memoryOfEach(ins), Outs: memoryOfEach(outs), Element: elements.Size[T](),
	})
}

func memoryOfEach[T any](parts [][]T) [][]byte {
	memory := make([][]byte, len(parts))
	for i, part := range parts {
		memory[i] = elements.Memory(part)
	}
	return memory
}

// planReduction plans a reduction.
func planReduction[T any](c *Comm, call string, kind algorithm.Operation, root int, in, out []T, op Op[T]) (*running, error) {
	if err := op.check(c, call); err != nil {
		return nil, err
	}
	a := algorithm.Arguments{Root: root, In: elements.Memory(in), Out: elements.Memory(out), Element: elements.Size[T](), Op: op.onMemory()}
	return c.plan(call, kind, &a)
}

// choices is the algorithm for each operation; nil: the usual choice.
type choices [algorithm.ExScan + 1]*algorithm.Algorithm

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
func (c *Comm) plan(call string, kind algorithm.Operation, a *algorithm.Arguments) (*running, error) {
	if err := c.check(call); err != nil {
		return nil, err
	}
	r := c.idle(call, a)
	r.kind = kind
	if err := r.accept(&algorithm.Operations[kind]); err != nil {
		r.rest()
		return nil, err
	}
	algorithm, err := c.algorithm(call, kind, &r.Arguments)
	if err != nil {
		r.rest()
		return nil, err
	}
	r.algorithm = algorithm
	return r, nil
}

// accept fails if a rank's arguments are wrong by themselves.
func (r *running) accept(o *algorithm.Info) error {
	c := r.c
	if o.Rooted && (r.Root < 0 || r.Root >= c.Size()) {
		return c.failf(fault.Root, r.call, "root %d; there are ranks 0 to %d", r.Root, c.Size()-1)
	}
	if o.Lengths == nil {
		return nil
	}
	if err := o.Lengths(&r.Arguments, c.rank, c.Size()); err != nil {
		return c.fail(fault.Count, r.call, err)
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
