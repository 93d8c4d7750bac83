package live

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// logged collects what is logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// testIdentity is that of the job with some number, and what it logs.
func testIdentity(t testing.TB, job byte) (*identity, *logged) {
	t.Helper()
	id, err := newIdentity(bytes.Repeat([]byte{job}, keyBytes))
	if err != nil {
		t.Fatal(err)
	}
	log := &logged{}
	id.refusals.log = slog.New(slog.NewTextHandler(log, nil))
	return id, log
}

// echoGate lets processes of job 1 in and repeats what they say.
func echoGate(t testing.TB) (*gate, *logged) {
	t.Helper()
	id, log := testIdentity(t, 1)
	g, err := id.listen("127.0.0.1:0", func(conn net.Conn) error {
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
func echoes(t *testing.T, g *gate) {
	t.Helper()
	id, _ := testIdentity(t, 1)
	conn, err := id.dial(t.Context(), g.Address())
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
		if _, err := newIdentity(make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes is taken", n)
		}
	}
}

// Each of these connects to the gate of job 1 and is no process of it.
var strangers = []struct {
	name string
	why  refusal
	do   func(t *testing.T, address string)
}{
	{"plain bytes", notTLS, func(t *testing.T, address string) {
		says(t, address, bytes.Repeat([]byte{0xa5}, 1000))
	}},
	{"HTTP", notTLS, func(t *testing.T, address string) {
		client := http.Client{Timeout: time.Minute}
		if answer, err := client.Get("http://" + address); err == nil {
			answer.Body.Close()
			t.Error("a web client gets an answer")
		}
	}},
	{"TLS without a certificate", noCertificate, func(t *testing.T, address string) {
		talksTLS(t, address, &tls.Config{InsecureSkipVerify: true})
	}},
	{"TLS of an old version", brokenHandshake, func(t *testing.T, address string) {
		talksTLS(t, address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	}},
	{"certificate of another job", anotherJob, func(t *testing.T, address string) {
		other, _ := testIdentity(t, 2)
		talksTLS(t, address, &tls.Config{InsecureSkipVerify: true, Certificates: other.config.Certificates})
	}},
	{"process of another job", anotherJob, func(t *testing.T, address string) {
		other, _ := testIdentity(t, 2)
		if _, err := other.dial(t.Context(), address); !errors.Is(err, errAnotherJob) {
			t.Errorf("dial ends with %v, want %v", err, errAnotherJob)
		}
	}},
	{"end of the connection", brokenHandshake, func(t *testing.T, address string) { says(t, address, nil) }},
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
	_ = conn.(*net.TCPConn).CloseWrite()                // the gate may have closed it already
	if answer, _ := io.ReadAll(conn); len(answer) > 7 { // an alert of TLS
		t.Errorf("a stranger hears % x", answer)
	}
}

// talksTLS fails the test if a gate lets somebody in.
func talksTLS(t *testing.T, address string, config *tls.Config) {
	t.Helper()
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		return
	}
	defer conn.Close()
	if n, err := conn.Read(make([]byte, 1)); err == nil {
		t.Errorf("a stranger is let in, and hears %d bytes", n)
	}
}

func TestStrangersAreRefused(t *testing.T) {
	for _, s := range strangers {
		t.Run(s.name, func(t *testing.T) {
			g, log := echoGate(t)
			s.do(t, g.Address())
			awaitRefusals(t, g, s.why, 1)
			if line := log.String(); !strings.Contains(line, s.why.String()) || strings.Count(line, "\n") != 1 {
				t.Errorf("logged is %q; want a line that says %v", line, s.why)
			}
			echoes(t, g)
		})
	}
}

// awaitRefusals waits until a gate has refused so many for a reason, and fails the
// test if it has refused others.
func awaitRefusals(t *testing.T, g *gate, why refusal, n int) {
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

// Strangers that say nothing can neither keep others out nor pile up.
func TestSilentStrangersKeepNobodyOut(t *testing.T) {
	const more = 10
	g, _ := echoGate(t)
	for range maxStrangers + more {
		conn, err := net.Dial("tcp", g.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	awaitRefusals(t, g, crowded, more)
	echoes(t, g)
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.strangers) > maxStrangers {
		t.Errorf("%d strangers are connected; want at most %d", len(g.strangers), maxStrangers)
	}
}

// One that says a little now and then is turned away in time.
func TestSlowStrangersAreRefused(t *testing.T) {
	id, _ := testIdentity(t, 1)
	id.patience = 100 * time.Millisecond
	g, err := id.listen("127.0.0.1:0", func(conn net.Conn) error { return conn.Close() })
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
		time.Sleep(id.patience / 5)
	}
	awaitRefusals(t, g, tooSlow, 1)
}

func TestLogOfRefusalsIsLimited(t *testing.T) {
	id, log := testIdentity(t, 1)
	for range 1000 {
		id.refusals.note(notTLS, "somebody", errors.New("no"))
	}
	if lines := strings.Count(log.String(), "\n"); lines < 1 || lines > 100 || id.refusals.byReason()["not TLS"] != 1000 {
		t.Errorf("1000 refusals are %d lines and counted as %v", lines, id.refusals.byReason())
	}
}

// A process may be there before the gate it is to connect to.
func TestDialWaitsForTheGate(t *testing.T) {
	g, _ := echoGate(t)
	address := g.Address()
	g.Close()
	id, _ := testIdentity(t, 1)
	dialled := make(chan error)
	go func() {
		conn, err := id.dial(t.Context(), address)
		if err == nil {
			err = conn.Close()
		}
		dialled <- err
	}()
	time.Sleep(2 * redialAfter)
	again, err := id.listen(address, func(conn net.Conn) error { return conn.Close() })
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := <-dialled; err != nil {
		t.Error(err)
	}
}

func TestDialEndsWithItsContext(t *testing.T) {
	id, _ := testIdentity(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 3*redialAfter)
	defer cancel()
	if _, err := id.dial(ctx, "127.0.0.1:1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("dial ends with %v, want %v", err, context.DeadlineExceeded)
	}
}
