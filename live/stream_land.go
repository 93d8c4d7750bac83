package live

import (
	"fmt"

	"musubi/nic"
)

// landing is a long packet of which the data is used while it comes, most of it without a
// copy in between. It needs a connection that is not encrypted: what is encrypted counts only
// when all of it has been authenticated.
type landing struct {
	header  nic.Header
	bytes   int    // of data; 0: there is no landing
	have    int    // bytes that have come
	memory  []byte // where they belong; nil: that is in pieces, or nowhere
	dropped bool   // the packet must not reach this rank
}

// beginLanding begins one if what has come in part is a frame whose data need not be there
// as a whole.
func (r *rank) beginLanding(s *stream) {
	b := s.socket.buffered()
	if len(b) < frameHead+packetHeads {
		return
	}
	kind, n, err := readFrameHead(b, nil)
	if err != nil || kind != longFrame {
		return
	}
	h, _, rest, err := nic.ParseWire(b[frameHead:])
	if err != nil {
		r.reject(s, malformed, err)
		return
	}
	if (h.Operation == nic.IPush || h.Operation == nic.Accumulate) && n <= maxLong {
		return // it is lent, or taken, as a whole
	}
	head := len(b) - len(rest)
	l := landing{header: h, bytes: frameHead + n - head}
	switch {
	case h.Data != 0:
		err = errForm
	case r.admit(s, &h):
		l.memory, err = r.placeOf(s, &h, l.bytes)
	default:
		l.dropped = true
	}
	if err != nil {
		r.rejectPacket(s, &h, err)
		return
	}
	s.landing = l
	s.socket.from += head
}

// placeOf returns the memory that the data of a packet belongs in, n bytes; nil if it is in
// pieces. It fails if the data does not belong anywhere.
func (r *rank) placeOf(s *stream, h *nic.Header, n int) ([]byte, error) {
	if h.Operation != nic.Push && h.Operation != nic.Answer {
		return nil, errForm
	}
	if err := s.check(h); err != nil {
		return nil, err
	}
	if h.Operation == nic.Push {
		p := &r.in[s.peer].push
		ends := h.Flags&nic.EndOfMessage != 0
		if !p.open || h.Long || h.Flags&nic.StartOfMessage != 0 || n > p.total-p.at || ends != (n == p.total-p.at) {
			return nil, errForm
		}
		if p.refused.code != 0 || !p.access.IsContiguous() {
			return nil, nil
		}
		return p.memory[p.at:][:n], nil
	}
	e := r.pulledFrom(s, h)
	if e == nil || h.Word>>32 != 0 {
		return nil, errNoPull
	}
	at, err := e.place(h, n)
	if err != nil || e.layout != nil {
		return nil, err
	}
	return e.memory[at:][:n], nil
}

// land takes what has come of the data, and reports whether that was anything.
func (r *rank) land(s *stream) bool {
	l := &s.landing
	n, err := r.landMore(s, l)
	if err != nil {
		r.lose(s, err)
		return false
	}
	if l.have += n; l.have < l.bytes {
		return n > 0
	}
	if !l.dropped {
		r.accept(s, &l.header)
	}
	s.received++
	*l = landing{}
	return true
}

// landMore puts what has come where it belongs, and returns how many bytes that was.
func (r *rank) landMore(s *stream, l *landing) (n int, err error) {
	if l.memory == nil {
		return r.landPiece(s, l)
	}
	n, err = s.socket.fillInto(l.memory[l.have:])
	s.drained = l.have+n < l.bytes
	if l.header.Operation == nic.Push {
		r.advancePush(&r.in[s.peer], n)
	} else {
		r.ops.entries[uint32(l.header.Word)].left -= n
	}
	return n, err
}

// landPiece is landMore of data that is copied to where it belongs.
func (r *rank) landPiece(s *stream, l *landing) (int, error) {
	if len(s.socket.buffered()) == 0 {
		_, more, err := s.socket.fill(maxFrame)
		if s.drained = !more; err != nil {
			return 0, err
		}
	}
	piece := s.socket.buffered()
	piece = piece[:min(len(piece), l.bytes-l.have)]
	s.socket.from += len(piece)
	switch {
	case l.dropped || len(piece) == 0:
	case l.header.Operation == nic.Push:
		r.takeMore(&r.in[s.peer], piece, 0)
	default:
		e := &r.ops.entries[uint32(l.header.Word)]
		e.take(e.bytes-e.left, piece)
	}
	return len(piece), nil
}

// rejectPacket is reject of a packet.
func (r *rank) rejectPacket(s *stream, h *nic.Header, err error) {
	r.reject(s, reasonOf(err, malformed), fmt.Errorf("%v packet: %w", h.Operation, err))
}
