//go:build linux && (amd64 || arm64)

package tcp

import (
	"io"
	"musubi/live/wire"
	"net"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// duplicate returns the file descriptor of a connection of its own, which does not
// block. Over TCP the system gives up a peer that has been silent for bound while there was
// nothing to send, and within the host it does not pace what is sent.
func duplicate(conn systemConn, bound time.Duration) (int, error) {
	_, overTCP := conn.(*net.TCPConn)
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	duplicate := 0
	var failed error
	err = raw.Control(func(fd uintptr) {
		if duplicate, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); failed == nil && bound > 0 && overTCP {
			failed = limitSilence(duplicate, bound)
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil && overTCP {
		sendAgainSoon(duplicate)
	}
	if err == nil && isWithinHost(conn.LocalAddr(), conn.RemoteAddr()) {
		sendUnpaced(duplicate)
	}
	return duplicate, err
}

// Of the system, since Linux 6.15: the most milliseconds until what has not been acknowledged is
// sent again, and the least that this can be.
const (
	OptionSendAgain = 44 // TCP_RTO_MAX_MS
	SendAgain       = 1000
)

// sendAgainSoon lets the system send again every second what is not acknowledged. Usually it
// waits twice as long each time, and so finds a network that was away as late again: what came
// back well within a bound would be lost all the same. A system that cannot stays as it is.
func sendAgainSoon(fd int) {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, OptionSendAgain, SendAgain)
}

// HasUnread reports whether bytes have come that nobody has read yet.
func HasUnread(conn *net.TCPConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	bytes := 0
	err = raw.Control(func(fd uintptr) { bytes, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return err == nil && bytes > 0
}

// SendAgainSoonOn is sendAgainSoon on a connection that the runtime has.
func SendAgainSoonOn(conn *net.TCPConn) {
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { sendAgainSoon(int(fd)) })
	}
}

// isWithinHost reports whether both ends of a connection are on this host.
func isWithinHost(local, remote net.Addr) bool {
	here, ok := local.(*net.TCPAddr)
	there, too := remote.(*net.TCPAddr)
	return ok && too && (here.IP.Equal(there.IP) || there.IP.IsLoopback())
}

// sendUnpaced lets a connection within the host send as fast as the other end takes it. An
// algorithm that measures how much a network carries, and spreads over time what it sends
// (BBR), waits for timers there, where nothing gets lost and there is nothing to measure.
// Every system has Reno; if this process must not choose it, the connection stays as it is.
func sendUnpaced(fd int) {
	_ = unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
}

// limitSilence lets the system ask every third of bound whether the peer is there, while there
// is nothing to send; watch looks at what has come of it. The system itself gives a peer up
// that has not answered for bound from when it was asked first. It does not limit how long data
// may wait (TCP_USER_TIMEOUT): that would count a peer as lost that does not read because it
// computes.
func limitSilence(fd int, bound time.Duration) error {
	seconds := min(max(1, int(bound/(3*time.Second))), mostKeepAlive)
	for _, o := range []struct{ option, value int }{
		{unix.TCP_KEEPIDLE, seconds},
		{unix.TCP_KEEPINTVL, seconds},
		{unix.TCP_KEEPCNT, min(int(bound/time.Second)/seconds+1, mostKeepAliveProbes)},
	} {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, o.option, o.value); err != nil {
			return err
		}
	}
	return nil
}

// Limits of the system (tcp(7)): of the seconds between looks, and of looks without an answer.
const (
	mostKeepAlive       = 32767
	mostKeepAliveProbes = 127
)

// isUnanswered reports whether the system sends again what it has sent, or asks again
// whether there is room or the peer is there, as nothing has come back.
func isUnanswered(fd int) bool {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	return err == nil && (info.Retransmits > 0 || info.Probes > 0)
}

// hangUp ends a connection, but keeps the file descriptor: reading from it tells its end.
func hangUp(fd int) { _ = unix.Shutdown(fd, unix.SHUT_RDWR) }

func closeSocket(fd int) { _ = unix.Close(fd) }

// readSocket reads what is there: 0 bytes if that is nothing. The error is io.EOF at the
// end.
func readSocket(fd int, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return received(n, errno)
}

// readSocketInto is readSocket to two pieces of memory, one after the other.
func readSocketInto(fd int, first, second []byte) (int, error) {
	parts := [2]unix.Iovec{vectorOf(first), vectorOf(second)}
	n, _, errno := syscall.RawSyscall(unix.SYS_READV, uintptr(fd), uintptr(unsafe.Pointer(&parts)), uintptr(len(parts)))
	return received(n, errno)
}

func received(n uintptr, errno syscall.Errno) (int, error) {
	if n == 0 && errno == 0 {
		return 0, io.EOF
	}
	return transferred(n, errno)
}

// transferred is what a call that does not block has done.
func transferred(n uintptr, errno syscall.Errno) (int, error) {
	switch errno {
	case 0:
		return int(n), nil
	case unix.EAGAIN, unix.EINTR:
		return 0, nil
	}
	return 0, errno
}

func vectorOf(b []byte) unix.Iovec {
	v := unix.Iovec{Base: unsafe.SliceData(b)}
	v.SetLen(len(b))
	return v
}

// writeSocket writes as much as there is room for. It raises no signal.
func writeSocket(fd int, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
	return transferred(n, errno)
}

// writeSocketFrom is writeSocket of two pieces of memory, one after the other.
func writeSocketFrom(fd int, first, second []byte) (int, error) {
	parts := [2]unix.Iovec{vectorOf(first), vectorOf(second)}
	message := unix.Msghdr{Iov: &parts[0]}
	message.SetIovlen(len(parts))
	n, _, errno := syscall.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&message)), unix.MSG_NOSIGNAL)
	return transferred(n, errno)
}

