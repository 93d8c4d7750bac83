package tcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"musubi/live/wire"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Two ranks of different groups connect when one of them has something for the other for the
// first time: that one dials. It says who it is and whom it means; the other answers when it has
// found that right. What follows are frames, with packets.
//
// Both may dial at once. Then the connection counts that the rank with the larger number has
// dialled: that rank takes none from a rank that it dials itself, and answers that the two have
// crossed, while the other one takes what comes. So the rank with the larger number alone
// decides, at one moment, and there is one connection. Where nothing crosses, all of this takes
// nothing but the greeting and the answer to it.

// Linker makes the connections of a rank. It does so beside the rank, which may compute
// meanwhile.
type Linker struct {
	rank, size, group int
	id                *Identity
	bound             time.Duration
	known             chan struct{}                 // closed when peers are known
	queues            func(conn net.Conn, from int) // serves connections for command queues
	wake              func()                        // lets the rank look for connections

	ctx     context.Context // ends when the rank needs no more connections
	stop    context.CancelFunc
	dials   sync.WaitGroup
	waiting atomic.Bool   // connections are there that the rank has not looked at
	news    chan struct{} // holds one if connections have come since the rank has waited for one

	mu      sync.Mutex
	peers   []Peer
	dialled [wire.MaxRanks]bool // ranks that this one has begun to dial
	taken   [wire.MaxRanks]bool // ranks that it has a connection with
	queued  [wire.MaxRanks]bool // ranks that have connected for command queues
	made    []link              // that the rank has not looked at
}

// link is a new connection with another rank, or why there is none.
type link struct {
	peer    int
	dialled bool // by this rank
	socket  *Socket
	keys    *wire.Keys // if frames are sealed
	err     error
}

// serve takes a connection of another rank.
func (l *Linker) serve(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(l.id.Patience)); err != nil {
		return err
	}
	var b [wire.HelloBytes]byte
	if _, err := io.ReadFull(conn, b[:]); err != nil {
		return err
	}
	h, err := wire.DecodeHello(b[:])
	if err != nil {
		return err
	}
	if err := l.id.CheckRank(conn, int(h.From)); err != nil {
		return err
	}
	crossed, err := l.take(h)
	switch {
	case err != nil:
		return err
	case crossed:
		_, _ = conn.Write([]byte{wire.HelloCrossed})
		return conn.Close()
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	if _, err := conn.Write([]byte{wire.HelloTaken}); err != nil {
		l.release(h)
		return err
	}
	if h.Queues {
		l.queues(conn, int(h.From))
		return nil
	}
	l.deliver(l.detach(int(h.From), conn.(*tls.Conn), false))
	return nil
}

var errProtection = errors.New("its encryption is another one; expected the same at all ranks")

// take checks what a rank says about itself, as soon as that can be checked, and notes that it
// is connected; not if this rank dials it, and has the larger number.
func (l *Linker) take(h wire.Hello) (crossed bool, err error) {
	from := int(h.From)
	switch {
	case h.Protection != l.id.Protection && !h.Queues:
		return false, errProtection
	case int(h.To) != l.rank:
		return false, fmt.Errorf("it means rank %d; this is rank %d", h.To, l.rank)
	case from == l.rank || from >= l.size:
		return false, fmt.Errorf("it says that it is rank %d; expected one from 0 to %d other than %d", from, l.size-1, l.rank)
	}
	select {
	case <-l.known:
	case <-l.ctx.Done():
		return false, net.ErrClosed
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.connected(h)
	switch {
	case l.peers[from].Group == l.group:
		return false, fmt.Errorf("it says that it is rank %d; that shares memory with this one", from)
	case !h.Queues && l.dialled[from] && l.rank > from:
		return true, nil
	case *taken:
		return false, fmt.Errorf("it says that it is rank %d; that is connected already", from)
	}
	*taken = true
	return false, nil
}

// connected says whether the rank of a hello has a connection of its kind.
func (l *Linker) connected(h wire.Hello) *bool {
	if h.Queues {
		return &l.queued[h.From]
	}
	return &l.taken[h.From]
}

func (l *Linker) release(h wire.Hello) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.connected(h) = false
}

// Dial connects to another rank, for packets or for command queues.
func (l *Linker) Dial(ctx context.Context, to int, queues bool) (*tls.Conn, error) {
	conn, err := l.id.Dial(ctx, l.peers[to].Address, Party(to))
	if err != nil {
		return nil, err
	}
	end := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer end()
	if err := wire.Greet(conn, wire.Hello{From: uint16(l.rank), To: uint16(to), Protection: l.id.Protection, Queues: queues}); err != nil {
		conn.NetConn().Close() // without an alert of TLS: the other end may expect frames already
		return nil, err
	}
	return conn, nil
}

// detach makes a connection one that the rank polls.
func (l *Linker) detach(peer int, conn *tls.Conn, dialled bool) link {
	c := link{peer: peer, dialled: dialled, socket: conn.NetConn().(*Socket)}
	if l.id.Protection == wire.Sealed {
		c.keys, c.err = wire.NewKeys(conn, dialled)
	}
	if c.err == nil {
		c.err = c.socket.detach(l.bound)
	}
	if l.id.Protection == wire.Records {
		c.socket.keepRecords(conn)
	}
	if c.err != nil {
		conn.Close()
	}
	return c
}
