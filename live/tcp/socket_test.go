package tcp

import (
	"bytes"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Detached returns a connection within this host, prepared for a bound.
func detached(t *testing.T, bound time.Duration) *Socket {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s := newSocket(conn)
	if err := s.detach(bound); err != nil {
		t.Fatalf("bound of %v: %v", bound, err)
	}
	t.Cleanup(s.CloseDetached)
	return s
}

// A network may be away for nearly the bound, whenever that begins, however long the bound is.
func TestSystemsDoNotGiveUpPeersBeforeTheBound(t *testing.T) {
	for _, bound := range []time.Duration{50 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, time.Hour, 1000 * time.Hour} {
		s := detached(t, bound)
		of := map[int]int{unix.TCP_KEEPIDLE: 0, unix.TCP_KEEPINTVL: 0, unix.TCP_KEEPCNT: 0}
		for option := range of {
			var err error
			if of[option], err = unix.GetsockoptInt(s.Fd, unix.IPPROTO_TCP, option); err != nil {
				t.Fatal(err)
			}
		}
		unanswered := time.Duration(of[unix.TCP_KEEPINTVL]*of[unix.TCP_KEEPCNT]) * time.Second
		if unanswered <= bound {
			t.Errorf("with a bound of %v a peer is given up that has not answered for %v", bound, unanswered)
		}
		if first := time.Duration(of[unix.TCP_KEEPIDLE]) * time.Second; first > max(bound/3, time.Second) {
			t.Errorf("with a bound of %v a peer is asked after %v", bound, first)
		}
	}
}

// Connections within the host do not wait for timers of their congestion control.
func TestConnectionsWithinTheHostAreNotPaced(t *testing.T) {
	s := detached(t, 0)
	algorithm, err := unix.GetsockoptString(s.Fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err != nil {
		t.Fatal(err)
	}
	if algorithm == "reno" {
		return
	}
	if unix.SetsockoptString(s.Fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno") != nil {
		t.Skip("the system does not let this process choose Reno")
	}
	t.Errorf("the algorithm is %s; want reno", algorithm)
}

func TestWhichConnectionsAreWithinTheHost(t *testing.T) {
	for _, c := range []struct {
		here, there string
		want        bool
	}{
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1", "127.0.0.2", true},
		{"::1", "::1", true},
		{"10.1.0.1", "10.1.0.1", true},
		{"10.1.0.1", "10.1.0.2", false},
		{"fe80::1", "fe80::2", false},
	} {
		here, there := &net.TCPAddr{IP: net.ParseIP(c.here), Port: 1}, &net.TCPAddr{IP: net.ParseIP(c.there), Port: 2}
		if got := isWithinHost(here, there); got != c.want {
			t.Errorf("from %v to %v: %v; want %v", here, there, got, c.want)
		}
	}
}

// A process that was stopped for longer than it would have waited takes what has come meanwhile.
func TestWhatComesWhileAProcessIsStoppedCounts(t *testing.T) {
	t.Parallel() // it mostly waits
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	there, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	here := newSocket(conn)
	defer here.Close()
	record := []byte{22, 3, 3, 0, 1, 'x'}
	if _, err := there.Write(record); err != nil {
		t.Fatal(err)
	}
	if err := here.SetReadDeadline(time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(record))
	if n, err := here.Read(got); n != len(record) || err != nil || !bytes.Equal(got, record) {
		t.Errorf("% x, %v; want % x", got[:n], err, record)
	}
	if n, err := here.Read(got); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("what has not come is %d bytes, %v; want that the time is over", n, err)
	}
}

// What a network has lost is sent again soon after it has come back.
func TestWhatIsLostIsSentAgainSoon(t *testing.T) {
	most, err := unix.GetsockoptInt(detached(t, 10*time.Second).Fd, unix.IPPROTO_TCP, OptionSendAgain)
	if err != nil {
		t.Skip("the system waits as long as it likes: ", err)
	}
	if most != SendAgain {
		t.Error("a stream waits longer")
	}
}

// A peer that has not proved itself costs a small buffer. What it has sent is kept when the socket
// is detached, and gets the room of long transfers.
func TestSocketsHaveSmallBuffersBeforeTheyAreDetached(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	far, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	s := newSocket(conn)
	sent := bytes.Repeat([]byte("musubi"), 100)
	if _, err := far.Write(sent); err != nil {
		t.Fatal(err)
	}
	for len(s.Buffered()) < len(sent) {
		if err := s.Receive(); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.in) > 4<<10 {
		t.Errorf("a buffer of %d bytes before the handshake; expected at most 4096", len(s.in))
	}
	if err := s.detach(0); err != nil {
		t.Fatal(err)
	}
	defer s.CloseDetached()
	s.makeRoom(32 << 10)
	if len(s.in) != socketBuffer || !bytes.Equal(s.Buffered(), sent) {
		t.Errorf("a buffer of %d bytes with %d; expected %d with %d", len(s.in), len(s.Buffered()), socketBuffer, len(sent))
	}
}
