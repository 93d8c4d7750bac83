package live

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"musubi/nic"
)

// Of two ranks of different groups, the one with the larger number dials the other. It
// says who it is and whom it means; the other answers when it has found that right. What
// follows are frames, with packets.

// linker makes the connections of a rank.
type linker struct {
	rank, size, group int
	id                *identity
	known             chan struct{} // closed when peers are known
	closed            chan struct{} // closed when the rank needs no more connections
	arrived           chan link
	queues            func(conn net.Conn, from int) // serves connections for command queues

	mu     sync.Mutex
	peers  []peer
	taken  [MaxRanks]bool // ranks that have connected
	queued [MaxRanks]bool // ranks that have for command queues
}

// link is a connection with another rank.
type link struct {
	peer int
	conn *tls.Conn
	err  error
}

// hello is what a rank says when it has dialled.
type hello struct {
	from, to uint16
	plain    bool // it will not encrypt what follows
	queues   bool // what follows is for command queues
}

const (
	helloMagic = 0x6d757331 // with the version of what follows
	plainMagic = 0x6d757031 // of those that will not encrypt
	queueMagic = 0x6d757131 // of connections for command queues
	helloBytes = 8
	helloTaken = 'T' // the answer
)

func (h hello) encode() []byte {
	magic := uint32(helloMagic)
	switch {
	case h.queues:
		magic = queueMagic
	case h.plain:
		magic = plainMagic
	}
	b := binary.LittleEndian.AppendUint32(nil, magic)
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, h.from), h.to)
}

func decodeHello(b []byte) (hello, error) {
	magic := binary.LittleEndian.Uint32(b)
	if magic != helloMagic && magic != plainMagic && magic != queueMagic {
		return hello{}, fmt.Errorf("it begins with %#x; expected %#x, %#x or %#x", magic, helloMagic, plainMagic, queueMagic)
	}
	return hello{binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[6:]), magic == plainMagic, magic == queueMagic}, nil
}

// serve takes a connection of another rank.
func (l *linker) serve(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(l.id.patience)); err != nil {
		return err
	}
	var b [helloBytes]byte
	if _, err := io.ReadFull(conn, b[:]); err != nil {
		return err
	}
	h, err := decodeHello(b[:])
	if err != nil {
		return err
	}
	if err := l.take(h); err != nil {
		return err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	if _, err := conn.Write([]byte{helloTaken}); err != nil {
		l.release(h)
		return err
	}
	if h.queues {
		l.queues(conn, int(h.from))
		return nil
	}
	l.arrived <- link{peer: int(h.from), conn: conn.(*tls.Conn)}
	return nil
}

var errHalfPlain = errors.New("encryption is off at one end only; expected it to be on or off at all ranks")

// take checks what a rank says about itself, as soon as that can be checked.
func (l *linker) take(h hello) error {
	switch {
	case h.plain != l.id.plain && !h.queues:
		return errHalfPlain
	case int(h.to) != l.rank:
		return fmt.Errorf("it means rank %d; this is rank %d", h.to, l.rank)
	case h.queues && int(h.from) < l.rank: // either of two ranks may dial
	case int(h.from) <= l.rank || int(h.from) >= l.size:
		return fmt.Errorf("it says that it is rank %d; expected one from %d to %d", h.from, l.rank+1, l.size-1)
	}
	select {
	case <-l.known:
	case <-l.closed:
		return net.ErrClosed
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.connected(h)
	switch {
	case l.peers[h.from].Group == l.group:
		return fmt.Errorf("it says that it is rank %d; that shares memory with this one", h.from)
	case *taken:
		return fmt.Errorf("it says that it is rank %d; that is connected already", h.from)
	}
	*taken = true
	return nil
}

// connected says whether the rank of a hello has a connection of its kind.
func (l *linker) connected(h hello) *bool {
	if h.queues {
		return &l.queued[h.from]
	}
	return &l.taken[h.from]
}

func (l *linker) release(h hello) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.connected(h) = false
}

