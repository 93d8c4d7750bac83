package tcp_test

import (
	"context"
	"errors"
	"io"
	"musubi/live/livetest"
	"musubi/live/tcp"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// echoGate lets processes of job 1 in and repeats what they say.
func echoGate(t testing.TB) (*tcp.Acceptor, *livetest.Logged) {
	t.Helper()
	id, log := livetest.TestIdentity(t, 1, tcp.Hub)
	g, err := id.Listen("127.0.0.1:0", func(conn net.Conn) error {
		defer conn.Close()
		_, _ = io.Copy(conn, conn)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g, log
}

// echoes fails unless a process of job 1 is let in and can talk.
func echoes(t *testing.T, g *tcp.Acceptor) {
	t.Helper()
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	conn, err := id.Dial(t.Context(), g.Address(), tcp.Hub)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var got [5]byte
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, got[:]); err != nil || string(got[:]) != "hello" {
		t.Errorf("a process of the job says hello and hears %q, %v", got, err)
	}
}

func TestKeysOfAnotherLengthAreRefused(t *testing.T) {
	for _, n := range []int{0, 16, 31, 33} {
		if _, err := tcp.NewAuthority(make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes is taken", n)
		}
	}
}

func TestUnauthenticatedPeersAreRefused(t *testing.T) {
	for _, s := range livetest.UnauthenticatedPeers {
		t.Run(s.Name, func(t *testing.T) {
			g, log := echoGate(t)
			s.Do(t, g.Address())
			livetest.AwaitRefusals(t, g, s.Why, 1)
			if line := log.String(); !strings.Contains(line, s.Why.String()) || strings.Count(line, "\n") != 1 {
				t.Errorf("logged is %q; want a line that says %v", line, s.Why)
			}
			echoes(t, g)
		})
	}
}

// Unauthenticated peers that say nothing can neither keep others out nor pile up.
func TestSilentPeersKeepNobodyOut(t *testing.T) {
	t.Parallel() // it mostly waits
	const more = 10
	g, _ := echoGate(t)
	for range tcp.MaxUnauthenticated + more {
		conn, err := net.Dial("tcp", g.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	livetest.AwaitRefusals(t, g, tcp.CrowdedOut, more)
	echoes(t, g)
	if n := g.Unauthenticated(); n > tcp.MaxUnauthenticated {
		t.Errorf("%d of them are connected; want at most %d", n, tcp.MaxUnauthenticated)
	}
}

// One that says a little now and then is turned away in time.
func TestSlowPeersAreRefused(t *testing.T) {
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	id.Patience = 100 * time.Millisecond
	g, err := id.Listen("127.0.0.1:0", func(conn net.Conn) error { return conn.Close() })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	conn, err := net.Dial("tcp", g.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, b := range []byte{22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3} { // the beginning of a greeting
		_, _ = conn.Write([]byte{b})
		time.Sleep(id.Patience / 5)
	}
	livetest.AwaitRefusals(t, g, tcp.TooSlow, 1)
}

func TestLogOfRefusalsIsLimited(t *testing.T) {
	id, log := livetest.TestIdentity(t, 1, tcp.Hub)
	for range 1000 {
		id.Refusals.Note(tcp.NotTLS, "somebody", errors.New("no"))
	}
	if lines := strings.Count(log.String(), "\n"); lines < 1 || lines > 100 || id.Refusals.ByReason()["not TLS"] != 1000 {
		t.Errorf("1000 refusals are %d lines and counted as %v", lines, id.Refusals.ByReason())
	}
}

// A process may be there before the gate it is to connect to.
func TestDialWaitsForTheGate(t *testing.T) {
	g, _ := echoGate(t)
	address := g.Address()
	g.Close()
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	dialled := make(chan error)
	go func() {
		conn, err := id.Dial(t.Context(), address, tcp.Hub)
		if err == nil {
			err = conn.Close()
		}
		dialled <- err
	}()
	time.Sleep(2 * tcp.RedialAfter)
	again, err := id.Listen(address, func(conn net.Conn) error { return conn.Close() })
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := <-dialled; err != nil {
		t.Error(err)
	}
}

func TestDialEndsWithItsContext(t *testing.T) {
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	ctx, cancel := context.WithTimeout(t.Context(), 3*tcp.RedialAfter)
	defer cancel()
	if _, err := id.Dial(ctx, "127.0.0.1:1", tcp.Hub); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("dial ends with %v, want %v", err, context.DeadlineExceeded)
	}
}

// A process of the job that leaves before it has said anything, as when the job has failed
// elsewhere, is not refused.
func TestProcessesOfTheJobMayLeave(t *testing.T) {
	id, log := livetest.TestIdentity(t, 1, tcp.Hub)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := id.Dial(t.Context(), listener.Addr().String(), tcp.Hub)
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
	refused := id.Admit(raw, func(conn net.Conn) error {
		_, err := io.ReadFull(conn, make([]byte, 1))
		return err
	})
	if len(refused) > 0 || log.String() != "" {
		t.Errorf("refused: %v, logged: %q; want nothing", refused, log)
	}
}

// More processes of the job than may be unauthenticated at once come together, and all are let in.
func TestManyThatComeAtOnceAreLetIn(t *testing.T) {
	g, _ := echoGate(t)
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	var all sync.WaitGroup
	for range tcp.MaxUnauthenticated + 50 {
		all.Go(func() {
			conn, err := id.Dial(t.Context(), g.Address(), tcp.Hub)
			if err != nil {
				t.Error(err)
				return
			}
			conn.Close()
		})
	}
	all.Wait()
}
