package mpi

import "fmt"

// The functions here tell whether the slices of a rank have lengths that fit an
// operation and each other. Those that only the root uses they remove elsewhere.

// lengthError names, in elements, a length that does not fit.
func (a *arguments) lengthError(name string, memory []byte, want int, why string) error {
	return fmt.Errorf("%s has %d elements; expected %d, %s", name, len(memory)/a.element, want/a.element, why)
}

// alike: out is for as many elements as in has.
func alike(a *arguments, _, _ int) error {
	if len(a.out) != len(a.in) {
		return a.lengthError("out", a.out, len(a.in), "as in has")
	}
	return nil
}

// alikeAtRoot is alike where out is for the root only.
func alikeAtRoot(a *arguments, rank, size int) error {
	if rank != a.root {
		a.out = nil
		return nil
	}
	return alike(a, rank, size)
}

// outForAll: out is for the elements of all ranks.
func outForAll(a *arguments, _, size int) error {
	if want := len(a.in) * size; len(a.out) != want {
		return a.lengthError("out", a.out, want, "as all ranks have together")
	}
	return nil
}

// outForAllAtRoot is outForAll where out is for the root only.
func outForAllAtRoot(a *arguments, rank, size int) error {
	if rank != a.root {
		a.out = nil
		return nil
	}
	return outForAll(a, rank, size)
}

// inForAll: in has the elements for all ranks.
func inForAll(a *arguments, _, size int) error {
	if want := len(a.out) * size; len(a.in) != want {
		return a.lengthError("in", a.in, want, "as all ranks take together")
	}
	return nil
}

// inForAllAtRoot is inForAll where in is for the root only.
func inForAllAtRoot(a *arguments, rank, size int) error {
	if rank != a.root {
		a.in = nil
		return nil
	}
	return inForAll(a, rank, size)
}

// inAndOutForAll: in has as many elements for each rank as out takes from it.
func inAndOutForAll(a *arguments, rank, size int) error {
	if n := len(a.in) / a.element; n%size != 0 {
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
func (a *arguments) own(name string, part, goes []byte) error {
	if len(part) != len(goes) {
		return a.lengthError(name, part, len(goes), "as go there")
	}
	return nil
}

func outsAtRoot(a *arguments, rank, size int) error {
	if rank != a.root {
		a.outs = nil
		return nil
	}
	return outsForAll(a, rank, size)
}

func outsForAll(a *arguments, rank, size int) error {
	if err := forEach("out", a.outs, size); err != nil {
		return err
	}
	return a.own("out of this rank", a.outs[rank], a.in)
}

func insAtRoot(a *arguments, rank, size int) error {
	if rank != a.root {
		a.ins = nil
		return nil
	}
	return insForAll(a, rank, size)
}

func insForAll(a *arguments, rank, size int) error {
	if err := forEach("in", a.ins, size); err != nil {
		return err
	}
	return a.own("out", a.out, a.ins[rank])
}

func insAndOutsForAll(a *arguments, rank, size int) error {
	if err := forEach("in", a.ins, size); err != nil {
		return err
	}
	if err := forEach("out", a.outs, size); err != nil {
		return err
	}
	return a.own("out of this rank", a.outs[rank], a.ins[rank])
}

// layoutsForAll: in has a layout for each rank, and out one for what comes from it.
func layoutsForAll(a *arguments, rank, size int) error {
	if err := a.checkLayouts(size, size); err != nil {
		return err
	}
	if to, from := a.layouts.to[rank].Elements(), a.layouts.from[rank].Elements(); to != from {
		return fmt.Errorf("the layout of out for this rank has %d elements; expected %d, as go there", from, to)
	}
	return nil
}

// checkLayouts fails if there are not as many layouts as neighbours, or if one does not
// fit its memory.
func (a *arguments) checkLayouts(to, from int) error {
	for _, side := range []struct {
		name    string
		layouts []Layout
		memory  []byte
		count   int
	}{{"in", a.layouts.to, a.in, to}, {"out", a.layouts.from, a.out, from}} {
		if len(side.layouts) != side.count {
			return fmt.Errorf("%s has %d layouts; expected one for each of %d ranks", side.name, len(side.layouts), side.count)
		}
		for i := range side.layouts {
			if err := side.layouts[i].check(len(side.memory) / a.element); err != nil {
				return fmt.Errorf("%s, number %d: %w", side.name, i, err)
			}
		}
	}
	return nil
}
