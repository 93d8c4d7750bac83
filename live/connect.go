package live

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A rank has a stream to each rank of another group from the beginning on. It connects one in the
// first call that has something for the rank at its other end, or when that one has connected.

// newFar opens the gate of a rank, at which other groups will connect to it.
func newFar(id *identity, address string, rank, size int) (*far, error) {
	l := &linker{rank: rank, size: size, id: id, known: make(chan struct{}), news: make(chan struct{}, 1)}
	l.ctx, l.stop = context.WithCancel(context.Background())
	g, err := id.listen(address, l.serve)
	if err != nil {
		l.stop()
		return nil, err
	}
	return &far{id: id, gate: g, linker: l, number: rank}, nil
}

// connect lets all ranks of other groups, of which the addresses are known now, connect to the
// owner, and that to them. A connection whose other end is silent for bound counts as lost; 0:
// never. Each stream hands what comes to the receiver that there is for its rank.
func (f *far) connect(to owner, peers []peer, bound time.Duration, receiverOf func(peer int) receiver) ([]*stream, error) {
	f.owner, f.peers = to, peers
	ready, err := newReadySet()
	if err != nil {
		return nil, fmt.Errorf("live: preparing to wait for other ranks: %w", err)
	}
	f.ready, f.waker = ready, newWaker(to.wake, ready)
	f.all = make([]*stream, len(peers))
	own := peers[f.number].Group
	for other := range peers {
		if peers[other].Group != own {
			f.all[other] = unconnected(other, f, receiverOf(other))
		} else if other != f.number {
			f.shares = true
		}
	}
	f.linker.begin(to, peers, bound)
	f.watcher.Go(func() { f.watch(bound) })
	return f.all, nil
}

// begin lets others connect to a rank.
func (l *linker) begin(to owner, peers []peer, bound time.Duration) {
	l.bound, l.queues, l.wake = bound, to.serveQueues, to.wake
	l.peers, l.group = peers, peers[l.rank].Group
	close(l.known)
}

// connectEvery is how often a rank that waits for a connection looks whether the job has failed.
const connectEvery = time.Millisecond

// reach connects a stream, unless it is connected, and reports whether it has. It takes as long
// as a handshake does, for which the rank at the other end need not be in a call. The rank takes
// nothing meanwhile: what the program sends may be lent to it. If there can be no connection, it
// cannot go on.
func (f *far) reach(s *stream) bool {
	f.welcome()
	if s.connected || f.cannotGoOn() {
		return s.connected
	}
	f.linker.dials.Go(func() { f.linker.reach(s.peer) })
	f.owner.connecting(s.peer)
	for !s.connected && !f.cannotGoOn() {
		select {
		case <-f.linker.news:
		case <-time.After(connectEvery):
		}
		f.welcome()
	}
	f.owner.connected()
	return s.connected
}

func (f *far) cannotGoOn() bool { return f.owner.problem() != nil }

// reach dials another rank, unless that has connected meanwhile.
func (l *linker) reach(to int) {
	if !l.claim(to) {
		return
	}
	if c := l.reachNow(to); !errors.Is(c.err, errCrossed) { // else the connection comes from there
		l.deliver(c)
	}
}

// claim reports whether a rank is to be dialled.
func (l *linker) claim(to int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dialled[to] = !l.taken[to]
	return l.dialled[to]
}

// reachNow is reach of one that has not connected.
func (l *linker) reachNow(to int) link {
	ctx, cancel := entry(l.ctx, l.bound)
	defer cancel()
	conn, err := l.dial(ctx, to, false)
	if err != nil {
		return link{peer: to, dialled: true, err: err}
	}
	return l.detach(to, conn, true)
}

// deliver hands a connection to the rank, or why there is none. If another one has been taken
// while this rank has dialled, that is the one.
func (l *linker) deliver(c link) {
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
func (l *linker) collect() []link {
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
// handshake is taken for a stranger.
func (l *linker) finish() {
	late := time.AfterFunc(finishTime, l.stop)
	defer late.Stop()
	l.dials.Wait()
}

// close ends all that is under way, and connections that the rank has not looked at.
func (l *linker) close() {
	l.stop()
	l.dials.Wait()
	for _, c := range l.collect() {
		c.discard()
	}
}

func (c link) discard() {
	if c.err == nil {
		c.socket.close()
	}
}

// welcome connects streams by what has been made for them. If that has failed, the other rank has
// most likely ended, and who has started it says why; else this one cannot go on.
func (f *far) welcome() {
	for _, c := range f.linker.collect() {
		if c.err == nil {
			c.err = f.join(c)
		}
		if c.err != nil {
			f.owner.unreachable(c.peer, c.err)
		}
	}
}

// join connects a stream.
func (f *far) join(c link) error {
	s := f.all[c.peer]
	s.connect(c.socket, c.keys)
	if err := f.ready.add(s, len(f.streams)); err != nil {
		s.lose(err)
		return fmt.Errorf("preparing to wait for it: %w", err)
	}
	f.add(s)
	return nil
}

// add enters a stream that is connected.
func (f *far) add(s *stream) {
	f.streams = append(f.streams, s)
	shown := f.streams
	f.shown.Store(&shown)
}

// beside returns the streams that are connected, for those who look at them beside the rank.
func (f *far) beside() []*stream {
	if shown := f.shown.Load(); shown != nil {
		return *shown
	}
	return nil
}
