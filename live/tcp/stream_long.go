package tcp

import (
	"errors"

	"musubi/live/wire"
)

// longReceive is a long packet of which the data is used while it comes, most of it without a
// copy in between. It needs a connection that is not encrypted: what is encrypted counts only
// when all of it has been authenticated.
type longReceive struct {
	header  wire.Header
	room    [wire.MaxHead]byte
	fields  []byte // in room
	bytes   int    // of data; 0: there is none
	have    int    // bytes that have come
	memory  []byte // where they belong; nil: that is in pieces, or nowhere
	dropped bool   // the packet must not reach this rank
}

var errBody = errors.New("a packet in a frame of its own that says how long it is")

// beginLongReceive begins one if what has come in part is a frame whose data need not be there
// as a whole.
func (s *Stream) beginLongReceive() {
	b := s.Socket.Buffered()
	if len(b) < wire.FrameHead+wire.MaxHead {
		return
	}
	kind, n, err := wire.ReadFrameHead(b, wire.Unprotected)
	if err != nil || kind != wire.LongFrame {
		return
	}
	var h wire.Header
	if err := h.Decode(b[wire.FrameHead:]); err != nil {
		s.streams.reject(s, Malformed, err)
		return
	}
	if (h.Kind == wire.Message || h.Kind == wire.Operands) && n <= wire.MaxLong {
		return // it is received in place, or taken, as a whole
	}
	head := wire.FrameHead + wire.HeaderBytes + h.Kind.FieldBytes()
	l := &s.longReceive
	*l = longReceive{header: h}
	l.fields = append(l.room[:0], b[wire.FrameHead+wire.HeaderBytes:head]...)
	size := wire.FrameHead + n - head
	switch {
	case h.Body != 0:
		err = errBody
	case s.admit(&h):
		l.memory, err = s.placeOf(&h, l.fields, size)
	default:
		l.dropped = true
	}
	if err != nil {
		s.rejectPacket(&h, err)
		return
	}
	l.bytes = size
	s.Socket.from += head
}

// placeOf returns the memory that the data of a packet belongs in, n bytes; nil if it is in
// pieces. It fails if the data does not belong anywhere.
func (s *Stream) placeOf(h *wire.Header, fields []byte, n int) ([]byte, error) {
	if h.Kind == wire.Ack || h.Kind == wire.Nack {
		return nil, errAcked // these have no data
	}
	if err := s.check(h); err != nil {
		return nil, err
	}
	return s.receiver.Place(h.Kind, fields, n)
}

// receiveLong takes what has come of the data, and reports whether that was anything.
func (s *Stream) receiveLong() bool {
	l := &s.longReceive
	n, err := s.receiveMore(l)
	if err != nil {
		s.streams.lose(s, err)
		return false
	}
	if l.have += n; l.have < l.bytes {
		return n > 0
	}
	if !l.dropped {
		s.accept(&l.header, l.fields)
	}
	s.Received++
	*l = longReceive{}
	return true
}

// receiveMore puts what has come where it belongs, and returns how many bytes that was.
func (s *Stream) receiveMore(l *longReceive) (n int, err error) {
	if l.memory == nil {
		return s.receivePiece(l)
	}
	n, err = s.Socket.fillInto(l.memory[l.have:])
	s.drained = l.have+n < l.bytes
	s.receiver.Placed(l.header.Kind, l.fields, n)
	return n, err
}

// receivePiece is receiveMore of data that is copied to where it belongs.
func (s *Stream) receivePiece(l *longReceive) (int, error) {
	if len(s.Socket.Buffered()) == 0 {
		_, more, err := s.Socket.fill(wire.MaxFrame)
		if s.drained = !more; err != nil {
			return 0, err
		}
	}
	piece := s.Socket.Buffered()
	piece = piece[:min(len(piece), l.bytes-l.have)]
	s.Socket.from += len(piece)
	if !l.dropped && len(piece) > 0 {
		s.receiver.Put(l.header.Kind, l.fields, piece)
	}
	return len(piece), nil
}
