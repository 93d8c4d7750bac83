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
	identity *Identity
	listener net.Listener
	serve    func(net.Conn) error
	running  sync.WaitGroup // goroutines, but for serve

	mu              sync.Mutex
	closed          bool
	unauthenticated []unauthenticatedPeer // the oldest first
	left            chan struct{}
}

// unauthenticatedPeer is a peer that has not proved yet that it belongs to the job.
type unauthenticatedPeer struct {
	conn  net.Conn
	since time.Time
}

// Listen opens an acceptor. For each process that it lets in, serve is called on a
// goroutine of its own, with a connection that it owns. If serve fails, the
// connection is refused: closed, counted and logged; only closed if the other end has.
func (id *Identity) Listen(address string, serve func(net.Conn) error) (*Acceptor, error) {
	listener, err := net.Listen(networkOf(address), address)
	if err != nil {
		return nil, fmt.Errorf("live: listening for other ranks: %w", err)
	}
	g := &Acceptor{identity: id, listener: listener, serve: serve, left: make(chan struct{}, 1)}
	g.running.Go(g.accept)
	return g, nil
}

// Address returns where the acceptor listens: host:port, or the name of a Unix-domain socket.
func (g *Acceptor) Address() string { return g.listener.Addr().String() }

// Refused returns how many connections and packets this process has turned away, by
// reason.
func (g *Acceptor) Refused() map[string]int { return g.identity.Refusals.ByReason() }

// Close accepts no more connections, and ends those that have not proved themselves.
func (g *Acceptor) Close() {
	g.mu.Lock()
	g.closed = true
	for _, p := range g.unauthenticated {
		p.conn.Close()
	}
	g.tellLeft()
	g.mu.Unlock()
	g.listener.Close()
	g.running.Wait()
}

func (g *Acceptor) accept() {
	for {
		conn, err := g.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // too many files are open, or the like
			time.Sleep(RedialAfter)
			continue
		}
		g.makeRoom()
		g.enter(conn)
		g.running.Add(1)
		go g.meet(conn)
	}
}

// makeRoom waits until there are few enough unauthenticated peers for another one. If none leaves for
// a while it turns the oldest away: ranks of a large job that come at once find their turn, and those
// who say nothing keep nobody out.
func (g *Acceptor) makeRoom() {
	for {
		wait := g.tryToMakeRoom()
		if wait <= 0 {
			return
		}
		select {
		case <-g.left:
		case <-time.After(wait):
		}
	}
}

// tryToMakeRoom returns after which time the oldest can be turned away; 0: there is room.
func (g *Acceptor) tryToMakeRoom() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || len(g.unauthenticated) < MaxUnauthenticated {
		return 0
	}
	oldest := g.unauthenticated[0]
	if wait := g.identity.Patience/crowdedShare - time.Since(oldest.since); wait > 0 {
		return wait
	}
	oldest.conn.Close()
	g.identity.Refusals.Note(CrowdedOut, oldest.conn.RemoteAddr().String(), errCrowdedOut)
	g.unauthenticated = slices.Delete(g.unauthenticated, 0, 1)
	return 0
}

// tellLeft tells who waits that a peer has left.
func (g *Acceptor) tellLeft() {
	select {
	case g.left <- struct{}{}:
	default:
	}
}

// enter notes an unauthenticated peer.
func (g *Acceptor) enter(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		conn.Close()
		return
	}
	g.unauthenticated = append(g.unauthenticated, unauthenticatedPeer{conn, time.Now()})
}

var errCrowdedOut = fmt.Errorf("%d others have not proved themselves either", MaxUnauthenticated)

// leave forgets an unauthenticated peer, and reports whether it was one still: neither crowded out
// nor still there when the acceptor was closed.
func (g *Acceptor) leave(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.IndexFunc(g.unauthenticated, func(p unauthenticatedPeer) bool { return p.conn == conn })
	if i < 0 {
		return false
	}
	g.unauthenticated = slices.Delete(g.unauthenticated, i, i+1)
	g.tellLeft()
	return !g.closed
}

// meet lets a peer prove itself, and serves it.
func (g *Acceptor) meet(raw net.Conn) {
	ctx, cancel := Patience(context.Background(), g.identity.Patience)
	defer cancel()
	conn := tls.Server(newSocket(raw), g.identity.config)
	err := shake(ctx, conn, sayWelcome)
	known := g.leave(raw)
	g.running.Done()
	if !known {
		raw.Close()
		return
	}
	if err != nil {
		raw.Close()
		g.identity.Refusals.Note(handshakeProblem(err), raw.RemoteAddr().String(), err)
		return
	}
	if err := g.serve(conn); err != nil {
		conn.Close()
		if !isEnd(err) {
			g.identity.Refusals.Note(reasonOf(err, BadHello), raw.RemoteAddr().String(), err)
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
