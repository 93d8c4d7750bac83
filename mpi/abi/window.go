package abi

import (
	"unsafe"

	"musubi/mpi/abi/shadow"
	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	layouts "musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/window"
)

// win is a window of the program: one of bytes, whose accesses have types.
type win struct {
	handled
	w          *window.Window
	m          *comm
	base       int64 // address in the program
	bytes      int
	unit       int   // of displacements at this rank
	units      []int // and at all of them
	flavor     int
	own        int64 // address of memory that has been allocated for it; 0: none
	shadow     *shadow.Copy
	attached   map[int64]*shadow.Copy // memory of a dynamic window that lies in another process
	empty      []int64                // addresses where no bytes have been attached
	shared     sharedMemory
	gets       []landing // not complete
	name       string
	attributes attributes
	constants  int64
	info       *info
}

func (c *call) win(i int) (*win, error) {
	w := c.wins.Get(c.a[i])
	if w == nil {
		if c.a[i] == standard.WinNull {
			return nil, wrong(standard.ErrWin, "MPI_WIN_NULL; expected a window")
		}
		return nil, wrong(standard.ErrWin, "%#x is no window", c.a[i])
	}
	c.on = &w.handled
	return w, nil
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Win_create": func(c *call) error {
			return c.newWin(c.a[0], c.at(1), c.at(2), 4, standard.WinFlavorCreate, 5)
		},
		"MPI_Win_allocate_shared": func(c *call) error { return c.newWin(0, c.at(0), c.at(1), 3, standard.WinFlavorShared, 5) },
		"MPI_Win_shared_query":    (*call).winSharedQuery,
		"MPI_Win_create_dynamic":  func(c *call) error { return c.newWin(0, 0, 1, 1, standard.WinFlavorDynamic, 2) },
		"MPI_Win_attach":          (*call).winAttach,
		"MPI_Win_detach":          (*call).winDetach,
		"MPI_Win_allocate":        (*call).winAllocate,
		"MPI_Win_free":            (*call).winFree,
		"MPI_Put":                 func(c *call) error { return c.put(false) },
		"MPI_Rput":                func(c *call) error { return c.put(true) },
		"MPI_Get":                 func(c *call) error { return c.get(false) },
		"MPI_Rget":                func(c *call) error { return c.get(true) },
		"MPI_Accumulate":          func(c *call) error { return c.accumulate(false) },
		"MPI_Raccumulate":         func(c *call) error { return c.accumulate(true) },
		"MPI_Get_accumulate":      func(c *call) error { return c.getAccumulate(false) },
		"MPI_Rget_accumulate":     func(c *call) error { return c.getAccumulate(true) },
		"MPI_Fetch_and_op":        (*call).fetchAndOp,
		"MPI_Compare_and_swap":    (*call).compareAndSwap,
		"MPI_Win_fence":           func(c *call) error { return c.synchronise(1, func(w *win) error { return w.w.Fence(c.function.name) }) },
		"MPI_Win_complete": func(c *call) error {
			return c.synchronise(0, func(w *win) error { return w.w.Complete(c.function.name) })
		},
		"MPI_Win_wait": func(c *call) error { return c.synchronise(0, func(w *win) error { return w.w.Wait(c.function.name) }) },
		"MPI_Win_lock_all": func(c *call) error {
			return c.synchronise(1, func(w *win) error { return w.w.LockAll(c.function.name) })
		},
		"MPI_Win_unlock_all": func(c *call) error {
			return c.synchronise(0, func(w *win) error { return w.w.UnlockAll(c.function.name) })
		},
		"MPI_Win_flush_all": func(c *call) error {
			return c.synchronise(0, func(w *win) error { return w.w.FlushAllLocked(c.function.name) })
		},
		"MPI_Win_flush_local_all": func(c *call) error {
			return c.synchronise(0, func(w *win) error { return w.w.FlushLocalAll(c.function.name) })
		},
		"MPI_Win_sync": func(c *call) error { return c.synchronise(0, func(w *win) error { return w.w.Sync(c.function.name) }) },
		"MPI_Win_flush": func(c *call) error {
			return c.atRank(0, 1, func(w *win, r int) error { return w.w.FlushLocked(c.function.name, r, true) })
		},
		"MPI_Win_flush_local": func(c *call) error {
			return c.atRank(0, 1, func(w *win, r int) error { return w.w.FlushLocked(c.function.name, r, false) })
		},
		"MPI_Win_unlock": func(c *call) error {
			return c.atRank(0, 1, func(w *win, r int) error { return w.w.UnlockRank(c.function.name, r) })
		},
		"MPI_Win_lock": (*call).winLock,
		"MPI_Win_post": func(c *call) error {
			return c.withGroup(func(w *win, ranks []int) error { return w.w.Post(c.function.name, ranks) })
		},
		"MPI_Win_start": func(c *call) error {
			return c.withGroup(func(w *win, ranks []int) error { return w.w.Start(c.function.name, ranks) })
		},
		"MPI_Win_test": (*call).winTest,
		"MPI_Win_get_group": func(c *call) error {
			w, err := c.win(0)
			if err == nil {
				c.putWord(c.a[1], c.newGroup(w.m.processes()))
			}
			return err
		},
		"MPI_Win_set_name": func(c *call) error {
			w, err := c.win(0)
			if err == nil {
				w.name = c.text(c.a[1])
				w.name = w.name[:min(len(w.name), standard.MaxObjectName-1)]
			}
			return err
		},
		"MPI_Win_get_name": func(c *call) error {
			name := "MPI_WIN_NULL"
			if c.a[0] != standard.WinNull {
				w, err := c.win(0)
				if err != nil {
					return err
				}
				name = w.name
			}
			c.putInt(c.a[2], c.putText(c.a[1], name, standard.MaxObjectName))
			return nil
		},
		"MPI_Win_set_info": func(c *call) error {
			w, err := c.win(0)
			if err == nil {
				w.info.merge(c.infos.Get(c.a[1]))
			}
			return err
		},
		"MPI_Win_get_info": func(c *call) error {
			w, err := c.win(0)
			if err == nil {
				c.putWord(c.a[1], c.infos.Add(w.info.clone()))
			}
			return err
		},
	})
}

