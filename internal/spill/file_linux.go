package spill

import (
	"os"

	"golang.org/x/sys/unix"
)

// directory is where the file lies: TMPDIR, or /var/tmp, as /tmp may be memory.
func directory() string {
	if dir := os.Getenv("TMPDIR"); dir != "" {
		return dir
	}
	return "/var/tmp"
}

// mapped returns memory that lies in a new file without a name; nil if there is none to be had. All of the file has its place on
// the disk at once, as a write to memory cannot tell that a disk is full.
func mapped(bytes int) []byte {
	f, err := os.CreateTemp(directory(), "musubi-*")
	if err != nil {
		return nil
	}
	defer f.Close()
	_ = os.Remove(f.Name()) // it goes when the memory goes
	if err := unix.Fallocate(int(f.Fd()), 0, 0, int64(bytes)); err != nil {
		return nil
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	_ = unix.Madvise(memory, unix.MADV_RANDOM) // else a page brings half a megabyte of its neighbours
	return memory
}

func unmap(memory []byte) { _ = unix.Munmap(memory) }

// release lets the system have the memory; what is in it stays in the file.
func release(memory []byte) { _ = unix.Madvise(memory, unix.MADV_DONTNEED) }
