package tcp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"musubi/live/wire"
	"net"
	"os"
	"sync"
	"time"
)

// Socket is a connection. At first it is an ordinary one, below TLS. After detach the
// rank polls it: fill receives frames, and flush sends those that are in out; neither
// ever blocks.
//
// Before, it knows where records of TLS end: Read never serves bytes of two of them, so
// that TLS keeps back nothing of what follows it.
type Socket struct {
	net.Conn     // until it is detached
	Fd       int // once it is

	closing sync.Mutex // held to close fd, and to use it beside the rank

	in       []byte
	from, to int // what was received and not served is in[from:to]
	left     int // of the record that has been served in part

	records       *tls.Conn // by which it goes on after it is detached; nil: without TLS
	early         []byte    // that was received and TLS has not read
	cipher        []byte    // room for that
	mayHaveRecord bool      // that has not said since it was read last that there is nothing more
	writing       bool      // a frame
	clear         []byte    // copy of the frame

	Rest []byte // of memory that stays as it is until it is sent, before out
	out  []byte
	sent int // of out
}

const notDetached = -1

// recordHead is the length of the head of a record of TLS.
const recordHead = 5

// socketBuffer is how much a detached socket receives at once, and handshakeBuffer one before: that
// of a peer that has not proved itself should not cost much.
const (
	socketBuffer    = 128 << 10
	handshakeBuffer = 4 << 10
)

func newSocket(conn net.Conn) *Socket { return &Socket{Conn: conn, Fd: notDetached} }

// TCPBelow returns the connection that another one goes over, if that is of TCP.
func TCPBelow(conn net.Conn) (*net.TCPConn, bool) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if s, ok := conn.(*Socket); ok {
		conn = s.Conn
	}
	tcp, ok := conn.(*net.TCPConn)
	return tcp, ok
}

// detach takes the connection from the runtime, for the rank to poll. A peer that does
// not acknowledge within bound counts as lost; 0: as the system has it.
func (s *Socket) detach(bound time.Duration) error {
	conn, ok := s.Conn.(systemConn)
	if !ok {
		return fmt.Errorf("live: connection of type %T; expected one of the system", s.Conn)
	}
	fd, err := duplicate(conn, bound)
	if err != nil {
		return fmt.Errorf("live: preparing the connection with %v: %w", s.RemoteAddr(), err)
	}
	s.Fd = fd
	return s.Conn.Close()
}

// CloseDetached ends a detached connection.
func (s *Socket) CloseDetached() {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.Fd != notDetached {
		closeSocket(s.Fd)
		s.Fd = notDetached
	}
}

// Read is for TLS.
func (s *Socket) Read(b []byte) (int, error) {
	if s.records != nil {
		return s.readDetached(b)
	}
	for s.left == 0 || s.from == s.to {
		if s.left == 0 {
			s.left = s.record()
		}
		if s.left > 0 && s.from < s.to {
			break
		}
		if err := s.Receive(); err != nil {
			return 0, err
		}
	}
	n := copy(b, s.in[s.from:min(s.to, s.from+s.left)])
	s.from += n
	s.left -= n
	return n, nil
}

// record returns the length of the record of TLS that is next, 0 if its head is not there.
func (s *Socket) record() int {
	b := s.in[s.from:s.to]
	if len(b) < recordHead {
		return 0
	}
	return recordHead + int(b[3])<<8 + int(b[4])
}

// secondChance is how long a socket waits once more when the time for what should have come is
// over. Who was stopped meanwhile, be it this process, the other one, or the whole host, has not
// had that time.
const secondChance = time.Second

// Receive waits for bytes, before the socket is detached.
func (s *Socket) Receive() error {
	s.makeRoom(recordHead)
	n, err := s.Conn.Read(s.in[s.to:])
	if errors.Is(err, os.ErrDeadlineExceeded) && s.Conn.SetReadDeadline(time.Now().Add(secondChance)) == nil {
		n, err = s.Conn.Read(s.in[s.to:])
	}
	s.to += n
	if n > 0 {
		return nil
	}
	return err
}

