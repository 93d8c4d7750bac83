package tcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Acceptor accepts connections of processes of the job. All others it turns away, counts
// and logs: who has not proved in time that it belongs to the job, and the oldest if
// there are too many of them.
type Acceptor struct {
	Identity *Identity
	Listener net.Listener
	Serve    func(net.Conn) error
	Running  sync.WaitGroup // but for serve

	Mu              sync.Mutex
	closed          bool
	Unauthenticated []net.Conn // that have not proved themselves, the oldest first
}

// Listen opens an acceptor. For each process that it lets in, serve is called on a
// goroutine of its own, with a connection that it owns. If serve fails, the
// connection is refused: closed, counted and logged; only closed if the other end has.
func (id *Identity) Listen(address string, serve func(net.Conn) error) (*Acceptor, error) {
	listener, err := net.Listen(networkOf(address), address)
	if err != nil {
		return nil, fmt.Errorf("live: listening for other ranks: %w", err)
	}
	g := &Acceptor{Identity: id, Listener: listener, Serve: serve}
	g.Running.Go(g.accept)
	return g, nil
}

// Address returns where the acceptor listens: host:port, or the name of a Unix-domain socket.
func (g *Acceptor) Address() string { return g.Listener.Addr().String() }

// Refused returns how many connections and packets this process has turned away, by
// reason.
func (g *Acceptor) Refused() map[string]int { return g.Identity.Refusals.ByReason() }

// Close accepts no more connections, and ends those that have not proved themselves.
func (g *Acceptor) Close() {
	g.Mu.Lock()
	g.closed = true
	for _, conn := range g.Unauthenticated {
		conn.Close()
	}
	g.Mu.Unlock()
	g.Listener.Close()
	g.Running.Wait()
}

func (g *Acceptor) accept() {
	for {
		conn, err := g.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // too many files are open, or the like
			time.Sleep(RedialAfter)
			continue
		}
		g.Enter(conn)
		g.Running.Add(1)
		go g.Meet(conn)
	}
}

// Enter notes an unauthenticated peer, and turns the oldest away if there are too many.
func (g *Acceptor) Enter(conn net.Conn) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if g.closed {
		conn.Close()
		return
	}
	if len(g.Unauthenticated) == MaxUnauthenticated {
		g.Unauthenticated[0].Close()
		g.Identity.Refusals.Note(CrowdedOut, g.Unauthenticated[0].RemoteAddr().String(), ErrCrowdedOut)
		g.Unauthenticated = slices.Delete(g.Unauthenticated, 0, 1)
	}
	g.Unauthenticated = append(g.Unauthenticated, conn)
}

var ErrCrowdedOut = fmt.Errorf("%d others have not proved themselves either", MaxUnauthenticated)

// leave forgets an unauthenticated peer, and reports whether it was one still: neither crowded out
// nor still there when the acceptor was closed.
func (g *Acceptor) leave(conn net.Conn) bool {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	i := slices.Index(g.Unauthenticated, conn)
	if i < 0 {
		return false
	}
	g.Unauthenticated = slices.Delete(g.Unauthenticated, i, i+1)
	return !g.closed
}

// Meet lets a peer prove itself, and serves it.
func (g *Acceptor) Meet(raw net.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), g.Identity.Patience)
	defer cancel()
	conn := tls.Server(newSocket(raw), g.Identity.config)
	err := shake(ctx, conn, sayWelcome)
	known := g.leave(raw)
	g.Running.Done()
	if !known {
		raw.Close()
		return
	}
	if err != nil {
		raw.Close()
		g.Identity.Refusals.Note(handshakeProblem(err), raw.RemoteAddr().String(), err)
		return
	}
	if err := g.Serve(conn); err != nil {
		conn.Close()
		if !isEnd(err) {
			g.Identity.Refusals.Note(reasonOf(err, BadHello), raw.RemoteAddr().String(), err)
		}
	}
}

// isEnd reports whether an error says that a process of the job, or this one, has left
// before it said anything: as when the job has failed elsewhere.
func isEnd(err error) bool {
	for _, end := range []error{io.EOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// badCertificate is the alert of those that find that we are of another job.
var badCertificate = tls.AlertError(42).Error()

// handshakeProblem says why a handshake has failed.
func handshakeProblem(err error) Refusal {
	var (
		header tls.RecordHeaderError
		remote *net.OpError // tls tells so of alerts
	)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return TooSlow
	case errors.As(err, &header):
		return NotTLS
	case errors.As(err, &remote) && remote.Err.Error() == badCertificate:
		return AnotherJob // it has seen our certificate, and does not want it
	}
	return reasonOf(err, BrokenHandshake)
}
