package windows

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/core"
	layouts "musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Accumulate":       func(c *abi.Call) error { return accumulate(c, false) },
		"MPI_Raccumulate":      func(c *abi.Call) error { return accumulate(c, true) },
		"MPI_Get_accumulate":   func(c *abi.Call) error { return getAccumulate(c, false) },
		"MPI_Rget_accumulate":  func(c *abi.Call) error { return getAccumulate(c, true) },
		"MPI_Fetch_and_op":     fetchAndOp,
		"MPI_Compare_and_swap": compareAndSwap,
	})
}

// typed prepares a window for an operation on elements of a type. Pairs of a value and a place move with
// the gaps that they have in memory.
func typed(c *abi.Call, t *target, op int64) (reduction.ID, error) {
	id, known := abi.Usual[op]
	if !known {
		return 0, abi.Wrong(standard.ErrOp, "Musubi does not have operation %#x in accesses to windows", op)
	}
	if err := abi.CheckOnBytes(op, t.of); err != nil {
		return 0, err
	}
	kind := t.of.Element.Kind
	switch {
	case kind.IsForeign() && t.rank != core.None:
		t.there, t.at = withGaps(c.Process, t.of).Bytes(t.count, t.from)
	case t.count*t.of.Size == 0, kind == 0 && (op == standard.Replace || op == standard.NoOp):
		kind = abi.KindOf(8)
		if reduction.Of(id, kind) == nil { // of nothing
			return id, nil
		}
	}
	if kind == 0 || reduction.Of(id, kind) == nil {
		return 0, abi.Wrong(standard.ErrOp, "operation %#x is not for elements of %s", op, t.of.Describe())
	}
	t.window.Inner.SetTyped(kind, max(t.of.Element.Bytes, 1))
	return id, nil
}

// withGaps returns the layout of a type of pairs in which the gaps within a pair count as data.
func withGaps(p *abi.Process, of *abi.Datatype) *typemap.Type {
	t := of.Whole(p.TypeAt(of.Element.Basic).Size)
	return &t
}

// combined returns the data of an accumulate: packed, or pairs with their gaps.
func combined(c *abi.Call, t *target, at int64, count int, of *abi.Datatype) []byte {
	if e := of.Element; e.Kind.IsForeign() && e == t.of.Element {
		return c.Packed(at, count, withGaps(c.Process, of))
	}
	return c.Outgoing(at, count, of)
}

// olds returns where old elements go, in the form of operands.
func olds(c *abi.Call, t *target, at int64, count int, of *abi.Datatype) abi.Landing {
	if e := of.Element; e.Kind.IsForeign() && e == t.of.Element {
		return abi.Landing{At: at, Count: count, Of: of, Data: make([]byte, count*withGaps(c.Process, of).Size), Pairs: true}
	}
	return c.Landing(at, count, of)
}

func accumulate(c *abi.Call, request bool) error {
	t, err := targetAt(c, 3, 8)
	if err != nil {
		return err
	}
	count, of, err := c.Counted(1)
	if err != nil {
		return err
	}
	id, err := typed(c, &t, c.Words[7])
	if err != nil {
		return err
	}
	if t.rank != core.None {
		if err := t.fits(count, of); err != nil {
			return err
		}
		data := combined(c, &t, c.Words[0], count, of)
		if here := layouts.Contiguous(len(data)); len(data) > 0 {
			if err := t.window.Inner.AccumulatePacked(c.Function.Name, t.rank, t.at, &t.there, data, &here, id); err != nil {
				return err
			}
		}
	}
	return finishAccess(c, &t, request, 9)
}

func getAccumulate(c *abi.Call, request bool) error {
	t, err := targetAt(c, 6, 11)
	if err != nil {
		return err
	}
	id, err := typed(c, &t, c.Words[10])
	if err != nil {
		return err
	}
	if t.rank == core.None {
		return finishAccess(c, &t, request, 12)
	}
	count, of, err := c.Counted(4)
	if err != nil {
		return err
	}
	if err := t.fits(count, of); err != nil {
		return err
	}
	l := olds(c, &t, c.Words[3], count, of)
	var data []byte
	if c.Words[10] != standard.NoOp {
		count, of, err := c.Counted(1)
		if err != nil {
			return err
		}
		if err := t.fits(count, of); err != nil {
			return err
		}
		data = combined(c, &t, c.Words[0], count, of)
	}
	if len(l.Data) > 0 {
		from, into := layouts.Contiguous(len(data)), layouts.Contiguous(len(l.Data))
		if err := t.window.Inner.GetAccumulatePacked(c.Function.Name, t.rank, t.at, &t.there, data, &from, l.Data, &into, id); err != nil {
			return err
		}
		if !l.Direct {
			t.window.Owe(l, t.rank)
		}
	}
	return finishAccess(c, &t, request, 12)
}

// single reads an access to one element: its type is word of, and rank, displacement follow.
func single(c *abi.Call, of, window int) (t target, err error) {
	if t.window, err = c.Win(window); err != nil {
		return t, err
	}
	if t.rank, err = c.Peer(t.window.M, c.At(of+1), false); err != nil {
		return t, err
	}
	if t.of, err = c.Datatype(of); err != nil {
		return t, err
	}
	if t.count = 1; t.rank == core.None {
		return t, nil
	}
	if err := t.begin(c.At(of + 2)); err != nil {
		return t, err
	}
	t.at = t.from
	return t, t.inRange(t.of.Size)
}

func fetchAndOp(c *abi.Call) error {
	t, err := single(c, 2, 6)
	if err != nil || t.rank == core.None {
		return err
	}
	if !t.of.Predefined {
		return abi.Wrong(standard.ErrType, "%s; expected a predefined datatype", t.of.Describe())
	}
	id, err := typed(c, &t, c.Words[5])
	if err != nil {
		return err
	}
	was := olds(c, &t, c.Words[1], 1, t.of)
	var operand []byte
	if c.Words[5] == standard.NoOp {
		operand = make([]byte, len(was.Data))
	} else {
		operand = combined(c, &t, c.Words[0], 1, t.of)
	}
	if err := t.window.Inner.FetchAndOp(c.Function.Name, t.rank, t.at, operand, was.Data, id); err != nil {
		return err
	}
	was.Put(c.Process, len(was.Data))
	return nil
}

func compareAndSwap(c *abi.Call) error {
	t, err := single(c, 3, 6)
	if err != nil || t.rank == core.None {
		return err
	}
	if kind := t.of.Element.Kind; !t.of.Predefined || !kind.IsWhole() {
		return abi.Wrong(standard.ErrType, "%s; expected a predefined datatype of integers, truth values or bytes", t.of.Describe())
	}
	if _, err := typed(c, &t, standard.Replace); err != nil {
		return err
	}
	was := make([]byte, t.of.Size)
	if err := t.window.Inner.CompareAndSwap(c.Function.Name, t.rank, t.at, c.Outgoing(c.Words[1], 1, t.of), c.Outgoing(c.Words[0], 1, t.of), was); err != nil {
		return err
	}
	c.Scatter(c.Words[2], was, 1, t.of)
	return nil
}
