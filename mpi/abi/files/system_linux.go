package files

import (
	"errors"
	"io"
	"os"
	"syscall"

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
