package algorithm

import (
	"fmt"

	"musubi/mpi/internal/datatype"
)

// The functions here check whether the lengths of a rank's slices fit an operation and each other.
// At other ranks than the root they clear what only the root uses.

// lengthError returns the error of a length that does not fit, in elements.
func (a *Arguments) lengthError(name string, memory []byte, want int, why string) error {
	return fmt.Errorf("%s has %d elements; expected %d, %s", name, len(memory)/a.Element, want/a.Element, why)
}

// alike: out is for as many elements as in has.
func alike(a *Arguments, _, _ int) error {
	if len(a.Out) != len(a.In) {
		return a.lengthError("out", a.Out, len(a.In), "as in has")
	}
	return nil
}

// alikeAtRoot checks alike at the root only.
func alikeAtRoot(a *Arguments, rank, size int) error {
	if rank != a.Root {
		a.Out = nil
		return nil
	}
	return alike(a, rank, size)
}

// outForAll: out is for the elements of all ranks.
func outForAll(a *Arguments, _, size int) error {
	if want := len(a.In) * size; len(a.Out) != want {
		return a.lengthError("out", a.Out, want, "as all ranks have together")
	}
	return nil
}

// outForAllAtRoot checks outForAll at the root only.
func outForAllAtRoot(a *Arguments, rank, size int) error {
	if rank != a.Root {
		a.Out = nil
		return nil
	}
	return outForAll(a, rank, size)
}

// inForAll: in has the elements for all ranks.
func inForAll(a *Arguments, _, size int) error {
	if want := len(a.Out) * size; len(a.In) != want {
		return a.lengthError("in", a.In, want, "as all ranks take together")
	}
	return nil
}

// inForAllAtRoot checks inForAll at the root only.
func inForAllAtRoot(a *Arguments, rank, size int) error {
	if rank != a.Root {
		a.In = nil
		return nil
	}
	return inForAll(a, rank, size)
}

// inAndOutForAll: in has as many elements for each rank as out takes from it.
func inAndOutForAll(a *Arguments, rank, size int) error {
	if n := len(a.In) / a.Element; n%size != 0 {
		return fmt.Errorf("in has %d elements; expected as many for each of %d ranks", n, size)
	}
	return alike(a, rank, size)
}

// forEach fails if there is not one slice for each rank.
func forEach(name string, parts [][]byte, size int) error {
	if len(parts) != size {
		return fmt.Errorf("%s has %d slices; expected one for each of %d ranks", name, len(parts), size)
	}
	return nil
}

// own fails if a part for this rank itself does not have the length of what goes there.
func (a *Arguments) own(name string, part, goes []byte) error {
	if len(part) != len(goes) {
		return a.lengthError(name, part, len(goes), "as go there")
	}
	return nil
}

func outsAtRoot(a *Arguments, rank, size int) error {
	if rank != a.Root {
		a.Outs = nil
		return nil
	}
	return outsForAll(a, rank, size)
}

func outsForAll(a *Arguments, rank, size int) error {
	if err := forEach("out", a.Outs, size); err != nil {
		return err
	}
	return a.own("out of this rank", a.Outs[rank], a.In)
}

func insAtRoot(a *Arguments, rank, size int) error {
	if rank != a.Root {
		a.Ins = nil
		return nil
	}
	return insForAll(a, rank, size)
}

func insForAll(a *Arguments, rank, size int) error {
	if err := forEach("in", a.Ins, size); err != nil {
		return err
	}
	return a.own("out", a.Out, a.Ins[rank])
}

func insAndOutsForAll(a *Arguments, rank, size int) error {
	if err := forEach("in", a.Ins, size); err != nil {
		return err
	}
	if err := forEach("out", a.Outs, size); err != nil {
		return err
	}
	return a.own("out of this rank", a.Outs[rank], a.Ins[rank])
}

// layoutsForAll: in has a layout for each rank, and out one for what comes from it.
func layoutsForAll(a *Arguments, rank, size int) error {
	if err := a.CheckLayouts(size, size); err != nil {
		return err
	}
	if to, from := a.Layouts.To[rank].Size/a.Element, a.Layouts.From[rank].Size/a.Element; to != from {
		return fmt.Errorf("the layout of out for this rank has %d elements; expected %d, as go there", from, to)
	}
	return nil
}

// CheckLayouts fails if there are not as many layouts as neighbours, or if one does not
// fit its memory.
func (a *Arguments) CheckLayouts(to, from int) error {
	for _, side := range []struct {
		name   string
		types  []datatype.Type
		memory []byte
		count  int
	}{{"in", a.Layouts.To, a.In, to}, {"out", a.Layouts.From, a.Out, from}} {
		if len(side.types) != side.count {
			return fmt.Errorf("%s has %d layouts; expected one for each of %d ranks", side.name, len(side.types), side.count)
		}
		for i := range side.types {
			if err := side.types[i].Check(len(side.memory), a.Element); err != nil {
				return fmt.Errorf("%s, number %d: %w", side.name, i, err)
			}
		}
	}
	return nil
}
