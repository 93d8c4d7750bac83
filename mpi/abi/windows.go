package abi

import (
	"musubi/mpi/abi/shadow"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/window"
)

// Win is a window of the program: one of bytes, whose accesses have types.
type Win struct {
	Handled
	Inner      *window.Window
	M          *Comm
	Base       int64 // address in the program
	Bytes      int
	Unit       int   // of displacements at this rank
	Units      []int // and at all of them
	Flavor     int
	Own        int64 // address of memory that has been allocated for it; 0: none
	Shadow     *shadow.Copy
	Attached   map[int64]*shadow.Copy // memory of a dynamic window that lies in another process
	Empty      []int64                // addresses where no bytes have been attached
	Shared     SharedMemory
	Gets       []WinGet // not complete
	Name       string
	Attributes Attributes
	Constants  int64
	Info       *Info
}

// SharedMemory is memory that the processes of several ranks have mapped, where a rank is another
// process than its program.
type SharedMemory struct {
	Memory []byte
	At     int64 // in the program
}

// Win returns the window at a word.
func (c *Call) Win(i int) (*Win, error) {
	w := c.Wins.Get(c.Words[i])
	if w == nil {
		if c.Words[i] == standard.WinNull {
			return nil, Wrong(standard.ErrWin, "MPI_WIN_NULL; expected a window")
		}
		return nil, Wrong(standard.ErrWin, "%#x is no window", c.Words[i])
	}
	c.On, c.reopens = &w.Handled, true
	return w, nil
}

// WinGet is where the elements of a rank go that a get brings.
type WinGet struct {
	Landing
	from int
}

// Owe notes a get from a rank that is not complete until elements are put into place.
func (w *Win) Owe(l Landing, from int) {
	w.Gets = append(w.Gets, WinGet{l, from})
	w.Inner.Owes = true
}

// Land puts into place what gets have brought from a rank, or from all of them, with which all accesses are complete.
func (w *Win) Land(p *Process, from int) {
	left := w.Gets[:0]
	for _, g := range w.Gets {
		if from == AllRanks || from == g.from {
			g.Put(p, len(g.Data))
		} else {
			left = append(left, g)
		}
	}
	clear(w.Gets[len(left):])
	w.Gets, w.Inner.Owes = left, len(left) > 0
}

// AllRanks stands for all ranks of a window.
const AllRanks = -1
