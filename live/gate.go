package live

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

// gate accepts connections of processes of the job. All others it turns away, counts
// and logs: who has not proved in time that it belongs to the job, and the oldest if
// there are too many of them.
type gate struct {
	id       *identity
	listener net.Listener
	serve    func(net.Conn) error
	running  sync.WaitGroup // but for serve

	mu        sync.Mutex
	closed    bool
	strangers []net.Conn // that have not proved themselves, the oldest first
}

// listen opens a gate. For each process that it lets in, serve is called on a
// goroutine of its own, with a connection that it owns. If serve fails, the
// connection is refused: closed, counted and logged; only closed if the other end has.
func (id *identity) listen(address string, serve func(net.Conn) error) (*gate, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("live: listening for other ranks: %w", err)
	}
	g := &gate{id: id, listener: listener, serve: serve}
	g.running.Go(g.accept)
	return g, nil
}

// Address returns where the gate is, as host:port.
func (g *gate) Address() string { return g.listener.Addr().String() }

// Refused returns how many connections and packets this process has turned away, by
// reason.
func (g *gate) Refused() map[string]int { return g.id.refusals.byReason() }

// Close accepts no more connections, and ends those that have not proved themselves.
func (g *gate) Close() {
	g.mu.Lock()
	g.closed = true
	for _, conn := range g.strangers {
		conn.Close()
	}
	g.mu.Unlock()
	g.listener.Close()
	g.running.Wait()
}

func (g *gate) accept() {
	for {
		conn, err := g.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // too many files are open, or the like
			time.Sleep(redialAfter)
			continue
		}
		g.enter(conn)
		g.running.Add(1)
		go g.meet(conn)
	}
}

// enter notes a stranger, and turns the oldest away if there are too many.
func (g *gate) enter(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		conn.Close()
		return
	}
	if len(g.strangers) == maxStrangers {
		g.strangers[0].Close()
		g.id.refusals.note(crowded, g.strangers[0].RemoteAddr().String(), errCrowded)
		g.strangers = slices.Delete(g.strangers, 0, 1)
	}
	g.strangers = append(g.strangers, conn)
}

var errCrowded = fmt.Errorf("%d others have not proved themselves either", maxStrangers)

// leave forgets a stranger, and reports whether it was one still: neither crowded out
// nor met by the end of the gate.
func (g *gate) leave(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.strangers, conn)
	if i < 0 {
		return false
	}
	g.strangers = slices.Delete(g.strangers, i, i+1)
	return !g.closed
}

// meet lets a stranger prove itself, and serves it.
func (g *gate) meet(raw net.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), g.id.patience)
	defer cancel()
	conn := tls.Server(newSocket(raw), g.id.config)
	err := shake(ctx, conn, sayWelcome)
	known := g.leave(raw)
	g.running.Done()
	if !known {
		raw.Close()
		return
	}
	if err != nil {
		raw.Close()
		g.id.refusals.note(handshakeProblem(err), raw.RemoteAddr().String(), err)
		return
	}
	if err := g.serve(conn); err != nil {
		conn.Close()
		if !isEnd(err) {
			g.id.refusals.note(reasonOf(err, badHello), raw.RemoteAddr().String(), err)
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
func handshakeProblem(err error) refusal {
	var (
		header tls.RecordHeaderError
		remote *net.OpError // tls tells so of alerts
	)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return tooSlow
	case errors.As(err, &header):
		return notTLS
	case errors.As(err, &remote) && remote.Err.Error() == badCertificate:
		return anotherJob // it has seen our certificate, and does not want it
	}
	return reasonOf(err, brokenHandshake)
}
