package windows

import (
	"unsafe"

	"musubi/mpi/abi"
	"musubi/mpi/abi/attribute"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/window"
)

var names = abi.Naming{
	Of: func(c *abi.Call, word int) (*string, error) {
		w, err := c.Win(word)
		if err != nil {
			return nil, err
		}
		return &w.Name, nil
	},
	Null: standard.WinNull, NullName: "MPI_WIN_NULL",
}

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Win_create": func(c *abi.Call) error {
			return newWin(c, c.Words[0], c.At(1), c.At(2), 4, standard.WinFlavorCreate, 5)
		},
		"MPI_Win_allocate_shared": func(c *abi.Call) error { return newWin(c, 0, c.At(0), c.At(1), 3, standard.WinFlavorShared, 5) },
		"MPI_Win_shared_query":    winSharedQuery,
		"MPI_Win_create_dynamic":  func(c *abi.Call) error { return newWin(c, 0, 0, 1, 1, standard.WinFlavorDynamic, 2) },
		"MPI_Win_attach":          winAttach,
		"MPI_Win_detach":          winDetach,
		"MPI_Win_allocate":        winAllocate,
		"MPI_Win_free":            winFree,
		"MPI_Win_set_name":        names.Set,
		"MPI_Win_get_name":        names.Get,
		"MPI_Win_get_group": onWin(0, func(c *abi.Call, w *abi.Win) error {
			c.PutWord(c.Words[1], c.NewGroup(w.M.Processes()))
			return nil
		}),
		"MPI_Win_set_info": onWin(0, func(c *abi.Call, w *abi.Win) error {
			w.Info.Merge(c.Infos.Get(c.Words[1]))
			return nil
		}),
		"MPI_Win_get_info": onWin(0, func(c *abi.Call, w *abi.Win) error {
			c.PutWord(c.Words[1], c.Infos.Add(w.Info.Clone()))
			return nil
		}),
	})
}

// onWin returns a function that is about the window of a word.
func onWin(word int, do func(*abi.Call, *abi.Win) error) func(*abi.Call) error {
	return func(c *abi.Call) error {
		w, err := c.Win(word)
		if err != nil {
			return err
		}
		return do(c, w)
	}
}

// large is how many bytes are allocated only after the host has been asked whether it has them. It costs a system call.
const large = 1 << 30

func winAllocate(c *abi.Call) error {
	bytes := c.At(0)
	if _, err := c.Intra(3); err != nil { // whose error handler it is
		return err
	}
	if bytes < 0 {
		return abi.Wrong(standard.ErrSize, "%d bytes; expected at least 0", bytes)
	}
	base := int64(0)
	if !c.Host.Direct() || bytes >= large {
		if base, _ = c.Ask(abi.Allocate, int64(bytes)); base == 0 && bytes > 0 {
			return abi.Wrong(standard.ErrNoMem, "%d bytes, which the host does not have", bytes)
		}
	}
	if c.Host.Direct() {
		if base != 0 {
			c.Ask(abi.Free, base)
		}
		return newWin(c, 0, bytes, c.At(1), 3, standard.WinFlavorAllocate, 5)
	}
	c.PutWord(c.Words[4], base)
	return newWin(c, base, bytes, c.At(1), 3, standard.WinFlavorAllocate, 5)
}

// newWin makes a window of memory of the program. Fresh memory of a live job is where others reach it
// fastest.
func newWin(c *abi.Call, base int64, bytes, unit, of, flavor, result int) error {
	m, err := c.Intra(of)
	if err != nil {
		return err
	}
	switch {
	case bytes < 0:
		return abi.Wrong(standard.ErrSize, "%d bytes; expected at least 0", bytes)
	case unit <= 0:
		return abi.Wrong(standard.ErrDisp, "a unit of displacements of %d bytes; expected at least 1", unit)
	}
	w := &abi.Win{Inner: new(window.Window), M: m, Base: base, Bytes: bytes, Unit: unit, Flavor: flavor, Units: make([]int, m.Inner.Size()), Info: new(abi.Info)}
	w.Errhandler = standard.ErrorsAreFatal
	if err := w.Inner.SetUp(m.Inner, c.Function.Name, 1, abi.KindOf(8), "byte"); err != nil {
		return err
	}
	switch {
	case flavor == standard.WinFlavorDynamic:
		w.Inner.MakeDynamic()
	case flavor == standard.WinFlavorShared:
		if err := allocateShared(c, w); err != nil {
			return err
		}
	case !c.Host.Direct():
		w.Shadow = c.NewShadow(base, bytes)
		w.Inner.Expose(w.Shadow.Now)
		if flavor == standard.WinFlavorAllocate {
			w.Own = base
		}
	case flavor == standard.WinFlavorAllocate:
		if err := w.Inner.Allocate(c.Function.Name, bytes); err != nil {
			return err
		}
		w.Base = int64(uintptr(unsafe.Pointer(unsafe.SliceData(w.Inner.Memory))))
		c.PutWord(c.Words[4], w.Base)
	case bytes == 0:
		w.Inner.Expose(nil)
	default:
		w.Inner.Expose(c.Host.View(uintptr(base), bytes))
	}
	if err := w.Inner.ExchangeExtents(c.Function.Name); err != nil {
		return err
	}
	if err := collective.AllGather(m.Inner, c.Function.Name, []int{unit}, w.Units); err != nil {
		return err
	}
	w.Handle = c.Wins.Add(w)
	if c.Reached != nil {
		c.Reached.Open(w)
	}
	c.PutWord(c.Words[result], w.Handle)
	return nil
}

func winFree(c *abi.Call) error {
	h := c.Word(c.Words[0])
	w := c.Wins.Get(h)
	if w == nil {
		return abi.Wrong(standard.ErrWin, "%#x is no window", h)
	}
	c.On = &w.Handled
	if err := attribute.DeleteAttributes(c, &w.Attributes, h); err != nil {
		return err
	}
	err := w.Inner.Free(c.Function.Name)
	if c.Reached != nil && w.Inner.Freed {
		c.Reached.Close(w)
	}
	if err != nil {
		return err
	}
	w.Land(c.Process, abi.AllRanks)
	c.DropShadow(w.Shadow)
	for _, s := range w.Attached {
		c.DropShadow(s)
	}
	unmapShared(c.Process, &w.Shared)
	if w.Own != 0 {
		c.Ask(abi.Free, w.Own)
	}
	if w.Constants != 0 {
		c.Ask(abi.Free, w.Constants)
	}
	c.UnuseErrhandler(w.Errhandler)
	c.Wins.Remove(h)
	c.PutWord(c.Words[0], standard.WinNull)
	return nil
}
