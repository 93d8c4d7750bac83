package windows

import (
	"unsafe"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/window"
)

// allocateShared gives a window memory that its ranks share.
func allocateShared(c *abi.Call, w *abi.Win) error {
	if !c.Host.Direct() {
		return mapShared(c, w)
	}
	if err := w.Inner.AllocateShared(c.Function.Name, w.Bytes); err != nil {
		return err
	}
	w.Base = addressOf(w.Inner.Memory)
	c.PutWord(c.Words[4], w.Base)
	return nil
}

// addressOf returns the address of memory, 0 if there is none.
func addressOf(memory []byte) int64 {
	if len(memory) == 0 {
		return 0
	}
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}

// mapShared lets the program map memory that the first rank of a window makes. The world has no such
// memory: it is between processes, and the ranks of all of them are in this one.
func mapShared(c *abi.Call, w *abi.Win) error {
	ranks := w.Inner.C.Size()
	if err := w.Inner.ExpectShared(c.Function.Name); err != nil {
		return err
	}
	sizes := make([]int, ranks)
	if err := collective.AllGather(w.Inner.C, c.Function.Name, []int{w.Bytes}, sizes); err != nil {
		return err
	}
	total := window.Total(sizes)
	file, files := []int{-1}, make([]int, ranks)
	var failed error
	if w.Inner.C.Rank() == 0 {
		if file[0], failed = c.Host.Share(total); failed != nil {
			file[0] = -1
		}
	}
	if err := collective.AllGather(w.Inner.C, c.Function.Name, file, files); err != nil {
		return err
	}
	if files[0] < 0 {
		return abi.Wrong(standard.ErrNoMem, "%d bytes of shared memory: %v", total, failed)
	}
	memory, at, failed := c.Host.Map(files[0], total)
	problem, problems := []int{0}, make([]int, ranks)
	if failed != nil {
		problem[0] = 1
	}
	if err := collective.AllGather(w.Inner.C, c.Function.Name, problem, problems); err != nil { // all have mapped it
		return err
	}
	if w.Inner.C.Rank() == 0 {
		c.Host.Unshare(files[0])
	}
	for rank, p := range problems {
		if p != 0 {
			return abi.Wrong(standard.ErrNoMem, "%d bytes of shared memory, which rank %d cannot map: %v", total, rank, failed)
		}
	}
	w.Shared = abi.SharedMemory{Memory: memory, At: at}
	w.Inner.UseShared(memory, sizes)
	w.Base = sharedAt(c, w, w.Inner.C.Rank())
	c.PutWord(c.Words[4], w.Base)
	return nil
}

// sharedAt returns the address in the program of what a rank has of a shared window.
func sharedAt(c *abi.Call, w *abi.Win, rank int) int64 {
	if c.Host.Direct() {
		return addressOf(w.Inner.Shared(rank))
	}
	at := w.Shared.At
	for r := range rank {
		at += int64(len(w.Inner.Shared(r)))
	}
	return at
}

func unmapShared(p *abi.Process, s *abi.SharedMemory) {
	if s.At != 0 {
		p.Host.Unmap(s.Memory, s.At)
		*s = abi.SharedMemory{}
	}
}

// winSharedQuery tells where the memory of a rank is. Of MPI_PROC_NULL it tells about the first rank
// that shares some. What a rank does not share has no address, but for itself.
func winSharedQuery(c *abi.Call) error {
	w, err := c.Win(0)
	if err != nil {
		return err
	}
	if w.Flavor == standard.WinFlavorDynamic {
		return abi.Wrong(standard.ErrRmaFlavor, "a dynamic window; expected one with fixed memory")
	}
	rank, err := c.Peer(w.M, c.At(1), false)
	if err != nil {
		return err
	}
	first := rank == core.None
	if first {
		rank = 0
		for rank < w.Inner.C.Size()-1 && len(w.Inner.Shared(rank)) == 0 {
			rank++
		}
	}
	bytes, unit, base := len(w.Inner.Shared(rank)), w.Units[rank], int64(0)
	switch {
	case bytes > 0:
		base = sharedAt(c, w, rank)
	case w.Flavor != standard.WinFlavorShared && rank == w.Inner.C.Rank() && !first:
		bytes, base = w.Bytes, w.Base
	case w.Flavor != standard.WinFlavorShared:
		unit = 0
	}
	c.PutWord(c.Words[2], int64(bytes))
	if c.Large {
		c.PutWord(c.Words[3], int64(unit))
	} else {
		c.PutInt(c.Words[3], unit)
	}
	c.PutWord(c.Words[4], base)
	return nil
}
