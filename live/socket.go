package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// socket is the connection below TLS. At first it is an ordinary one. After detach the
// rank polls it: fill receives, Read serves what was received, Write collects what flush
// sends, and none of them ever blocks.
//
// It knows where records of TLS end. Read never serves bytes of two records, so that
// TLS keeps none back; and of a detached socket only records that are there as a whole.
type socket struct {
	net.Conn     // until it is detached
	fd       int // once it is

	closing sync.Mutex // held to close fd, and to use it beside the rank

	in       []byte
	from, to int // what was received and not served is in[from:to]
	left     int // of the record that has been served in part

	out  []byte
	sent int // of out
}

const notDetached = -1

// Sizes of TLS records.
const (
	recordHead = 5
	maxRecord  = recordHead + 16<<10 + 256
	maxPlain   = 16 << 10 // bytes in a record
)

// socketBuffer is how much a socket receives at once.
const socketBuffer = 128 << 10

func newSocket(conn net.Conn) *socket { return &socket{Conn: conn, fd: notDetached} }

// detach takes the connection from the runtime, for the rank to poll. A peer that does
// not acknowledge within bound counts as lost; 0: as the system has it.
func (s *socket) detach(bound time.Duration) error {
	tcp, ok := s.Conn.(*net.TCPConn)
	if !ok {
		return fmt.Errorf("live: connection of type %T; expected TCP", s.Conn)
	}
	fd, err := duplicate(tcp, bound)
	if err != nil {
		return fmt.Errorf("live: preparing the connection with %v: %w", s.RemoteAddr(), err)
	}
	s.fd = fd
	return s.Conn.Close()
}

// close ends a detached connection.
func (s *socket) close() {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.fd != notDetached {
		closeSocket(s.fd)
		s.fd = notDetached
	}
}

// errNothing is what Read says when no whole record is there. TLS goes on after an
// error that is temporary.
var errNothing net.Error = nothing{}

type nothing struct{}

func (nothing) Error() string   { return "nothing there" }
func (nothing) Timeout() bool   { return true }
func (nothing) Temporary() bool { return true }

// Read is for TLS.
func (s *socket) Read(b []byte) (int, error) {
	for s.left == 0 || s.from == s.to {
		if s.left == 0 {
			s.left = s.record()
		}
		if s.left > 0 && s.from < s.to {
			break
		}
		if s.fd != notDetached {
			return 0, errNothing
		}
		if err := s.receive(); err != nil {
			return 0, err
		}
	}
	n := copy(b, s.in[s.from:min(s.to, s.from+s.left)])
	s.from += n
	s.left -= n
	return n, nil
}

// record returns the length of the record that is next, 0 if it cannot be served.
func (s *socket) record() int {
	b := s.in[s.from:s.to]
	if len(b) < recordHead {
		return 0
	}
	n := recordHead + int(b[3])<<8 + int(b[4])
	if n > maxRecord {
		return recordHead // enough for TLS to refuse it
	}
	if s.fd != notDetached && n > len(b) {
		return 0
	}
	return n
}

// hasRecord reports whether a record can be served.
func (s *socket) hasRecord() bool { return s.left > 0 || s.record() > 0 }

// receive waits for bytes, before the socket is detached.
func (s *socket) receive() error {
	s.makeRoom()
	n, err := s.Conn.Read(s.in[s.to:])
	s.to += n
	if n > 0 {
		return nil
	}
	return err
}

var errEnded = errors.New("it has ended the connection")

// fill takes the bytes that are there, and reports whether there were any.
func (s *socket) fill() (bool, error) {
	s.makeRoom()
	n, err := readSocket(s.fd, s.in[s.to:])
	switch {
	case err == io.EOF:
		return false, errEnded
	case err != nil:
		return false, err
	}
	s.to += n
	return n > 0, nil
}

// makeRoom moves the beginning of a record to the front.
func (s *socket) makeRoom() {
	switch {
	case s.in == nil:
		s.in = make([]byte, socketBuffer)
	case s.from == s.to:
		s.from, s.to = 0, 0
	case len(s.in)-s.to < maxRecord:
		s.to = copy(s.in, s.in[s.from:s.to])
		s.from = 0
	}
}

// Write is for TLS.
func (s *socket) Write(b []byte) (int, error) {
	if s.fd == notDetached {
		return s.Conn.Write(b)
	}
	s.out = append(s.out, b...)
	return len(b), nil
}

// frameHead begins a record that is not encrypted: as TLS would, for data.
var frameHead = [recordHead]byte{23, 3, 3}

// addFrame collects a record that is not encrypted.
func (s *socket) addFrame(b []byte) {
	head := frameHead
	binary.BigEndian.PutUint16(head[3:], uint16(len(b)))
	s.out = append(append(s.out, head[:]...), b...)
}

var errFrame = errors.New("a record that is not one of plain data")

// takeFrame returns the data of the next record, which is not encrypted. It is good until
// more is received.
func (s *socket) takeFrame() ([]byte, error) {
	b := s.in[s.from:][:s.record()]
	n := int(binary.BigEndian.Uint16(b[3:]))
	if n > maxPlain || !bytes.HasPrefix(b, frameHead[:3]) {
		return nil, errFrame
	}
	s.from += len(b)
	return b[recordHead:], nil
}

// unsent returns how many bytes wait to be sent.
func (s *socket) unsent() int { return len(s.out) - s.sent }

// flush sends what the system has room for.
func (s *socket) flush() error {
	for s.sent < len(s.out) {
		n, err := writeSocket(s.fd, s.out[s.sent:])
		if n == 0 || err != nil {
			return err
		}
		s.sent += n
	}
	s.out, s.sent = s.out[:0], 0
	return nil
}