// dial connects to another rank, for packets or for command queues.
func (l *linker) dial(ctx context.Context, to int, queues bool) (*tls.Conn, error) {
	conn, err := l.id.dial(ctx, l.peers[to].Address)
	if err != nil {
		return nil, err
	}
	end := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer end()
	if err := greet(conn, hello{uint16(l.rank), uint16(to), l.id.plain, queues}); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

var errNotTaken = errors.New("it gives another answer than expected to the greeting")

func greet(conn net.Conn, h hello) error {
	if _, err := conn.Write(h.encode()); err != nil {
		return err
	}
	var answer [1]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		return err
	}
	if answer[0] != helloTaken {
		return errNotTaken
	}
	return nil
}

// newFar opens the gate of a rank, at which other groups will connect to it.
func newFar(id *identity, address string, rank, size int) (*far, error) {
	l := &linker{
		rank: rank, size: size, id: id,
		known: make(chan struct{}), closed: make(chan struct{}), arrived: make(chan link, MaxRanks),
	}
	g, err := id.listen(address, l.serve)
	if err != nil {
		return nil, err
	}
	return &far{id: id, gate: g, linker: l}, nil
}

// connect connects a rank, whose gate is open, with all ranks of other groups, of which it knows
// the addresses now. A connection whose other end is silent for bound counts as lost; 0:
// never.
func (r *rank) connect(ctx context.Context, f *far, peers []peer, bound time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.far, f.rank, f.peers = f, r, peers
	f.linker.queues = r.serveQueues
	others := f.linker.begin(ctx, peers)
	var err error
	if f.ready, err = newReadySet(); err != nil {
		return fmt.Errorf("live: preparing to wait for other ranks: %w", err)
	}
	f.waker = newWaker(r.job, r.number, f.ready)
	missing := map[int]bool{}
	for _, other := range others {
		missing[other] = true
	}
	for len(missing) > 0 {
		select {
		case c := <-f.linker.arrived:
			if c.err != nil {
				return fmt.Errorf("live: rank %d cannot reach %s: %w", r.number, f.nameOf(c.peer), c.err)
			}
			if err := f.join(c, bound); err != nil {
				return err
			}
			delete(missing, c.peer)
		case <-ctx.Done():
			return fmt.Errorf("live: rank %d waits for a connection with %s: %w", r.number, f.nameOf(smallest(missing)), context.Cause(ctx))
		}
	}
	f.watcher.Go(func() { f.watch(bound) })
	return nil
}

// begin lets others connect, and dials those that are to be dialled. It returns all ranks
// of other groups.
func (l *linker) begin(ctx context.Context, peers []peer) []int {
	l.peers, l.group = peers, peers[l.rank].Group
	close(l.known)
	var others []int
	for other := range peers {
		if peers[other].Group != l.group {
			others = append(others, other)
		}
	}
	go l.dialAll(ctx, others)
	return others
}

// dialsAtOnce is how many ranks one rank dials at a time. A handshake is work for both ends: if
// all came at once, none would be done before patience is lost with it.
const dialsAtOnce = 8

// dialAll dials the ranks below this one, the next one first, so that not all begin with the
// same.
func (l *linker) dialAll(ctx context.Context, others []int) {
	turns := make(chan struct{}, dialsAtOnce)
	for _, other := range slices.Backward(others) {
		if other > l.rank {
			continue
		}
		turns <- struct{}{}
		go func() {
			conn, err := l.dial(ctx, other, false)
			<-turns
			l.arrived <- link{other, conn, err}
		}()
	}
}

// join makes a connection the way to another rank.
func (f *far) join(c link, bound time.Duration) error {
	r := f.rank
	socket := c.conn.NetConn().(*socket)
	if err := socket.detach(bound); err != nil {
		return err
	}
	var frames *keys
	if !f.id.plain {
		var err error
		if frames, err = newKeys(c.conn, r.number > c.peer); err != nil {
			return err
		}
	}
	s := newStream(c.peer, socket, frames, nic.NewPort(f.id.group, uint16(r.number)))
	if err := f.ready.add(s, len(f.streams)); err != nil {
		return fmt.Errorf("live: preparing to wait for %s: %w", f.nameOf(c.peer), err)
	}
	f.streams = append(f.streams, s)
	r.out[c.peer].stream, r.in[c.peer].stream = s, s
	r.out[c.peer].pair = new(pairState) // nobody else writes to it
	return nil
}

func smallest(set map[int]bool) int {
	least := MaxRanks
	for n := range set {
		least = min(least, n)
	}
	return least
}
