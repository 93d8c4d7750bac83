package health

import (
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"musubi/live/livetest"
	"musubi/live/tcp"
)

// What says that the other end has left is not wrapped, so that acceptors can tell.
func TestReceivingFromOneThatHasLeft(t *testing.T) {
	here, there := net.Pipe()
	there.Close()
	if _, err := NewConnection(here).receive(); !errors.Is(err, io.EOF) {
		t.Errorf("error %v; want %v", err, io.EOF)
	}
}

// What a network has lost is sent again soon after it has come back, on connections with the hub as
// on those of ranks with each other.
func TestWhatIsLostIsSentAgainSoon(t *testing.T) {
	isSoon := func(fd int) bool {
		most, err := unix.GetsockoptInt(fd, unix.IPPROTO_TCP, tcp.OptionSendAgain)
		if err != nil {
			t.Skip("the system waits as long as it likes: ", err)
		}
		return most == tcp.SendAgain
	}
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	g, err := id.Listen("127.0.0.1:0", func(net.Conn) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	conn, err := id.Dial(t.Context(), g.Address(), tcp.Hub)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	below, _ := tcp.TCPBelow(NewConnection(conn).conn)
	raw, err := below.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if !isSoon(int(fd)) {
			t.Error("the connection with the hub waits longer")
		}
	}); err != nil {
		t.Error(err)
	}
}
