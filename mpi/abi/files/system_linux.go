package files

import (
	"errors"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"unsafe"

	"musubi/mpi/abi"

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

// brief is how many bytes are read and written without a word to Go's scheduler, which takes a quarter of the time of a short access. Files
// of other hosts are not, as they may take long.
const brief = 16 << 10

// readBriefly reads bytes, and returns how many; 0 or less if that is to be tried in the usual way.
func readBriefly(f *abi.File, into []byte, at int) int { return briefly(unix.SYS_PREAD64, f, into, at) }

// writeBriefly is the opposite of readBriefly.
func writeBriefly(f *abi.File, data []byte, at int) int {
	return briefly(unix.SYS_PWRITE64, f, data, at)
}

func briefly(call uintptr, f *abi.File, data []byte, at int) int {
	if !f.Mapped || len(data) > brief || len(data) == 0 {
		return 0
	}
	n, _, _ := unix.RawSyscall6(call, f.FD, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), uintptr(at), 0, 0)
	return int(n)
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

// lockable reports whether bytes of files can be locked.
const lockable = true
