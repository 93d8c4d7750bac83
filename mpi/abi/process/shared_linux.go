package process

import (
	"errors"
	"os"

	"musubi/mpi/abi"

	"golang.org/x/sys/unix"
)

// Share implements abi.Host: the number is that of a file.
func (r *rank) Share(bytes int) (int, error) {
	file, err := unix.MemfdCreate("memory that ranks share", unix.MFD_CLOEXEC)
	if err != nil {
		return 0, err
	}
	if err := unix.Ftruncate(file, int64(max(bytes, 1))); err != nil {
		return 0, errors.Join(err, unix.Close(file))
	}
	return file, nil
}

// Unshare implements abi.Host. Those who have mapped the memory keep it.
func (r *rank) Unshare(file int) { unix.Close(file) } // nothing has been written by it

// Map implements abi.Host.
func (r *rank) Map(file, bytes int) ([]byte, int64, error) {
	memory, err := unix.Mmap(file, 0, max(bytes, 1), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, 0, err
	}
	at := r.Request(abi.MapShared, &[8]int64{int64(file), int64(os.Getpid()), int64(len(memory))})
	if at == 0 {
		return nil, 0, errors.Join(errors.New("the program cannot map it"), unix.Munmap(memory))
	}
	return memory, at, nil
}

// Unmap implements abi.Host.
func (r *rank) Unmap(memory []byte, at int64) {
	r.Request(abi.UnmapShared, &[8]int64{at, int64(len(memory))})
	unix.Munmap(memory) // nobody uses it any more
}