// Buffered returns what was received and not served. It is good until more is received.
func (s *Socket) Buffered() []byte { return s.in[s.from:s.to] }

// fill takes bytes that are there, at most n, and reports whether there were any, and
// whether there may be more. No more than maxFrame are buffered.
func (s *Socket) fill(n int) (some, more bool, err error) {
	s.makeRoom(min(n, wire.MaxFrame))
	room := s.in[s.to:min(len(s.in), s.to+n)]
	if s.records != nil {
		got, err := s.readRecords(room)
		s.to += got
		return got > 0, got > 0, ended(err)
	}
	got, err := readSocket(s.Fd, room)
	s.to += got
	return got > 0, got == len(room), ended(err)
}

// fillInto takes what goes to some memory: what is buffered, and then what is there. Of
// what follows it takes a little, which is buffered.
func (s *Socket) fillInto(memory []byte) (int, error) {
	have := copy(memory, s.Buffered())
	if s.from += have; have == len(memory) {
		return have, nil
	}
	s.from, s.to = 0, 0
	n, err := readSocketInto(s.Fd, memory[have:], s.in[:peekBytes])
	s.to = max(0, have+n-len(memory))
	return min(have+n, len(memory)), ended(err)
}

// peekBytes is how much is read of what follows a long transfer: the head of the next
// frame, and not so much that it would cost time to copy it.
const peekBytes = 2 << 10

var errEnded = fmt.Errorf("it has ended the connection")

func ended(err error) error {
	if err == io.EOF {
		return errEnded
	}
	return err
}

// makeRoom makes room for n bytes behind those that are buffered.
func (s *Socket) makeRoom(n int) {
	size := socketBuffer
	if s.Fd == notDetached {
		size = handshakeBuffer
	}
	switch {
	case len(s.in) < size:
		grown := make([]byte, size)
		s.from, s.to, s.in = 0, copy(grown, s.in[s.from:s.to]), grown
	case s.from == s.to:
		s.from, s.to = 0, 0
	case len(s.in)-s.to < n:
		s.to = copy(s.in, s.in[s.from:s.to])
		s.from = 0
	}
}

// renew leaves what was received to who may still read it, and goes on elsewhere.
func (s *Socket) renew() {
	fresh := make([]byte, max(socketBuffer, len(s.in)))
	s.from, s.to, s.in = 0, copy(fresh, s.Buffered()), fresh
}

// unsent returns how many bytes wait to be sent.
func (s *Socket) unsent() int { return len(s.Rest) + len(s.out) - s.sent }

// flush sends what the system has room for.
func (s *Socket) flush() error {
	for s.unsent() > 0 {
		n, err := s.write(s.Rest, s.out[s.sent:])
		if err != nil {
			return err
		}
		if n == 0 {
			s.compact()
			return nil
		}
		own := min(n, len(s.Rest))
		s.Rest = s.Rest[own:]
		s.sent += n - own
	}
	s.Rest, s.out, s.sent = nil, s.out[:0], 0
	return nil
}

// write sends what there is room for of two pieces of memory, of which either may be empty.
func (s *Socket) write(first, second []byte) (int, error) {
	if len(first) == 0 {
		return writeSocket(s.Fd, second)
	}
	return writeSocketFrom(s.Fd, first, second)
}

// compact uses the room of what has been sent again, once that is most of all.
func (s *Socket) compact() {
	if s.sent > len(s.out)/2 {
		s.out = s.out[:copy(s.out, s.out[s.sent:])]
		s.sent = 0
	}
}

// flushWith sends all there is, which is in out, and then data. As far as the system has no
// room for it data waits where it is, if it stays there until it is sent, or is copied.
func (s *Socket) flushWith(data []byte, stays bool) error {
	n, err := writeSocketFrom(s.Fd, s.out[s.sent:], data)
	if err != nil {
		return err
	}
	waits := s.unsent()
	s.sent += min(n, waits)
	left := data[max(0, n-waits):]
	if s.sent == len(s.out) {
		s.out, s.sent = s.out[:0], 0
		if stays {
			s.Rest = left
			return nil
		}
	}
	s.out = append(s.out, left...)
	return nil
}
