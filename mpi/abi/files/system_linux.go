package files

import (
	"errors"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allocate gives a file room for so many bytes, and makes it as long at least.
func allocate(file *os.File, bytes int) error {
	if bytes == 0 {
		return nil
	}
	for {
		switch err := unix.Fallocate(int(file.Fd()), 0, 0, int64(bytes)); {
		case err == syscall.EINTR:
		case errors.Is(err, syscall.EOPNOTSUPP):
			return extend(file, bytes)
		default:
			return err
		}
	}
}

// lock lets nobody else who locks bytes of a file write them, nor read them if it is exclusive, and returns how that ends. The
// lock is that of the open file, so simulated ranks in one process have each their own.
func lock(file *os.File, at, bytes int, exclusive bool) (unlock func(), err error) {
	l := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart, Start: int64(at), Len: int64(bytes)}
	if exclusive {
		l.Type = unix.F_WRLCK
	}
	for {
		if err = unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLKW, &l); err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: file.Name(), Err: err}
	}
	return func() {
		l.Type = unix.F_UNLCK
		unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &l) // of a lock that is there
	}, nil
}

// Files whose memory only processes of one host map, so that all of them see what one has written there, by the numbers of statfs.
var mapped = map[int64]bool{unix.TMPFS_MAGIC: true, unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true}

// mayMap reports whether a file may be written through memory.
func mayMap(file *os.File) bool {
	var s unix.Statfs_t
	err := unix.Fstatfs(int(file.Fd()), &s)
	return err == nil && mapped[int64(s.Type)]
}

// withMemory lets write change bytes of a file as memory. It reports false if it could not, or not all: somebody may have made the file
// shorter, or the disk may be full.
func withMemory(file *os.File, at, bytes int, write func(memory []byte)) (done bool) {
	begin := at &^ (os.Getpagesize() - 1)
	memory, err := unix.Mmap(int(file.Fd()), int64(begin), at+bytes-begin, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return false
	}
	defer unix.Munmap(memory)
	if unix.Madvise(memory, unix.MADV_POPULATE_WRITE) != nil {
		return false
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil {
			fault, is := reason.(interface{ Addr() uintptr })
			if first := uintptr(unsafe.Pointer(unsafe.SliceData(memory))); !is || fault.Addr() < first || fault.Addr() >= first+uintptr(len(memory)) {
				panic(reason)
			}
			done = false
		}
	}()
	write(memory[at-begin:])
	return true
}
