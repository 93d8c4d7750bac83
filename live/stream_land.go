package live

import "musubi/nic"

// landing is a long packet of which the data goes from the socket straight to where it
// belongs, while it comes. It needs a connection that is not encrypted: what is encrypted
// counts only when all of it has been authenticated.
type landing struct {
	header nic.Header
	memory []byte // nil: there is none
	have   int    // bytes of it that have come
}

// beginLanding begins one if the frame that has come in part is one whose data can land.
// Whatever is wrong with that frame is told when all of it has come.
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
	if err != nil || h.Data != 0 || int(h.From) != s.peer || int(h.To) != r.number || h.Group != r.far.id.group ||
		s.inbox.Check(h.Sequence) != nic.Expected {
		return
	}
	head := len(b) - len(rest)
	memory := r.placeOf(s, &h, frameHead+n-head)
	if memory == nil {
		return
	}
	s.landing = landing{header: h, memory: memory}
	s.socket.from += head
}

// placeOf returns the memory that the data of a packet belongs in, n bytes; nil if it is in
// pieces, or does not belong anywhere.
func (r *rank) placeOf(s *stream, h *nic.Header, n int) []byte {
	switch h.Operation {
	case nic.Push:
		p := &r.in[s.peer].push
		ends := h.Flags&nic.EndOfMessage != 0
		if !p.open || h.Long || h.Flags&nic.StartOfMessage != 0 || p.refused.code != 0 || !p.access.IsContiguous() ||
			n > p.total-p.at || ends != (n == p.total-p.at) {
			return nil
		}
		return p.memory[p.at:][:n]
	case nic.Answer:
		e := r.pulledFrom(s, h)
		if e == nil || e.layout != nil || h.Word>>32 != 0 {
			return nil
		}
		if at, err := e.place(h, n); err == nil {
			return e.memory[at:][:n]
		}
	}
	return nil
}

// land takes what has come of the data, and reports whether that was anything.
func (r *rank) land(s *stream) bool {
	l := &s.landing
	n, err := s.socket.fillInto(l.memory[l.have:])
	if err != nil {
		r.lose(s, err)
		return false
	}
	if l.have += n; l.have < len(l.memory) {
		s.drained = true
		return n > 0
	}
	if l.header.Operation == nic.Push {
		r.advancePush(&r.in[s.peer], l.have)
	} else {
		r.ops.entries[uint32(l.header.Word)].advance(l.have)
	}
	*l = landing{}
	r.accept(s)
	s.received++
	return true
}
