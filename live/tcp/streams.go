package tcp

import (
	"net"
	"sync"
	"sync/atomic"

	"musubi/live/wire"
	"musubi/units"
)

// Streams is what a rank has to reach ranks of other groups.
type Streams struct {
	Owner    Owner
	number   int  // of the rank
	shares   bool // it shares memory with others
	Identity *Identity
	Acceptor *Acceptor
	Linker   *Linker
	Peers    []Peer
	All      []*Stream                 // by rank; nil to those that it shares memory with
	Streams  []*Stream                 // that are connected
	shown    atomic.Pointer[[]*Stream] // the same, for who is not the rank
	Ready    *readySet                 // says which streams have something
	Taking   bool                      // of packets is under way
	Turn     int                       // polls until the streams are looked at
	looked   units.Time                // when the program has last looked for something
	waker    *waker
	watcher  sync.WaitGroup // of the streams
	losing   sync.Once

	asked       bool  // others may wait for Acks that were due when streams were last looked at
	holds, owes alarm // for what is held, and for Acks

	presence  presence
	attendant *attendant // serves the streams beside the rank; nil: nobody does
}

// Owner is the rank that streams belong to. Its methods are called seldom: when connections are
// made, and when they are lost.
type Owner interface {
	// Problem returns why the rank cannot go on, nil if it can.
	Problem() error
	// Connecting says that the rank waits for a connection with another one, until Connected.
	Connecting(peer int)
	Connected()
	// Unreachable says why there can be no connection with another rank.
	Unreachable(peer int, err error)
	// Cut says that the connection with another rank is lost.
	Cut(peer int)
	// Rejected says that another rank has sent what no rank sends.
	Rejected(peer int)
	// IsOver reports whether the programs of all ranks are done.
	IsOver() bool
	// Wake lets the rank look again if it sleeps. It may be called beside the rank.
	Wake()
	// ServeQueues serves a connection for command queues. It is called beside the rank.
	ServeQueues(conn net.Conn, from int)
}

// farEvery is how often a rank that shares memory with others polls until it looks at its
// streams, unless it gives way or does something else in between: a system call takes as
// long as some 20 looks at a ring.
const farEvery = 32

// awayTime is how long a program may do something else until it looks at its streams, too, when
// it looks for something again: some ten times as long as that takes.
const awayTime = 10 * units.Microsecond

// ComeBack lets the next poll look at the streams if the program that now looks for something
// has done something else in between.
func (f *Streams) ComeBack(now units.Time) {
	if now-f.looked > awayTime {
		f.Turn = 0
	}
	f.looked = now
}

// NameOf returns a rank with its host, for messages.
func (f *Streams) NameOf(rank int) string {
	if rank >= 0 && rank < len(f.Peers) {
		return wire.RankOn(rank, f.Peers[rank].Host)
	}
	return wire.RankOn(rank, "")
}

// Poll looks for connections, sends what has been held back and, when it is their turn, takes
// packets of all streams. It reports whether there was anything to do.
func (f *Streams) Poll() bool {
	f.Come()
	moved := f.Linker.waiting.Load()
	if moved {
		f.welcome()
	}
	for _, s := range f.Streams {
		s.Own()
		s.followed = false
		if s.hasUnsent() {
			f.flush(s)
		}
	}
	if f.Turn--; f.Turn > 0 {
		return moved
	}
	if f.shares {
		f.Turn = farEvery
	}
	f.Taking, f.asked = true, false
	moved = f.take() || moved
	f.Taking = false
	return moved
}

// askFrom is from how many streams on the system is asked which of them have something,
// rather than each of them.
const askFrom = 3

// take takes packets of all streams.
func (f *Streams) take() bool {
	ask := len(f.Streams) >= askFrom
	if ask {
		f.Ready.Look(f.Streams)
	}
	moved := false
	for _, s := range f.Streams {
		if s.Lost == nil && (!ask || s.Readable || !s.isIdle()) && f.Drain(s) {
			moved = true
		}
	}
	if moved {
		f.Turn = 0 // there may be more
	}
	return moved
}

// Drain takes packets of a stream, and acknowledges if there are none for a while, or many.
func (f *Streams) Drain(s *Stream) bool {
	s.Readable = false
	moved := s.Drain()
	if moved {
		s.quiet = 0
	} else {
		s.quiet++
	}
	switch {
	case moved && s.hasUnsent(), s.Owed > AckMost, s.Owed > 0 && s.isSilent():
		f.flush(s)
	case s.asked:
		f.asked = true
	}
	return moved
}

// WriteMessage sends a message of two parts that fits into a frame, if there is room.
func (s *Stream) WriteMessage(head, data []byte) bool {
	f := s.streams
	if !s.Connected {
		f.Reach(s)
	}
	s.Own()
	defer f.Depart()
	written, sent := s.writeMessage(head, data)
	switch {
	case !written:
		return false
	case sent:
		s.followed = true
		f.flush(s)
	default:
		f.Tell(s)
	}
	return true
}

// flush sends all there is for a stream.
func (f *Streams) flush(s *Stream) {
	s.Flush()
	if s.Lost != nil {
		f.lose(s, s.Lost)
	}
}

// SendAll sends all that is due.
func (f *Streams) SendAll() {
	for _, s := range f.Streams {
		s.Own()
		if s.Owed > 0 || s.hasUnsent() {
			f.flush(s)
		}
	}
}

// PrepareSleep sends all that is due, and lets the rank be woken when something comes.
// It has said already that it sleeps. What has come before and waits for room wakes
// nobody: the next poll looks at it.
func (f *Streams) PrepareSleep() {
	f.SendAll()
	f.Turn = 0
	for i, s := range f.Streams {
		f.Ready.await(s, i)
	}
	f.waker.arm()
}

// Packets returns how many packets have been sent and received.
func (f *Streams) Packets() (sent, received uint64) {
	for _, s := range f.Streams {
		sent += s.sent
		received += s.Received
	}
	return sent, received
}

// lose notes that a stream is of no more use. If nobody says why, the job fails with
// that.
func (f *Streams) lose(s *Stream, err error) {
	s.lose(err)
	f.LoseOnce(s.Peer)
}

// LoseOnce tells the rank that the connection with another one is lost, if it is the first.
func (f *Streams) LoseOnce(peer int) { f.losing.Do(func() { f.Owner.Cut(peer) }) }

// reject ends a stream whose other end says what it must not, which fails the job. The failure
// comes first: who finds the end of the stream is not to say more of it than this rank.
func (f *Streams) reject(s *Stream, why Refusal, err error) {
	f.Identity.Refusals.Note(why, f.NameOf(s.Peer), err)
	f.Owner.Rejected(s.Peer)
	s.lose(err)
}

// Close ends all connections.
func (f *Streams) Close() {
	if f.Owner != nil && f.Owner.IsOver() {
		f.Linker.finish()
	}
	f.Come()
	f.attendant.stop()
	f.Linker.stop()
	f.Acceptor.Close()
	f.watcher.Wait()
	if f.waker != nil {
		f.waker.stop()
	}
	f.Linker.close()
	for _, s := range f.Streams {
		s.Own()
		s.Socket.CloseDetached()
	}
}
