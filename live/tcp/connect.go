package tcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"musubi/live/wire"
)

// A rank has a stream to each rank of another group from the beginning on. It connects one in the
// first call that has something for the rank at its other end, or when that one has connected.

// New opens the acceptor of a rank, at which other groups will connect to it.
func New(id *Identity, address string, rank, size int) (*Streams, error) {
	l := &Linker{rank: rank, size: size, id: id, known: make(chan struct{}), news: make(chan struct{}, 1)}
	l.ctx, l.stop = context.WithCancel(context.Background())
	g, err := id.Listen(address, l.serve)
	if err != nil {
		l.stop()
		return nil, err
	}
	return &Streams{Identity: id, Acceptor: g, Linker: l, number: rank}, nil
}

// Connect lets all ranks of other groups, of which the addresses are known now, connect to the
// owner, and that to them. A connection whose other end is silent for bound counts as lost; 0:
// never. Each stream hands what comes to the receiver that there is for its rank.
func (f *Streams) Connect(to Owner, peers []Peer, bound time.Duration, receiverOf func(peer int) Receiver) ([]*Stream, error) {
	f.Owner, f.Peers = to, peers
	ready, err := newReadySet()
	if err != nil {
		return nil, fmt.Errorf("live: preparing to wait for other ranks: %w", err)
	}
	f.Ready, f.waker = ready, newWaker(to.Wake, ready)
	f.All = make([]*Stream, len(peers))
	own := peers[f.number].Group
	for other := range peers {
		if peers[other].Group != own {
			f.All[other] = Unconnected(other, f, receiverOf(other))
		} else if other != f.number {
			f.shares = true
		}
	}
	f.Linker.begin(to, peers, bound)
	f.watcher.Go(func() { f.watch(bound) })
	return f.All, nil
}

// begin lets others connect to a rank.
func (l *Linker) begin(to Owner, peers []Peer, bound time.Duration) {
	l.bound, l.queues, l.wake = bound, to.ServeQueues, to.Wake
	l.peers, l.group = peers, peers[l.rank].Group
	close(l.known)
}

// A rank that waits for a connection looks whether the job has failed, at first soon and then ever less
// often: hundreds of ranks that wait on few processors would leave no time for the handshakes.
const (
	connectSoon = time.Millisecond
	connectLate = 64 * time.Millisecond
)

// Reach connects a stream, unless it is connected, and reports whether it has. It takes as long
// as a handshake does, for which the rank at the other end need not be in a call. The rank takes
// nothing meanwhile: what the program sends may lie in a message that it has in place. If there can be no connection, it
// cannot go on.
func (f *Streams) Reach(s *Stream) bool {
	f.Come()
	f.welcome()
	if s.Connected || f.cannotGoOn() {
		return s.Connected
	}
	f.Linker.dials.Go(func() { f.Linker.reach(s.Peer) })
	f.Owner.Connecting(s.Peer)
	for look := connectSoon; !s.Connected && !f.cannotGoOn(); look = min(2*look, connectLate) {
		select {
		case <-f.Linker.news:
		case <-time.After(look):
		}
		f.welcome()
	}
	f.Owner.Connected()
	return s.Connected
}

func (f *Streams) cannotGoOn() bool { return f.Owner.Problem() != nil }

// reach dials another rank, unless that has connected meanwhile.
func (l *Linker) reach(to int) {
	if !l.claim(to) {
		return
	}
	if c := l.reachNow(to); !errors.Is(c.err, wire.ErrCrossed) { // else the connection comes from there
		l.deliver(c)
	}
}

// claim reports whether a rank is to be dialled.
func (l *Linker) claim(to int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dialled[to] = !l.taken[to]
	return l.dialled[to]
}

// reachNow is reach of one that has not connected.
func (l *Linker) reachNow(to int) link {
	ctx, cancel := Entry(l.ctx, l.bound)
	defer cancel()
	conn, err := l.Dial(ctx, to, false)
	if err != nil {
		return link{peer: to, dialled: true, err: err}
	}
	return l.detach(to, conn, true)
}

// deliver hands a connection to the rank, or why there is none. If another one has been taken
// while this rank has dialled, that is the one.
func (l *Linker) deliver(c link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil || c.dialled && l.taken[c.peer] {
		c.discard()
		return
	}
	l.taken[c.peer] = l.taken[c.peer] || c.err == nil
	l.made = append(l.made, c)
	l.waiting.Store(true)
	select {
	case l.news <- struct{}{}:
	default:
	}
	l.wake()
}

// collect returns the connections that have been made since it was called last.
func (l *Linker) collect() []link {
	l.mu.Lock()
	defer l.mu.Unlock()
	made := l.made
	l.made = nil
	l.waiting.Store(false)
	return made
}

// finishTime is how long a rank waits for what it dials when the job is done.
const finishTime = 300 * time.Millisecond

// finish waits for what is dialled though the other rank has dialled, too: who breaks off a
// handshake is taken for a peer that cannot prove itself.
func (l *Linker) finish() {
	late := time.AfterFunc(finishTime, l.stop)
	defer late.Stop()
	l.dials.Wait()
}

// close ends all that is under way, and connections that the rank has not looked at.
func (l *Linker) close() {
	l.stop()
	l.dials.Wait()
	for _, c := range l.collect() {
		c.discard()
	}
}

func (c link) discard() {
	if c.err == nil {
		c.socket.CloseDetached()
	}
}

// welcome connects streams by what has been made for them. If that has failed, the other rank has
// most likely ended, and who has started it says why; else this one cannot go on.
func (f *Streams) welcome() {
	for _, c := range f.Linker.collect() {
		if c.err == nil {
			c.err = f.join(c)
		}
		if c.err != nil {
			f.Owner.Unreachable(c.peer, c.err)
		}
	}
}

// join connects a stream.
func (f *Streams) join(c link) error {
	s := f.All[c.peer]
	s.Connect(c.socket, f.Identity.Protection, c.keys)
	err := f.Ready.add(s, len(f.Streams))
	if err == nil {
		err = f.attendant.add(s, len(f.Streams))
	}
	if err != nil {
		s.lose(err)
		return fmt.Errorf("preparing to wait for it: %w", err)
	}
	f.Add(s)
	return nil
}

// Add enters a stream that is connected.
func (f *Streams) Add(s *Stream) {
	f.Streams = append(f.Streams, s)
	shown := f.Streams
	f.shown.Store(&shown)
}

// beside returns the streams that are connected, for those who look at them beside the rank.
func (f *Streams) beside() []*Stream {
	if shown := f.shown.Load(); shown != nil {
		return *shown
	}
	return nil
}

// EntryTimes is how many times the bound ranks have to come, as they are started one
// after the other, and to reach the hub and the ranks of other groups.
const EntryTimes = 6

// Entry returns the end of the time that a rank has to reach others, within that of another
// context.
func Entry(ctx context.Context, bound time.Duration) (context.Context, context.CancelFunc) {
	if bound == 0 {
		return context.WithCancel(ctx)
	}
	return Patience(ctx, EntryTimes*bound)
}