// readySet is a set of streams of which the system says which have something.
type readySet struct {
	fd     int
	quit   int // an event that ends wait
	events [wire.MaxRanks]unix.EpollEvent
}

func newReadySet() (*readySet, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	quit, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	e := &readySet{fd: fd, quit: quit}
	if err := unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, quit, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: notDetached}); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// add adds the stream with some index.
func (e *readySet) add(s *Stream, index int) error {
	return unix.EpollCtl(e.fd, unix.EPOLL_CTL_ADD, s.Socket.Fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(index)})
}

// addOnce is add of a stream of which next tells once of each time that something has come.
func (e *readySet) addOnce(s *Stream, index int) error {
	return unix.EpollCtl(e.fd, unix.EPOLL_CTL_ADD, s.Socket.Fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(index)})
}

// next waits until a stream has something, and returns its index. It reports false if there is none.
func (e *readySet) next() (index int, ok bool) {
	var one [1]unix.EpollEvent
	n, err := unix.EpollWait(e.fd, one[:], -1)
	return int(one[0].Fd), err == nil && n == 1 && one[0].Fd >= 0
}

// Look marks the streams that have something.
func (e *readySet) Look(streams []*Stream) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(e.fd), uintptr(unsafe.Pointer(&e.events[0])), uintptr(len(e.events)), 0, 0, 0)
	if errno != 0 {
		return
	}
	for i := range e.events[:n] {
		if index := e.events[i].Fd; index >= 0 {
			streams[index].Readable = true
		}
	}
}

// await makes room in a socket something that ends wait, as long as there is something
// to be sent.
func (e *readySet) await(s *Stream, index int) {
	want := s.hasUnsent()
	if want == s.awaited || s.Lost != nil {
		return
	}
	s.awaited = want
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(index)}
	if want {
		event.Events |= unix.EPOLLOUT
	}
	_ = unix.EpollCtl(e.fd, unix.EPOLL_CTL_MOD, s.Socket.Fd, &event)
}

// wait blocks until a stream has something. It is called beside look, by another thread.
func (e *readySet) wait() {
	var one [1]unix.EpollEvent
	_, _ = unix.EpollWait(e.fd, one[:], -1)
}

// interrupt ends wait, once and for all.
func (e *readySet) interrupt() {
	_, _ = unix.Write(e.quit, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

func (e *readySet) close() {
	unix.Close(e.fd)
	unix.Close(e.quit)
}
