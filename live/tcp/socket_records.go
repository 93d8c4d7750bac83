package tcp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// A socket may go on with TLS after it is detached: what it sends and receives are records then. TLS
// does not block either: reading ends with an error that TLS forgets when there is nothing, and what it
// writes comes behind all else that is to be sent.

// keepRecords lets a detached socket go on with the connection of its handshake.
func (s *Socket) keepRecords(conn *tls.Conn) {
	s.early = append(s.early, s.Buffered()...)
	s.from, s.to = 0, 0
	s.records, s.mayHaveRecord = conn, true
}

// receiveEarly receives what TLS will read. It reports whether there is anything.
func (s *Socket) receiveEarly() (bool, error) {
	if s.cipher == nil {
		s.cipher = make([]byte, socketBuffer)
	}
	n, err := readSocket(s.Fd, s.cipher)
	s.early = s.cipher[:n]
	return n > 0, err
}

// readDetached is Read of a detached socket.
func (s *Socket) readDetached(b []byte) (int, error) {
	if len(s.early) == 0 {
		switch some, err := s.receiveEarly(); {
		case err != nil:
			return 0, err
		case !some:
			return 0, os.ErrDeadlineExceeded // TLS may be asked again after that
		}
	}
	n := copy(b, s.early)
	s.early = s.early[n:]
	return n, nil
}

var (
	errRecords = errors.New("records of TLS that are not what was sent")
	errAnswers = errors.New("it asks for an answer of TLS, which no rank does")
)

// readRecords takes what records that are there hold.
func (s *Socket) readRecords(b []byte) (int, error) {
	if !s.mayHaveRecord && len(s.early) == 0 { // asking TLS for nothing makes garbage
		if some, err := s.receiveEarly(); !some || err != nil {
			return 0, err
		}
	}
	n, err := s.records.Read(b)
	s.mayHaveRecord = n > 0
	var failed syscall.Errno
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = io.EOF
	case err == nil, errors.Is(err, io.EOF), errors.As(err, &failed):
	default:
		err = fmt.Errorf("%w: %w", errRecords, err)
	}
	return n, err
}

// writeRecords replaces a frame, with which what is to be sent ends, by records.
func (s *Socket) writeRecords(frame int) error {
	s.clear = append(s.clear[:0], s.out[frame:]...)
	s.out = s.out[:frame]
	s.writing = true
	_, err := s.records.Write(s.clear)
	s.writing = false
	return err
}

// Write is for TLS. Once the socket is detached that writes only frames: between these nothing fits.
func (s *Socket) Write(b []byte) (int, error) {
	switch {
	case s.records == nil:
		return s.Conn.Write(b)
	case !s.writing:
		return 0, errAnswers
	}
	s.out = append(s.out, b...)
	return len(b), nil
}
