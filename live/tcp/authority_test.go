package tcp_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"musubi/live/livetest"
	"musubi/live/tcp"
)

// A rank cannot sign for others: who proves itself by a certificate that a rank's key has signed, or by
// the certificate of another rank without that rank's key, is refused.
func TestRanksCannotSpeakAsOthers(t *testing.T) {
	authority, err := tcp.NewAuthority(bytes.Repeat([]byte{1}, tcp.KeyBytes))
	if err != nil {
		t.Fatal(err)
	}
	issue := func(a *tcp.Authority, p tcp.Party) tcp.Credential {
		c, err := a.Issue(p)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	own, other := issue(authority, 1), issue(authority, 2)
	byItself, err := tcp.NewAuthority(own.Seed)
	if err != nil {
		t.Fatal(err)
	}
	forged := issue(byItself, 2)
	forged.Job = own.Job
	for name, c := range map[string]struct {
		credential tcp.Credential
		why        tcp.Refusal
	}{
		"signed by a rank":            {forged, tcp.AnotherJob},
		"of another rank, as it came": {tcp.Credential{Job: own.Job, Seed: own.Seed, Certificate: other.Certificate}, tcp.BrokenHandshake},
	} {
		t.Run(name, func(t *testing.T) {
			id, err := tcp.NewIdentity(c.credential)
			if err != nil {
				t.Fatal(err)
			}
			g, _ := echoGate(t)
			ctx, cancel := context.WithCancel(t.Context())
			dialled := make(chan error)
			go func() { // until it is told to stop, as it tries again and again
				conn, err := id.Dial(ctx, g.Address(), tcp.Hub)
				if err == nil {
					conn.Close()
				}
				dialled <- err
			}()
			for len(g.Refused()) == 0 { // if it never is, the test ends by its timeout
				time.Sleep(time.Millisecond)
			}
			if refused := g.Refused(); len(refused) != 1 || refused[c.why.String()] == 0 {
				t.Errorf("refused are %v; want some for %v", refused, c.why)
			}
			cancel()
			if err := <-dialled; err == nil {
				t.Error("it is let in")
			}
		})
	}
}

// Who dials one process of the job and finds another does not talk to it.
func TestWhoFindsAnotherRankHangsUp(t *testing.T) {
	g, _ := echoGate(t)
	id, _ := livetest.TestIdentity(t, 1, 1)
	_, err := id.Dial(t.Context(), g.Address(), 2)
	const want = "it has proved to be the hub; expected rank 2"
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
		t.Errorf("dial ends with %v; want %s", err, want)
	}
}

// BenchmarkHandshake is what a connection costs both of its ends, until the one has let the other in.
func BenchmarkHandshake(b *testing.B) {
	id, _ := livetest.TestIdentity(b, 1, tcp.Hub)
	id.Patience = time.Minute
	g, err := id.Listen("127.0.0.1:0", func(conn net.Conn) error { return conn.Close() })
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	for b.Loop() {
		conn, err := id.Dial(b.Context(), g.Address(), tcp.Hub)
		if err != nil && !errors.Is(err, net.ErrClosed) {
			b.Fatal(err)
		}
		conn.Close()
	}
}