func (c *call) winAllocate() error {
	if c.at(0) < 0 {
		return wrong(standard.ErrSize, "%d bytes; expected at least 0", c.at(0))
	}
	base := int64(0)
	if !c.host.Direct() {
		base, _ = c.ask(Allocate, c.a[0])
		c.putWord(c.a[4], base)
	}
	return c.newWin(base, c.at(0), c.at(1), 3, standard.WinFlavorAllocate, 5)
}

// newWin makes a window of memory of the program. Fresh memory of a live job is where others reach it
// fastest.
func (c *call) newWin(base int64, bytes, unit, of, flavor, result int) error {
	m, err := c.intra(of)
	if err != nil {
		return err
	}
	switch {
	case bytes < 0:
		return wrong(standard.ErrSize, "%d bytes; expected at least 0", bytes)
	case unit <= 0:
		return wrong(standard.ErrDisp, "a unit of displacements of %d bytes; expected at least 1", unit)
	}
	w := &win{w: new(window.Window), m: m, base: base, bytes: bytes, unit: unit, flavor: flavor, units: make([]int, m.c.Size()), info: new(info)}
	w.errhandler = m.errhandler
	c.useErrhandler(w.errhandler)
	if err := w.w.SetUp(m.c, c.function.name, 1, kindOf(8), "byte"); err != nil {
		return err
	}
	switch {
	case flavor == standard.WinFlavorDynamic:
		w.w.MakeDynamic()
	case flavor == standard.WinFlavorShared:
		if err := c.allocateShared(w); err != nil {
			return err
		}
	case !c.host.Direct():
		w.shadow = c.newShadow(base, bytes)
		w.w.Expose(w.shadow.Now)
		if flavor == standard.WinFlavorAllocate {
			w.own = base
		}
	case flavor == standard.WinFlavorAllocate:
		if err := w.w.Allocate(c.function.name, bytes); err != nil {
			return err
		}
		w.base = int64(uintptr(unsafe.Pointer(unsafe.SliceData(w.w.Memory))))
		c.putWord(c.a[4], w.base)
	case bytes == 0:
		w.w.Expose(nil)
	default:
		w.w.Expose(c.host.View(uintptr(base), bytes))
	}
	if err := w.w.ExchangeExtents(c.function.name); err != nil {
		return err
	}
	if err := collective.AllGather(m.c, c.function.name, []int{unit}, w.units); err != nil {
		return err
	}
	w.handle = c.wins.Add(w)
	c.putWord(c.a[result], w.handle)
	return nil
}

