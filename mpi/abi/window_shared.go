package abi

import (
	"unsafe"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
)

// sharedMemory is memory that the processes of several ranks have mapped, where a rank is another
// process than its program.
type sharedMemory struct {
	memory []byte
	at     int64 // in the program
}

// allocateShared gives a window memory that its ranks share.
func (c *call) allocateShared(w *win) error {
	if !c.host.Direct() {
		return c.mapShared(w)
	}
	if err := w.w.AllocateShared(c.function.name, w.bytes); err != nil {
		return err
	}
	w.base = addressOf(w.w.Memory)
	c.putWord(c.a[4], w.base)
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
func (c *call) mapShared(w *win) error {
	ranks := w.w.C.Size()
	if err := w.w.ExpectShared(c.function.name); err != nil {
		return err
	}
	sizes := make([]int, ranks)
	if err := collective.AllGather(w.w.C, c.function.name, []int{w.bytes}, sizes); err != nil {
		return err
	}
	total := 0
	for _, n := range sizes {
		total += n
	}
	file, files := []int{-1}, make([]int, ranks)
	var failed error
	if w.w.C.Rank() == 0 {
		if file[0], failed = c.host.Share(total); failed != nil {
			file[0] = -1
		}
	}
	if err := collective.AllGather(w.w.C, c.function.name, file, files); err != nil {
		return err
	}
	if files[0] < 0 {
		return wrong(standard.ErrNoMem, "%d bytes of shared memory: %v", total, failed)
	}
	memory, at, failed := c.host.Map(files[0], total)
	problem, problems := []int{0}, make([]int, ranks)
	if failed != nil {
		problem[0] = 1
	}
	if err := collective.AllGather(w.w.C, c.function.name, problem, problems); err != nil { // all have mapped it
		return err
	}
	if w.w.C.Rank() == 0 {
		c.host.Unshare(files[0])
	}
	for rank, p := range problems {
		if p != 0 {
			return wrong(standard.ErrNoMem, "%d bytes of shared memory, which rank %d cannot map: %v", total, rank, failed)
		}
	}
	w.shared = sharedMemory{memory, at}
	w.w.UseShared(memory, sizes)
	w.base = c.sharedAt(w, w.w.C.Rank())
	c.putWord(c.a[4], w.base)
	return nil
}

// sharedAt returns the address in the program of what a rank has of a shared window.
func (c *call) sharedAt(w *win, rank int) int64 {
	if c.host.Direct() {
		return addressOf(w.w.Shared(rank))
	}
	at := w.shared.at
	for r := range rank {
		at += int64(len(w.w.Shared(r)))
	}
	return at
}

func (p *Process) unmapShared(s *sharedMemory) {
	if s.at != 0 {
		p.host.Unmap(s.memory, s.at)
		*s = sharedMemory{}
	}
}

// winSharedQuery tells where the memory of a rank is. Of MPI_PROC_NULL it tells about the first rank
// that has some. What a rank does not share has no address.
func (c *call) winSharedQuery() error {
	w, err := c.win(0)
	if err != nil {
		return err
	}
	if w.flavor == standard.WinFlavorDynamic {
		return wrong(standard.ErrRmaFlavor, "a dynamic window; expected one with fixed memory")
	}
	rank, err := c.peer(w.m, c.at(1), false)
	if err != nil {
		return err
	}
	if rank == core.None {
		rank = 0
		for rank < w.w.C.Size()-1 && len(w.w.Shared(rank)) == 0 {
			rank++
		}
	}
	bytes, unit, base := len(w.w.Shared(rank)), w.units[rank], int64(0)
	switch {
	case bytes > 0:
		base = c.sharedAt(w, rank)
	case w.flavor != standard.WinFlavorShared && rank == w.w.C.Rank():
		bytes, base = w.bytes, w.base
	case w.flavor != standard.WinFlavorShared:
		unit = 0
	}
	c.putWord(c.a[2], int64(bytes))
	if c.large {
		c.putWord(c.a[3], int64(unit))
	} else {
		c.putInt(c.a[3], unit)
	}
	c.putWord(c.a[4], base)
	return nil
}
