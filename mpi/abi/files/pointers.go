package files

import (
	"encoding/binary"
	"math"
	"sort"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/reduction"
)

// The individual pointer is a number of this rank. The shared one is a word of a window, which rank 0 has and all ranks
// change by atomic operations. Both are bytes of data from the beginning of the view.

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_File_seek": onFile(func(c *abi.Call, f *abi.File) error {
			at, err := sought(c, f, func() (int, error) { return f.At, nil })
			if err == nil {
				f.At = at
			}
			return err
		}),
		"MPI_File_get_position": onFile(func(c *abi.Call, f *abi.File) error {
			if err := notSequential(f); err != nil {
				return err
			}
			c.PutWord(c.Words[1], etypes(f, f.At))
			return nil
		}),
		"MPI_File_seek_shared": onFile(seekShared),
		"MPI_File_get_position_shared": onFile(func(c *abi.Call, f *abi.File) error {
			if err := notSequential(f); err != nil {
				return err
			}
			at, err := changeShared(c, f, 0, reduction.NoOpID)
			c.PutWord(c.Words[1], etypes(f, at))
			return err
		}),
	})
}

// etypes returns bytes of data as etypes of the view.
func etypes(f *abi.File, bytes int) int64 { return int64(bytes / max(f.View.Unit, 1)) }

// makePointers sets both pointers, when all ranks have called it.
func makePointers(c *abi.Call, f *abi.File, at int) error {
	f.At = at
	bytes := 0
	if f.Comm().Rank() == 0 {
		bytes = 8
	}
	if err := f.Shared.Allocate(c.Function.Name, bytes); err != nil {
		return err
	}
	if bytes > 0 {
		binary.NativeEndian.PutUint64(f.Shared.Memory, uint64(at))
	}
	if err := f.Shared.ExchangeExtents(c.Function.Name); err != nil {
		return err
	}
	return f.Shared.LockAll(c.Function.Name)
}

func dropPointers(c *abi.Call, f *abi.File) error {
	if err := f.Shared.UnlockAll(c.Function.Name); err != nil {
		return err
	}
	return f.Shared.Free(c.Function.Name)
}

// changeShared changes the shared pointer, and returns what it was.
func changeShared(c *abi.Call, f *abi.File, by int, op reduction.ID) (was int, err error) {
	words := &f.Words
	if c.Threads != nil { // another one may change the pointer while this one waits
		words = new([16]byte)
	}
	operand, old := words[:8], words[8:]
	binary.NativeEndian.PutUint64(operand, uint64(by))
	if err := f.Shared.FetchAndOp(c.Function.Name, 0, 0, operand, old, op); err != nil {
		return 0, err
	}
	return int(binary.NativeEndian.Uint64(old)), nil
}

// setShared sets the shared pointer. All ranks call it, and none uses the pointer before it is set.
func setShared(c *abi.Call, f *abi.File, at int) error {
	if f.Comm().Rank() == 0 {
		if _, err := changeShared(c, f, at, reduction.ReplaceID); err != nil {
			return err
		}
	}
	return f.Comm().Barrier(c.Function.Name)
}

// inOrder moves the shared pointer by the bytes of all ranks, and returns where those of this one begin.
func inOrder(c *abi.Call, f *abi.File, bytes int) (int, error) {
	all := make([]int, f.Comm().Size())
	if err := collective.AllGather(f.Comm(), c.Function.Name, []int{bytes}, all); err != nil {
		return 0, err
	}
	total, before := 0, 0
	for rank, n := range all {
		if rank == f.Comm().Rank() {
			before = total
		}
		total += n
	}
	first := []int{0}
	if f.Comm().Rank() == 0 {
		var err error
		if first[0], err = changeShared(c, f, total, reduction.SumID); err != nil {
			return 0, err
		}
	}
	err := f.Comm().Broadcast(c.Function.Name, 0, elements.Memory(first), elements.Size[int]())
	return first[0] + before, err
}

// sought returns where a pointer is to be that the program moves as words 1 and 2 say.
func sought(c *abi.Call, f *abi.File, now func() (int, error)) (at int, err error) {
	if err := notSequential(f); err != nil {
		return 0, err
	}
	from := "the beginning"
	switch c.Words[2] {
	case standard.SeekSet:
	case standard.SeekCur:
		from = "the pointer"
		at, err = now()
	case standard.SeekEnd:
		from = "the end"
		at, err = end(f)
	default:
		return 0, abi.Wrong(standard.ErrArg, "%d; expected MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", c.Words[2])
	}
	if err != nil {
		return 0, err
	}
	if most := (math.MaxInt - at) / max(f.View.Unit, 1); c.At(1) > most {
		return 0, abi.Wrong(standard.ErrArg, "%d etypes from %s of %s on; expected at most %d", c.At(1), from, f.Name, most)
	}
	if at += c.At(1) * f.View.Unit; at < 0 {
		return 0, abi.Wrong(standard.ErrArg, "%d etypes from %s of %s on, which is before its view", c.At(1), from, f.Name)
	}
	return at, nil
}

// end returns the bytes of data before the first etype of a view that begins at the end of the file or behind it.
func end(f *abi.File) (int, error) {
	bytes, err := size(f)
	if err != nil || f.View.Unit == 0 || f.View.Bytes.IsEmpty() {
		return 0, err
	}
	n := sort.Search(bytes/f.View.Unit+1, func(i int) bool { return f.View.Bytes.Place(i*f.View.Unit) >= bytes })
	return n * f.View.Unit, nil
}

func seekShared(c *abi.Call, f *abi.File) error {
	at, err := sought(c, f, func() (int, error) { return changeShared(c, f, 0, reduction.NoOpID) })
	if err := agree(c, f.Comm(), err, fact{"offset", c.At(1)}, fact{"whence", c.At(2)}); err != nil {
		return err
	}
	return setShared(c, f, at)
}
