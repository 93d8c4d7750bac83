package live

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// Connections within the host do not wait for timers of their congestion control.
func TestConnectionsWithinTheHostAreNotPaced(t *testing.T) {
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
	if err := s.detach(0); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	algorithm, err := unix.GetsockoptString(s.fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err != nil {
		t.Fatal(err)
	}
	if algorithm == "reno" {
		return
	}
	if unix.SetsockoptString(s.fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno") != nil {
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
