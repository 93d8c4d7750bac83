package windows

import (
	"unsafe"

	"musubi/mpi/abi"
	"musubi/mpi/abi/attribute"
	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	layouts "musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/window"
)

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
		"MPI_Put":                 func(c *abi.Call) error { return put(c, false) },
		"MPI_Rput":                func(c *abi.Call) error { return put(c, true) },
		"MPI_Get":                 func(c *abi.Call) error { return get(c, false) },
		"MPI_Rget":                func(c *abi.Call) error { return get(c, true) },
		"MPI_Accumulate":          func(c *abi.Call) error { return accumulate(c, false) },
		"MPI_Raccumulate":         func(c *abi.Call) error { return accumulate(c, true) },
		"MPI_Get_accumulate":      func(c *abi.Call) error { return getAccumulate(c, false) },
		"MPI_Rget_accumulate":     func(c *abi.Call) error { return getAccumulate(c, true) },
		"MPI_Fetch_and_op":        fetchAndOp,
		"MPI_Compare_and_swap":    compareAndSwap,
		"MPI_Win_fence": func(c *abi.Call) error {
			return synchronise(c, 1, func(w *abi.Win) error { return w.Inner.Fence(c.Function.Name) })
		},
		"MPI_Win_complete": func(c *abi.Call) error {
			return synchronise(c, 0, func(w *abi.Win) error { return w.Inner.Complete(c.Function.Name) })
		},
		"MPI_Win_wait": func(c *abi.Call) error {
			return synchronise(c, 0, func(w *abi.Win) error { return w.Inner.Wait(c.Function.Name) })
		},
		"MPI_Win_lock_all": func(c *abi.Call) error {
			return synchronise(c, 1, func(w *abi.Win) error { return w.Inner.LockAll(c.Function.Name) })
		},
		"MPI_Win_unlock_all": func(c *abi.Call) error {
			return synchronise(c, 0, func(w *abi.Win) error { return w.Inner.UnlockAll(c.Function.Name) })
		},
		"MPI_Win_flush_all": func(c *abi.Call) error {
			return synchronise(c, 0, func(w *abi.Win) error { return w.Inner.FlushAllLocked(c.Function.Name) })
		},
		"MPI_Win_flush_local_all": func(c *abi.Call) error {
			return synchronise(c, 0, func(w *abi.Win) error { return w.Inner.FlushLocalAll(c.Function.Name) })
		},
		"MPI_Win_sync": func(c *abi.Call) error {
			return synchronise(c, 0, func(w *abi.Win) error { return w.Inner.Sync(c.Function.Name) })
		},
		"MPI_Win_flush": func(c *abi.Call) error {
			return atRank(c, 0, 1, func(w *abi.Win, r int) error { return w.Inner.FlushLocked(c.Function.Name, r, true) })
		},
		"MPI_Win_flush_local": func(c *abi.Call) error {
			return atRank(c, 0, 1, func(w *abi.Win, r int) error { return w.Inner.FlushLocked(c.Function.Name, r, false) })
		},
		"MPI_Win_unlock": func(c *abi.Call) error {
			return atRank(c, 0, 1, func(w *abi.Win, r int) error { return w.Inner.UnlockRank(c.Function.Name, r) })
		},
		"MPI_Win_lock": winLock,
		"MPI_Win_post": func(c *abi.Call) error {
			return withGroup(c, func(w *abi.Win, ranks []int) error { return w.Inner.Post(c.Function.Name, ranks) })
		},
		"MPI_Win_start": func(c *abi.Call) error {
			return withGroup(c, func(w *abi.Win, ranks []int) error { return w.Inner.Start(c.Function.Name, ranks) })
		},
		"MPI_Win_test": winTest,
		"MPI_Win_get_group": func(c *abi.Call) error {
			w, err := c.Win(0)
			if err == nil {
				c.PutWord(c.Words[1], c.NewGroup(w.M.Processes()))
			}
			return err
		},
		"MPI_Win_set_name": func(c *abi.Call) error {
			w, err := c.Win(0)
			if err == nil {
				w.Name = c.Text(c.Words[1])
				w.Name = w.Name[:min(len(w.Name), standard.MaxObjectName-1)]
			}
			return err
		},
		"MPI_Win_get_name": func(c *abi.Call) error {
			name := "MPI_WIN_NULL"
			if c.Words[0] != standard.WinNull {
				w, err := c.Win(0)
				if err != nil {
					return err
				}
				name = w.Name
			}
			c.PutInt(c.Words[2], c.PutText(c.Words[1], name, standard.MaxObjectName))
			return nil
		},
		"MPI_Win_set_info": func(c *abi.Call) error {
			w, err := c.Win(0)
			if err == nil {
				w.Info.Merge(c.Infos.Get(c.Words[1]))
			}
			return err
		},
		"MPI_Win_get_info": func(c *abi.Call) error {
			w, err := c.Win(0)
			if err == nil {
				c.PutWord(c.Words[1], c.Infos.Add(w.Info.Clone()))
			}
			return err
		},
	})
}

