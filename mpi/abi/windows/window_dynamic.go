package windows

import (
	"slices"

	"musubi/mpi/abi"
	"musubi/mpi/abi/shadow"
	"musubi/mpi/abi/standard"
)

// Places of a dynamic window are addresses of the program.

func winAttach(c *abi.Call) error {
	w, err := c.Win(0)
	if err != nil {
		return err
	}
	bytes := c.At(2)
	if bytes < 0 {
		return abi.Wrong(standard.ErrSize, "%d bytes; expected at least 0", bytes)
	}
	if bytes == 0 { // there is nothing to access, and other memory may begin there
		w.Empty = append(w.Empty, c.Words[1])
		return nil
	}
	if c.Host.Direct() {
		return w.Inner.Attach(c.Function.Name, int(c.Words[1]), c.Host.View(uintptr(c.Words[1]), bytes))
	}
	s := c.NewShadow(c.Words[1], bytes)
	if err := w.Inner.Attach(c.Function.Name, int(c.Words[1]), s.Now); err != nil {
		c.DropShadow(s)
		return err
	}
	if w.Attached == nil {
		w.Attached = map[int64]*shadow.Copy{}
	}
	w.Attached[c.Words[1]] = s
	return nil
}

func winDetach(c *abi.Call) error {
	w, err := c.Win(0)
	if err != nil {
		return err
	}
	if i := slices.Index(w.Empty, c.Words[1]); i >= 0 {
		w.Empty = slices.Delete(w.Empty, i, i+1)
		return nil
	}
	if err := w.Inner.Detach(c.Function.Name, int(c.Words[1])); err != nil {
		return err
	}
	c.DropShadow(w.Attached[c.Words[1]])
	delete(w.Attached, c.Words[1])
	return nil
}
