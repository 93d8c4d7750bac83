package livetest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"musubi/live/tcp"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Logged collects what is logged.
type Logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *Logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestIdentity returns the identity of a party of the job with some number, and what it logs.
func TestIdentity(t testing.TB, job byte, of tcp.Party) (*tcp.Identity, *Logged) {
	t.Helper()
	authority, err := tcp.NewAuthority(bytes.Repeat([]byte{job}, tcp.KeyBytes))
	if err != nil {
		t.Fatal(err)
	}
	self, err := authority.Issue(of)
	if err != nil {
		t.Fatal(err)
	}
	id, err := tcp.NewIdentity(self)
	if err != nil {
		t.Fatal(err)
	}
	log := &Logged{}
	id.LogTo(slog.New(slog.NewTextHandler(log, nil)))
	return id, log
}

// Each of these connects to an acceptor of job 1 and is no process of it.
var UnauthenticatedPeers = []struct {
	Name string
	Why  tcp.Refusal
	Do   func(t *testing.T, address string)
}{
	{"plain bytes", tcp.NotTLS, func(t *testing.T, address string) {
		says(t, address, bytes.Repeat([]byte{0xa5}, 1000))
	}},
	{"HTTP", tcp.NotTLS, func(t *testing.T, address string) {
		client := http.Client{Timeout: time.Minute}
		if answer, err := client.Get("http://" + address); err == nil {
			answer.Body.Close()
			t.Error("a web client gets an answer")
		}
	}},
	{"TLS without a certificate", tcp.NoCertificate, func(t *testing.T, address string) {
		talksTLS(t, address, &tls.Config{InsecureSkipVerify: true})
	}},
	{"TLS of an old version", tcp.BrokenHandshake, func(t *testing.T, address string) {
		talksTLS(t, address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	}},
	{"certificate of another job", tcp.AnotherJob, func(t *testing.T, address string) {
		other, _ := TestIdentity(t, 2, 1)
		talksTLS(t, address, &tls.Config{InsecureSkipVerify: true, Certificates: other.Certificates()})
	}},
	{"process of another job", tcp.AnotherJob, func(t *testing.T, address string) {
		other, _ := TestIdentity(t, 2, 1)
		if _, err := other.Dial(t.Context(), address, 0); !errors.Is(err, tcp.ErrAnotherJob) {
			t.Errorf("dial ends with %v, want %v", err, tcp.ErrAnotherJob)
		}
	}},
	{"end of the connection", tcp.BrokenHandshake, func(t *testing.T, address string) { says(t, address, nil) }},
}

// says connects, says something, and fails the test if it hears anything but a refusal.
func says(t *testing.T, address string, what []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(what); err != nil {
		t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).CloseWrite()                // the acceptor may have closed it already
	if answer, _ := io.ReadAll(conn); len(answer) > 7 { // an alert of TLS
		t.Errorf("an unauthenticated peer hears % x", answer)
	}
}

// talksTLS fails the test if an acceptor lets somebody in.
func talksTLS(t *testing.T, address string, config *tls.Config) {
	t.Helper()
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		return
	}
	defer conn.Close()
	if n, err := conn.Read(make([]byte, 1)); err == nil {
		t.Errorf("an unauthenticated peer is let in, and hears %d bytes", n)
	}
}

// AwaitRefusals waits until an acceptor has refused so many for a reason, and fails the
// test if it has refused others.
func AwaitRefusals(t testing.TB, g *tcp.Acceptor, why tcp.Refusal, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ; g.Refused()[why.String()] < n; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("refused are %v; want %d times %v", g.Refused(), n, why)
		}
	}
	if refused := g.Refused(); len(refused) != 1 || refused[why.String()] != n {
		t.Errorf("refused are %v; want %d times %v", refused, n, why)
	}
}