func (c *call) winFree() error {
	h := c.word(c.a[0])
	w := c.wins.Get(h)
	if w == nil {
		return wrong(standard.ErrWin, "%#x is no window", h)
	}
	c.on = &w.handled
	if err := c.deleteAttributes(&w.attributes, h); err != nil {
		return err
	}
	if err := w.w.Free(c.function.name); err != nil {
		return err
	}
	c.land(w)
	c.dropShadow(w.shadow)
	for _, s := range w.attached {
		c.dropShadow(s)
	}
	c.unmapShared(&w.shared)
	if w.own != 0 {
		c.ask(Free, w.own)
	}
	if w.constants != 0 {
		c.ask(Free, w.constants)
	}
	c.unuseErrhandler(w.errhandler)
	c.wins.Remove(h)
	c.putWord(c.a[0], standard.WinNull)
	return nil
}

// land puts what gets have brought into place.
func (c *call) land(w *win) {
	for i := range w.gets {
		w.gets[i].put(c.Process, len(w.gets[i].data))
	}
	w.gets = w.gets[:0]
}

// synchronise calls a function that may complete accesses.
func (c *call) synchronise(i int, do func(w *win) error) error {
	w, err := c.win(i)
	if err != nil {
		return err
	}
	if err := do(w); err != nil {
		return err
	}
	c.land(w)
	return nil
}

func (c *call) atRank(rank, of int, do func(w *win, rank int) error) error {
	return c.synchronise(of, func(w *win) error {
		r, err := c.peer(w.m, c.at(rank), false)
		if err != nil {
			return err
		}
		if r == core.None {
			return nil
		}
		return do(w, r)
	})
}

func (c *call) winLock() error {
	kind := window.SharedLock
	switch c.at(0) {
	case standard.LockShared:
	case standard.LockExclusive:
		kind = window.ExclusiveLock
	default:
		if _, err := c.win(3); err != nil {
			return err
		}
		return wrong(standard.ErrLocktype, "lock type %d", c.at(0))
	}
	return c.atRank(1, 3, func(w *win, r int) error { return w.w.Lock(c.function.name, r, kind) })
}

func (c *call) withGroup(do func(w *win, ranks []int) error) error {
	w, err := c.win(2)
	if err != nil {
		return err
	}
	g, err := c.group(0)
	if err != nil {
		return err
	}
	var ranks []int
	for _, process := range g.processes {
		r := w.m.c.RankOf(process)
		if r < 0 {
			return wrong(standard.ErrGroup, "a group with a process that the window does not have")
		}
		ranks = append(ranks, r)
	}
	return do(w, ranks)
}

func (c *call) winTest() error {
	w, err := c.win(0)
	if err != nil {
		return err
	}
	done, err := w.w.Test(c.function.name)
	if err == nil {
		c.putBool(c.a[1], done)
		c.land(w)
	}
	return err
}

// target is where an access goes: a rank, and bytes of elements from a byte there on.
type target struct {
	w        *win
	rank, at int
	from     int // where its displacement is
	there    layouts.Type
	of       *datatype
	count    int
}

// target reads rank, displacement, count and type from words i on, and the window from word of.
func (c *call) target(i, of int) (t target, err error) {
	if t.w, err = c.win(of); err != nil {
		return t, err
	}
	if t.rank, err = c.peer(t.w.m, c.at(i), false); err != nil {
		return t, err
	}
	if t.count, t.of, err = c.counted(i + 2); err != nil {
		return t, err
	}
	if t.rank == core.None {
		return t, nil
	}
	disp := c.at(i + 1)
	if disp < 0 {
		return t, wrong(standard.ErrDisp, "displacement %d; expected at least 0", disp)
	}
	t.from = disp * t.w.units[t.rank]
	t.there, t.at = layout(&t.of.Type, t.count, t.from)
	if t.at < 0 || t.at+t.there.Extent > t.w.w.Length(t.rank) {
		return t, wrong(standard.ErrRmaRange, "%d bytes from %d on of a window that has %d at rank %d", t.there.Extent, t.at, t.w.w.Length(t.rank), t.rank)
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
		return wrong(standard.ErrCount, "%d bytes here and %d at the target; expected as many", bytes, t.there.Size)
	}
	return nil
}

