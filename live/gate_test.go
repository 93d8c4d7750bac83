package live

import (
	"net"
	"testing"
)

// A process of the job that leaves before it has said anything, as when the job has failed
// elsewhere, is not refused.
func TestProcessesOfTheJobMayLeave(t *testing.T) {
	id, log := testIdentity(t, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	g := &gate{id: id, listener: listener, serve: func(conn net.Conn) error {
		_, err := newLine(conn).receive()
		return err
	}}
	go func() {
		conn, err := id.dial(t.Context(), g.Address())
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
	g.enter(raw)
	g.running.Add(1)
	g.meet(raw)
	if refused := g.Refused(); len(refused) > 0 || log.String() != "" {
		t.Errorf("refused: %v, logged: %q; want nothing", refused, log)
	}
}
