package live

import (
	"net"
	"sync"
	"sync/atomic"

	"musubi/units"
)

// far is what a rank has to reach ranks of other groups.
type far struct {
	owner   owner
	number  int  // of the rank
	shares  bool // it shares memory with others
	id      *identity
	gate    *gate
	linker  *linker
	peers   []peer
	all     []*stream                 // by rank; nil to those that it shares memory with
	streams []*stream                 // that are connected
	shown   atomic.Pointer[[]*stream] // the same, for who is not the rank
	ready   *readySet                 // says which streams have something
	taking  bool                      // of packets is under way
	turn    int                       // polls until the streams are looked at
	looked  units.Time                // when the program has last looked for something
	waker   *waker
	watcher sync.WaitGroup // of the streams
	losing  sync.Once

	asked       bool  // others may wait for Acks that were due when streams were last looked at
	holds, owes alarm // for what is held, and for Acks
}

// owner is the rank that streams belong to. Its methods are called seldom: when connections are
// made, and when they are lost.
type owner interface {
	// problem returns why the rank cannot go on, nil if it can.
	problem() error
	// connecting says that the rank waits for a connection with another one, until connected.
	connecting(peer int)
	connected()
	// unreachable says why there can be no connection with another rank.
	unreachable(peer int, err error)
	// cut says that the connection with another rank is lost.
	cut(peer int)
	// rejected says that another rank has sent what no rank sends.
	rejected(peer int)
	// isOver reports whether the programs of all ranks are done.
	isOver() bool
	// wake lets the rank look again if it sleeps. It may be called beside the rank.
	wake()
	// serveQueues serves a connection for command queues. It is called beside the rank.
	serveQueues(conn net.Conn, from int)
}

// farEvery is how often a rank that shares memory with others polls until it looks at its
// streams, unless it gives way or does something else in between: a system call takes as
// long as some 20 looks at a ring.
const farEvery = 32

// awayTime is how long a program may do something else until it looks at its streams, too, when
// it looks for something again: some ten times as long as that takes.
const awayTime = 10 * units.Microsecond

// comeBack lets the next poll look at the streams if the program that now looks for something
// has done something else in between.
func (f *far) comeBack(now units.Time) {
	if now-f.looked > awayTime {
		f.turn = 0
	}
	f.looked = now
}

// nameOf returns a rank with its host, for messages.
func (f *far) nameOf(rank int) string {
	if rank >= 0 && rank < len(f.peers) {
		return rankOn(rank, f.peers[rank].Host)
	}
	return rankOn(rank, "")
}

// poll looks for connections, sends what has been held back and, when it is their turn, takes
// packets of all streams. It reports whether there was anything to do.
func (f *far) poll() bool {
	moved := f.linker.waiting.Load()
	if moved {
		f.welcome()
	}
	for _, s := range f.streams {
		s.own()
		s.followed = false
		if s.hasUnsent() {
			f.flush(s)
		}
	}
	if f.turn--; f.turn > 0 {
		return moved
	}
	if f.shares {
		f.turn = farEvery
	}
	f.taking, f.asked = true, false
	moved = f.take() || moved
	f.taking = false
	return moved
}

// askFrom is from how many streams on the system is asked which of them have something,
// rather than each of them.
const askFrom = 3

// take takes packets of all streams.
func (f *far) take() bool {
	ask := len(f.streams) >= askFrom
	if ask {
		f.ready.look(f.streams)
	}
	moved := false
	for _, s := range f.streams {
		if s.lost == nil && (!ask || s.readable || !s.isIdle()) && f.drain(s) {
			moved = true
		}
	}
	if moved {
		f.turn = 0 // there may be more
	}
	return moved
}

// drain takes packets of a stream, and acknowledges if there are none for a while, or many.
func (f *far) drain(s *stream) bool {
	s.readable = false
	moved := s.drain()
	if moved {
		s.quiet = 0
	} else {
		s.quiet++
	}
	switch {
	case moved && s.hasUnsent(), s.owed > ackMost, s.owed > 0 && s.isSilent():
		f.flush(s)
	case s.asked:
		f.asked = true
	}
	return moved
}

// copyMessage sends a message of two parts that fits into a frame, if there is room.
func (f *far) copyMessage(s *stream, head, data []byte) bool {
	if !s.connected {
		f.reach(s)
	}
	s.own()
	defer f.depart()
	written, sent := s.writeMessage(head, data)
	switch {
	case !written:
		return false
	case sent:
		s.followed = true
		f.flush(s)
	default:
		f.tell(s)
	}
	return true
}

// flush sends all there is for a stream.
func (f *far) flush(s *stream) {
	s.flush()
	if s.lost != nil {
		f.lose(s, s.lost)
	}
}

// sendAll sends all that is due.
func (f *far) sendAll() {
	for _, s := range f.streams {
		s.own()
		if s.owed > 0 || s.hasUnsent() {
			f.flush(s)
		}
	}
}

// prepareSleep sends all that is due, and lets the rank be woken when something comes.
// It has said already that it sleeps. What has come before and waits for room wakes
// nobody: the next poll looks at it.
func (f *far) prepareSleep() {
	f.sendAll()
	f.turn = 0
	for i, s := range f.streams {
		f.ready.await(s, i)
	}
	f.waker.arm()
}

// packets returns how many packets have been sent and received.
func (f *far) packets() (sent, received uint64) {
	for _, s := range f.streams {
		sent += s.sent
		received += s.received
	}
	return sent, received
}

// lose notes that a stream is of no more use. If nobody says why, the job fails with
// that.
func (f *far) lose(s *stream, err error) {
	s.lose(err)
	f.loseOnce(s.peer)
}

// loseOnce tells the rank that the connection with another one is lost, if it is the first.
func (f *far) loseOnce(peer int) { f.losing.Do(func() { f.owner.cut(peer) }) }

// reject ends a stream whose other end says what it must not, which fails the job. The failure
// comes first: who finds the end of the stream is not to say more of it than this rank.
func (f *far) reject(s *stream, why refusal, err error) {
	f.id.refusals.note(why, f.nameOf(s.peer), err)
	f.owner.rejected(s.peer)
	s.lose(err)
}

// close ends all connections.
func (f *far) close() {
	if f.owner != nil && f.owner.isOver() {
		f.linker.finish()
	}
	f.linker.stop()
	f.gate.Close()
	f.watcher.Wait()
	if f.waker != nil {
		f.waker.stop()
	}
	f.linker.close()
	for _, s := range f.streams {
		s.own()
		s.socket.close()
	}
}