// finishAccess gives the program a request for an access that has been started: it is complete.
func (c *call) finishAccess(t *target, request bool, words int) error {
	if !request {
		return nil
	}
	if t.rank != core.None {
		if err := t.w.w.FlushLocked(c.function.name, t.rank, true); err != nil {
			return err
		}
		c.land(t.w)
	}
	c.putWord(c.a[words], c.doneRequest(t.w.m))
	return nil
}

func (c *call) put(request bool) error {
	t, err := c.target(3, 7)
	if err != nil {
		return err
	}
	count, of, err := c.counted(1)
	if err != nil {
		return err
	}
	if t.rank != core.None {
		data := c.outgoing(c.a[0], count, of)
		if err := t.fits(len(data)); err != nil {
			return err
		}
		here := layouts.Contiguous(len(data))
		if len(data) > 0 {
			if err := t.w.w.Move(c.function.name, true, t.rank, t.at, &t.there, data, &here); err != nil {
				return err
			}
		}
	}
	return c.finishAccess(&t, request, 8)
}

func (c *call) get(request bool) error {
	t, err := c.target(3, 7)
	if err != nil {
		return err
	}
	count, of, err := c.counted(1)
	if err != nil {
		return err
	}
	if t.rank != core.None {
		l := c.landing(c.a[0], count, of)
		if err := t.fits(len(l.data)); err != nil {
			return err
		}
		if here := layouts.Contiguous(len(l.data)); len(l.data) > 0 {
			if err := t.w.w.Move(c.function.name, false, t.rank, t.at, &t.there, l.data, &here); err != nil {
				return err
			}
			if !l.direct {
				t.w.gets = append(t.w.gets, l)
			}
		}
	}
	return c.finishAccess(&t, request, 8)
}

// typed prepares a window for an operation on elements of a type. Pairs of a value and a place move with
// the gaps that they have in memory.
func (c *call) typed(t *target, op int64) (reduction.ID, error) {
	id, known := usual[op]
	if !known {
		return 0, wrong(standard.ErrOp, "Musubi does not have operation %#x in accesses to windows", op)
	}
	kind := t.of.Element.Kind
	switch {
	case kind.IsForeign() && t.rank != core.None:
		t.there, t.at = layout(c.withGaps(t.of), t.count, t.from)
	case t.count*t.of.Size == 0, kind == 0 && (op == standard.Replace || op == standard.NoOp):
		kind = kindOf(8)
		if reduction.Of(id, kind) == nil { // of nothing
			return id, nil
		}
	}
	if kind == 0 || reduction.Of(id, kind) == nil {
		return 0, wrong(standard.ErrOp, "operation %#x is not for elements of %s", op, t.of.describe())
	}
	t.w.w.SetTyped(kind, max(t.of.Element.Bytes, 1))
	return id, nil
}

// withGaps returns the layout of a type of pairs in which the gaps within a pair count as data.
func (p *Process) withGaps(of *datatype) *typemap.Type {
	t := of.Whole(p.typeAt(of.Element.Basic).Size)
	return &t
}

// combined returns the data of an accumulate: packed, or pairs with their gaps.
func (c *call) combined(t *target, at int64, count int, of *datatype) []byte {
	if e := of.Element; e.Kind.IsForeign() && e == t.of.Element {
		return c.packed(at, count, c.withGaps(of))
	}
	return c.outgoing(at, count, of)
}

// olds returns where old elements go, in the form of operands.
func (c *call) olds(t *target, at int64, count int, of *datatype) landing {
	if e := of.Element; e.Kind.IsForeign() && e == t.of.Element {
		return landing{at: at, count: count, of: of, data: make([]byte, count*c.withGaps(of).Size), pairs: true}
	}
	return c.landing(at, count, of)
}

func (c *call) accumulate(request bool) error {
	t, err := c.target(3, 8)
	if err != nil {
		return err
	}
	count, of, err := c.counted(1)
	if err != nil {
		return err
	}
	id, err := c.typed(&t, c.a[7])
	if err != nil {
		return err
	}
	if t.rank != core.None {
		data := c.combined(&t, c.a[0], count, of)
		if err := t.fits(len(data)); err != nil {
			return err
		}
		if here := layouts.Contiguous(len(data)); len(data) > 0 {
			if err := t.w.w.AccumulatePacked(c.function.name, t.rank, t.at, &t.there, data, &here, id); err != nil {
				return err
			}
		}
	}
	return c.finishAccess(&t, request, 9)
}

