package windows

import (
	"math"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	layouts "musubi/mpi/internal/datatype"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Put":  func(c *abi.Call) error { return put(c, false) },
		"MPI_Rput": func(c *abi.Call) error { return put(c, true) },
		"MPI_Get":  func(c *abi.Call) error { return get(c, false) },
		"MPI_Rget": func(c *abi.Call) error { return get(c, true) },
	})
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
	if err := t.begin(c.At(i + 1)); err != nil {
		return t, err
	}
	t.there, t.at = t.of.Type.Bytes(t.count, t.from)
	return t, t.inRange(t.there.Extent)
}

// begin sets from to the byte of a displacement.
func (t *target) begin(disp int) error {
	unit := t.window.Units[t.rank]
	switch {
	case disp < 0:
		return abi.Wrong(standard.ErrDisp, "displacement %d; expected at least 0", disp)
	case disp > math.MaxInt/unit:
		return abi.Wrong(standard.ErrRmaRange, "displacement %d in units of %d bytes of a window that has %d at rank %d", disp, unit, t.window.Inner.Length(t.rank), t.rank)
	}
	t.from = disp * unit
	return nil
}

// inRange fails if the target does not have so many bytes there. No bytes may be anywhere.
func (t *target) inRange(bytes int) error {
	length := t.window.Inner.Length(t.rank)
	if bytes > 0 && (t.at < 0 || bytes > length || t.at > length-bytes) {
		return abi.Wrong(standard.ErrRmaRange, "%d bytes from %d on of a window that has %d at rank %d", bytes, t.at, length, t.rank)
	}
	return nil
}

// fits fails unless elements here have as many bytes as those at the target. The program need not have the memory of others.
func (t *target) fits(count int, of *abi.Datatype) error {
	if here, there := count*of.Size, t.count*t.of.Size; here != there {
		return abi.Wrong(standard.ErrCount, "%d bytes here and %d at the target; expected as many", here, there)
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
		t.window.Land(c.Process, t.rank)
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
		if err := t.fits(count, of); err != nil {
			return err
		}
		data := c.Outgoing(c.Words[0], count, of)
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
		if err := t.fits(count, of); err != nil {
			return err
		}
		l := c.Landing(c.Words[0], count, of)
		if here := layouts.Contiguous(len(l.Data)); len(l.Data) > 0 {
			if err := t.window.Inner.Move(c.Function.Name, false, t.rank, t.at, &t.there, l.Data, &here); err != nil {
				return err
			}
			if !l.Direct {
				t.window.Owe(l, t.rank)
			}
		}
	}
	return finishAccess(c, &t, request, 8)
}
