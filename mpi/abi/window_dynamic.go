package abi

import (
	"slices"

	"musubi/mpi/abi/shadow"
	"musubi/mpi/abi/standard"
)

// Places of a dynamic window are addresses of the program.

func (c *call) winAttach() error {
	w, err := c.win(0)
	if err != nil {
		return err
	}
	bytes := c.at(2)
	if bytes < 0 {
		return wrong(standard.ErrSize, "%d bytes; expected at least 0", bytes)
	}
	if bytes == 0 { // there is nothing to access, and other memory may begin there
		w.empty = append(w.empty, c.a[1])
		return nil
	}
	if c.host.Direct() {
		return w.w.Attach(c.function.name, int(c.a[1]), c.host.View(uintptr(c.a[1]), bytes))
	}
	s := c.newShadow(c.a[1], bytes)
	if err := w.w.Attach(c.function.name, int(c.a[1]), s.Now); err != nil {
		c.dropShadow(s)
		return err
	}
	if w.attached == nil {
		w.attached = map[int64]*shadow.Copy{}
	}
	w.attached[c.a[1]] = s
	return nil
}

func (c *call) winDetach() error {
	w, err := c.win(0)
	if err != nil {
		return err
	}
	if i := slices.Index(w.empty, c.a[1]); i >= 0 {
		w.empty = slices.Delete(w.empty, i, i+1)
		return nil
	}
	if err := w.w.Detach(c.function.name, int(c.a[1])); err != nil {
		return err
	}
	c.dropShadow(w.attached[c.a[1]])
	delete(w.attached, c.a[1])
	return nil
}