func winAllocate(c *abi.Call) error {
	if c.At(0) < 0 {
		return abi.Wrong(standard.ErrSize, "%d bytes; expected at least 0", c.At(0))
	}
	base := int64(0)
	if !c.Host.Direct() {
		base, _ = c.Ask(abi.Allocate, c.Words[0])
		c.PutWord(c.Words[4], base)
	}
	return newWin(c, base, c.At(0), c.At(1), 3, standard.WinFlavorAllocate, 5)
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
	w.Errhandler = m.Errhandler
	c.UseErrhandler(w.Errhandler)
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
	if err := w.Inner.Free(c.Function.Name); err != nil {
		return err
	}
	land(c, w)
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

// land puts what gets have brought into place.
func land(c *abi.Call, w *abi.Win) {
	for i := range w.Gets {
		w.Gets[i].Put(c.Process, len(w.Gets[i].Data))
	}
	w.Gets = w.Gets[:0]
}

// synchronise calls a function that may complete accesses.
func synchronise(c *abi.Call, i int, do func(w *abi.Win) error) error {
	w, err := c.Win(i)
	if err != nil {
		return err
	}
	if err := do(w); err != nil {
		return err
	}
	land(c, w)
	return nil
}

func atRank(c *abi.Call, rank, of int, do func(w *abi.Win, rank int) error) error {
	return synchronise(c, of, func(w *abi.Win) error {
		r, err := c.Peer(w.M, c.At(rank), false)
		if err != nil {
			return err
		}
		if r == core.None {
			return nil
		}
		return do(w, r)
	})
}

func winLock(c *abi.Call) error {
	kind := window.SharedLock
	switch c.At(0) {
	case standard.LockShared:
	case standard.LockExclusive:
		kind = window.ExclusiveLock
	default:
		if _, err := c.Win(3); err != nil {
			return err
		}
		return abi.Wrong(standard.ErrLocktype, "lock type %d", c.At(0))
	}
	return atRank(c, 1, 3, func(w *abi.Win, r int) error { return w.Inner.Lock(c.Function.Name, r, kind) })
}

func withGroup(c *abi.Call, do func(w *abi.Win, ranks []int) error) error {
	w, err := c.Win(2)
	if err != nil {
		return err
	}
	g, err := c.Group(0)
	if err != nil {
		return err
	}
	var ranks []int
	for _, process := range g.Processes {
		r := w.M.Inner.RankOf(process)
		if r < 0 {
			return abi.Wrong(standard.ErrGroup, "a group with a process that the window does not have")
		}
		ranks = append(ranks, r)
	}
	return do(w, ranks)
}

func winTest(c *abi.Call) error {
	w, err := c.Win(0)
	if err != nil {
		return err
	}
	done, err := w.Inner.Test(c.Function.Name)
	if err == nil {
		c.PutBool(c.Words[1], done)
		land(c, w)
	}
	return err
}

// target is where an access goes: a rank, and bytes of elements from a byte there on.
type target struct {
	window   *abi.Win
	rank, at int
	from     int // where its displacement is
	there    layouts.Type
	of       *abi.Datatype
	count    int
}

// targetAt reads rank, displacement, count and type from words i on, and the window from word of.
func targetAt(c *abi.Call, i, of int) (t target, err error) {
	if t.window, err = c.Win(of); err != nil {
		return t, err
	}
	if t.rank, err = c.Peer(t.window.M, c.At(i), false); err != nil {
		return t, err
	}
	if t.count, t.of, err = c.Counted(i + 2); err != nil {
		return t, err
	}
	if t.rank == core.None {
		return t, nil
	}
	disp := c.At(i + 1)
	if disp < 0 {
		return t, abi.Wrong(standard.ErrDisp, "displacement %d; expected at least 0", disp)
	}
	t.from = disp * t.window.Units[t.rank]
	t.there, t.at = layout(&t.of.Type, t.count, t.from)
	if t.at < 0 || t.at+t.there.Extent > t.window.Inner.Length(t.rank) {
		return t, abi.Wrong(standard.ErrRmaRange, "%d bytes from %d on of a window that has %d at rank %d", t.there.Extent, t.at, t.window.Inner.Length(t.rank), t.rank)
	}
	return t, nil
}

// layout returns the bytes of so many elements as package window has them, from the first of them
// on, and where that is.
func layout(t *typemap.Type, count, at int) (layouts.Type, int) {
	if t.Simple || count == 0 || t.Size == 0 {
		return layouts.Contiguous(count * t.Size), at
	}
	low, _ := t.Span(count)
	var runs []layouts.Run
	for i := range count {
		for _, r := range t.Runs {
			runs = append(runs, layouts.Run{At: i*t.Extent() + r.At - low, Bytes: r.Bytes})
		}
	}
	return layouts.Indexed(runs), at + low
}

// origin checks that as many bytes leave as arrive.
func (t *target) fits(bytes int) error {
	if bytes != t.there.Size {
		return abi.Wrong(standard.ErrCount, "%d bytes here and %d at the target; expected as many", bytes, t.there.Size)
	}
	return nil
}

// finishAccess gives the program a request for an access that has been started: it is complete.
func finishAccess(c *abi.Call, t *target, request bool, words int) error {
	if !request {
		return nil
	}
	if t.rank != core.None {
		if err := t.window.Inner.FlushLocked(c.Function.Name, t.rank, true); err != nil {
			return err
		}
		land(c, t.window)
	}
	c.PutWord(c.Words[words], c.DoneRequest(t.window.M))
	return nil
}

func put(c *abi.Call, request bool) error {
	t, err := targetAt(c, 3, 7)
	if err != nil {
		return err
	}
	count, of, err := c.Counted(1)
	if err != nil {
		return err
	}
	if t.rank != core.None {
		data := c.Outgoing(c.Words[0], count, of)
		if err := t.fits(len(data)); err != nil {
			return err
		}
		here := layouts.Contiguous(len(data))
		if len(data) > 0 {
			if err := t.window.Inner.Move(c.Function.Name, true, t.rank, t.at, &t.there, data, &here); err != nil {
				return err
			}
		}
	}
	return finishAccess(c, &t, request, 8)
}

func get(c *abi.Call, request bool) error {
	t, err := targetAt(c, 3, 7)
	if err != nil {
		return err
	}
	count, of, err := c.Counted(1)
	if err != nil {
		return err
	}
	if t.rank != core.None {
		l := c.Landing(c.Words[0], count, of)
		if err := t.fits(len(l.Data)); err != nil {
			return err
		}
		if here := layouts.Contiguous(len(l.Data)); len(l.Data) > 0 {
			if err := t.window.Inner.Move(c.Function.Name, false, t.rank, t.at, &t.there, l.Data, &here); err != nil {
				return err
			}
			if !l.Direct {
				t.window.Gets = append(t.window.Gets, l)
			}
		}
	}
	return finishAccess(c, &t, request, 8)
}

// typed prepares a window for an operation on elements of a type. Pairs of a value and a place move with
// the gaps that they have in memory.
func typed(c *abi.Call, t *target, op int64) (reduction.ID, error) {
	id, known := abi.Usual[op]
	if !known {
		return 0, abi.Wrong(standard.ErrOp, "Musubi does not have operation %#x in accesses to windows", op)
	}
	kind := t.of.Element.Kind
	switch {
	case kind.IsForeign() && t.rank != core.None:
		t.there, t.at = layout(withGaps(c.Process, t.of), t.count, t.from)
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
		data := combined(c, &t, c.Words[0], count, of)
		if err := t.fits(len(data)); err != nil {
			return err
		}
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
	l := olds(c, &t, c.Words[3], count, of)
	if err := t.fits(len(l.Data)); err != nil {
		return err
	}
	var data []byte
	if c.Words[10] != standard.NoOp {
		count, of, err := c.Counted(1)
		if err != nil {
			return err
		}
		data = combined(c, &t, c.Words[0], count, of)
		if err := t.fits(len(data)); err != nil {
			return err
		}
	}
	if len(l.Data) > 0 {
		from, into := layouts.Contiguous(len(data)), layouts.Contiguous(len(l.Data))
		if err := t.window.Inner.GetAccumulatePacked(c.Function.Name, t.rank, t.at, &t.there, data, &from, l.Data, &into, id); err != nil {
			return err
		}
		if !l.Direct {
			t.window.Gets = append(t.window.Gets, l)
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
	if c.At(of+2) < 0 {
		return t, abi.Wrong(standard.ErrDisp, "displacement %d; expected at least 0", c.At(of+2))
	}
	t.from = c.At(of+2) * t.window.Units[t.rank]
	t.at = t.from
	if t.at+t.of.Size > t.window.Inner.Length(t.rank) {
		return t, abi.Wrong(standard.ErrRmaRange, "%d bytes from %d on of a window that has %d at rank %d", t.of.Size, t.at, t.window.Inner.Length(t.rank), t.rank)
	}
	return t, nil
}

func fetchAndOp(c *abi.Call) error {
	t, err := single(c, 2, 6)
	if err != nil || t.rank == core.None {
		return err
	}
	id, err := typed(c, &t, c.Words[5])
	if err != nil {
		return err
	}
	was := olds(c, &t, c.Words[1], 1, t.of)
	operand := make([]byte, len(was.Data))
	if c.Words[5] != standard.NoOp {
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
