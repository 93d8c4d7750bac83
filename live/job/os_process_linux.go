//go:build linux && (amd64 || arm64)

package job

import (
	"cmp"
	"net"
	"os"
	"os/signal"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// processors returns the numbers of the processors that this process may use.
func processors() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	var list []int
	for cpu := range 8 * int(unsafe.Sizeof(set)) {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list, nil
}

// bindThread lets the calling thread run on one processor only.
func bindThread(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	return unix.SchedSetaffinity(0, &set)
}

// userOf returns the user of the process at the other end of a socket.
func userOf(conn *net.UnixConn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	user := -1
	var failed error
	err = raw.Control(func(fd uintptr) {
		var peer *unix.Ucred
		if peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); failed == nil {
			user = int(peer.Uid)
		}
	})
	return user, cmp.Or(err, failed)
}

// mayOpen returns how many files this process may have open.
func mayOpen() (uint64, bool) { return limitOf(unix.RLIMIT_NOFILE) }

// mayStart returns how many processes and threads this user may have.
func mayStart() (uint64, bool) { return limitOf(unix.RLIMIT_NPROC) }

// limitOf returns a limit of this process, if there is one.
func limitOf(resource int) (uint64, bool) {
	var limit unix.Rlimit
	err := unix.Getrlimit(resource, &limit)
	return limit.Cur, err == nil && limit.Cur != unix.RLIM_INFINITY
}

// signalGroup sends a signal to all processes of a process group.
func signalGroup(leader int, s syscall.Signal) error { return syscall.Kill(-leader, s) }

// notifyOfQuestions lets a channel get the signal by which others ask what the job does.
func notifyOfQuestions(c chan<- os.Signal) { signal.Notify(c, syscall.SIGUSR1) }

// childAttributes ties a rank to its parent: it is killed when the thread ends that
// has started it. Signals of the terminal reach the parent only.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
