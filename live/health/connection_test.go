package health

import (
	"musubi/live/livetest"
	"musubi/live/tcp"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// A process of the job that leaves before it has said anything, as when the job has failed
// elsewhere, is not refused.
func TestProcessesOfTheJobMayLeave(t *testing.T) {
	id, log := livetest.TestIdentity(t, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	g := &tcp.Acceptor{Identity: id, Listener: listener, Serve: func(conn net.Conn) error {
		_, err := NewConnection(conn).receive()
		return err
	}}
	go func() {
		conn, err := id.Dial(t.Context(), g.Address())
		if err != nil {
			t.Error(err)
			listener.Close()
			return
		}
		conn.Close()
	}()
	raw, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	g.Enter(raw)
	g.Running.Add(1)
	g.Meet(raw)
	if refused := g.Refused(); len(refused) > 0 || log.String() != "" {
		t.Errorf("refused: %v, logged: %q; want nothing", refused, log)
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
	id, _ := livetest.TestIdentity(t, 1)
	g, err := id.Listen("127.0.0.1:0", func(net.Conn) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	conn, err := id.Dial(t.Context(), g.Address())
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