func (c *call) getAccumulate(request bool) error {
	t, err := c.target(6, 11)
	if err != nil {
		return err
	}
	id, err := c.typed(&t, c.a[10])
	if err != nil {
		return err
	}
	if t.rank == core.None {
		return c.finishAccess(&t, request, 12)
	}
	count, of, err := c.counted(4)
	if err != nil {
		return err
	}
	l := c.olds(&t, c.a[3], count, of)
	if err := t.fits(len(l.data)); err != nil {
		return err
	}
	var data []byte
	if c.a[10] != standard.NoOp {
		count, of, err := c.counted(1)
		if err != nil {
			return err
		}
		data = c.combined(&t, c.a[0], count, of)
		if err := t.fits(len(data)); err != nil {
			return err
		}
	}
	if len(l.data) > 0 {
		from, into := layouts.Contiguous(len(data)), layouts.Contiguous(len(l.data))
		if err := t.w.w.GetAccumulatePacked(c.function.name, t.rank, t.at, &t.there, data, &from, l.data, &into, id); err != nil {
			return err
		}
		if !l.direct {
			t.w.gets = append(t.w.gets, l)
		}
	}
	return c.finishAccess(&t, request, 12)
}

// single reads an access to one element: its type is word of, and rank, displacement follow.
func (c *call) single(of, window int) (t target, err error) {
	if t.w, err = c.win(window); err != nil {
		return t, err
	}
	if t.rank, err = c.peer(t.w.m, c.at(of+1), false); err != nil {
		return t, err
	}
	if t.of, err = c.datatype(of); err != nil {
		return t, err
	}
	if t.count = 1; t.rank == core.None {
		return t, nil
	}
	if c.at(of+2) < 0 {
		return t, wrong(standard.ErrDisp, "displacement %d; expected at least 0", c.at(of+2))
	}
	t.from = c.at(of+2) * t.w.units[t.rank]
	t.at = t.from
	if t.at+t.of.Size > t.w.w.Length(t.rank) {
		return t, wrong(standard.ErrRmaRange, "%d bytes from %d on of a window that has %d at rank %d", t.of.Size, t.at, t.w.w.Length(t.rank), t.rank)
	}
	return t, nil
}

func (c *call) fetchAndOp() error {
	t, err := c.single(2, 6)
	if err != nil || t.rank == core.None {
		return err
	}
	id, err := c.typed(&t, c.a[5])
	if err != nil {
		return err
	}
	was := c.olds(&t, c.a[1], 1, t.of)
	operand := make([]byte, len(was.data))
	if c.a[5] != standard.NoOp {
		operand = c.combined(&t, c.a[0], 1, t.of)
	}
	if err := t.w.w.FetchAndOp(c.function.name, t.rank, t.at, operand, was.data, id); err != nil {
		return err
	}
	was.put(c.Process, len(was.data))
	return nil
}

func (c *call) compareAndSwap() error {
	t, err := c.single(3, 6)
	if err != nil || t.rank == core.None {
		return err
	}
	if kind := t.of.Element.Kind; !t.of.predefined || !kind.IsWhole() {
		return wrong(standard.ErrType, "%s; expected a predefined datatype of integers, truth values or bytes", t.of.describe())
	}
	if _, err := c.typed(&t, standard.Replace); err != nil {
		return err
	}
	was := make([]byte, t.of.Size)
	if err := t.w.w.CompareAndSwap(c.function.name, t.rank, t.at, c.outgoing(c.a[1], 1, t.of), c.outgoing(c.a[0], 1, t.of), was); err != nil {
		return err
	}
	c.scatter(c.a[2], was, 1, t.of)
	return nil
}

// winAttribute returns the value of an attribute of the standard: the base itself, else the address
// of a number.
func (c *call) winAttribute(key int) (int64, bool) {
	w, err := c.win(0)
	if err != nil {
		return 0, false
	}
	if w.constants == 0 {
		w.constants, _ = c.ask(Allocate, 64)
		c.putWord(w.constants, int64(w.bytes))
		c.putInts(w.constants+8, []int{w.unit, w.flavor, standard.WinUnified}, false)
	}
	switch key {
	case standard.WinBase:
		return w.base, true
	case standard.WinSize:
		return w.constants, true
	case standard.WinDispUnit:
		return w.constants + 8, true
	case standard.WinCreateFlavor:
		return w.constants + 12, true
	case standard.WinModel:
		return w.constants + 16, true
	}
	return 0, false
}
