package live

import (
	"errors"
	"fmt"

	"musubi/live/wire"
	"musubi/nic/reliable"
)

// receiver is what a rank does with what another one sends it over a stream. Packets come in the
// order in which they were sent.
type receiver interface {
	// takePacket does what a packet says, whose body has the fields of its kind. It reports false if that
	// must wait, as must what comes after it. It fails if no rank says that.
	takePacket(k wire.Kind, body []byte, long bool) (done bool, err error)
	// progress changes when something was done of a packet that must wait.
	progress() int
	// accept counts a packet that was taken, and reports whether more is to come of what it is a
	// part of.
	accept(k wire.Kind, body []byte) (continues bool)
	// acked counts further packets of this rank as done.
	acked(n int)
	// nacked notes that an operation of this rank has failed. It reports false if that cannot be.
	nacked(f wire.NackFields) bool
	// place returns the memory that n bytes of data belong in, of a packet with some fields; nil if
	// that is in pieces. It fails if they do not belong anywhere.
	place(k wire.Kind, fields []byte, n int) ([]byte, error)
	// placed says that n bytes of them are there.
	placed(k wire.Kind, fields []byte, n int)
	// put puts the next of them where they belong.
	put(k wire.Kind, fields, data []byte)
	// borrows reports whether a message is lent to the program out of the frame that has come last.
	borrows() bool
}

// batch is how many frames of one sender are taken before those of the next.
const framesAtOnce = 32

// drain takes packets of a stream. It reports whether there was anything of one.
func (s *stream) drain() bool {
	received, landed, progress := s.received, s.landing.have, s.receiver.progress()
	s.drained = false
	for range framesAtOnce {
		if len(s.packets) == 0 && !s.nextFrame() {
			break
		}
		s.takePackets()
		if len(s.packets) > 0 || s.receiver.borrows() { // they wait, for room or the end of the loan
			break
		}
	}
	return s.received != received || s.landing.have != landed || s.receiver.progress() != progress
}

// nextFrame takes a frame, or some of one. It reports whether there was anything to take.
func (s *stream) nextFrame() bool {
	switch {
	case s.lost != nil:
		return false
	case s.landing.bytes > 0:
		return !s.drained && s.land()
	case !s.hasFrame():
		return !s.drained && s.fill()
	}
	if err := s.takeFrame(); err != nil {
		s.streams.reject(s, brokenStream, err)
		return false
	}
	return true
}

// hasFrame reports whether a frame has come, or what is none.
func (s *stream) hasFrame() bool {
	b := s.socket.buffered()
	if len(b) < wire.FrameHead {
		return false
	}
	_, n, err := wire.ReadFrameHead(b, s.keys)
	return err != nil || len(b) >= wire.FrameHead+n
}

// takeFrame makes what is in a frame that has come the packets to be handled. They are
// good until more is received.
func (s *stream) takeFrame() error {
	b := s.socket.buffered()
	kind, n, err := wire.ReadFrameHead(b, s.keys)
	if err != nil {
		return err
	}
	frame := b[:wire.FrameHead+n]
	s.socket.from += len(frame)
	packets := frame[wire.FrameHead:]
	if s.keys != nil {
		if packets, err = s.keys.In.Open(frame); err != nil {
			return err
		}
	}
	s.packets, s.long = packets, kind == wire.LongFrame
	return nil
}

// fill receives what is there, and reports whether that was anything.
func (s *stream) fill() bool {
	n := socketBuffer
	if s.keys == nil {
		n = wire.MaxFrame
	}
	some, more, err := s.socket.fill(n)
	if err != nil {
		s.streams.lose(s, err)
		return false
	}
	s.drained = !more
	if some && s.keys == nil && !s.hasFrame() {
		s.beginLanding()
	}
	return some
}

// takePackets handles the packets of a frame, up to one that must wait.
func (s *stream) takePackets() {
	for len(s.packets) > 0 && s.lost == nil && !s.receiver.borrows() {
		h, body, rest, err := wire.ParsePacket(s.packets, s.long)
		if err != nil {
			s.streams.reject(s, malformed, err)
			return
		}
		if s.admit(&h) {
			done, err := s.take(&h, body)
			if err != nil {
				s.rejectPacket(&h, err)
				return
			}
			if !done {
				return
			}
		}
		s.packets = rest
		s.received++
	}
}

// admit reports whether a packet may reach this rank.
func (s *stream) admit(h *wire.Header) bool {
	f := s.streams
	switch {
	case h.Group != f.id.group:
		f.id.refusals.note(foreignGroup, f.nameOf(s.peer), fmt.Errorf("packet of process group %#04x; expected %#04x", h.Group, f.id.group))
		return false
	case int(h.To) != f.number:
		f.id.refusals.note(strayPacket, f.nameOf(s.peer), fmt.Errorf("packet for rank %d; expected %d", h.To, f.number))
		return false
	}
	return true
}

var (
	errSender = errors.New("its sender is not the rank at the other end")
	errOrder  = &refusedError{outOfOrder, errors.New("its number is not the one that is expected")}
	errAcked  = errors.New("it tells of packets that are not under way")
)

// take handles a packet, whatever is in it. It reports false if the packet must wait,
// as must what comes after it.
func (s *stream) take(h *wire.Header, body []byte) (bool, error) {
	switch {
	case int(h.From) == s.peer && h.Kind == wire.Ack:
		return true, s.takeAck(h)
	case int(h.From) == s.peer && h.Kind == wire.Nack:
		return true, s.takeNack(h, body)
	}
	if err := s.check(h); err != nil {
		return false, err
	}
	done, err := s.receiver.takePacket(h.Kind, body, s.long)
	if done && err == nil {
		s.accept(h, body)
	}
	return done, err
}

// check fails unless a numbered packet comes from the other end and is the next one.
func (s *stream) check(h *wire.Header) error {
	switch {
	case int(h.From) != s.peer:
		return errSender
	case s.inbox.Check(h.Sequence) != reliable.Expected:
		return errOrder
	}
	return nil
}

// accept says that what a numbered packet says has been done.
func (s *stream) accept(h *wire.Header, body []byte) {
	s.inbox.Take()
	s.owed++
	s.midst = s.receiver.accept(h.Kind, body)
	isPush := h.Kind == wire.Whole || h.Kind == wire.Push || h.Kind == wire.More
	s.asked = s.asked || !s.midst && (isPush || h.Awaited)
}

// takeAck counts packets of this rank as done.
func (s *stream) takeAck(h *wire.Header) error {
	first, _ := s.outbox.Outstanding()
	n := s.outbox.Acked(h.Sequence)
	if h.Body != 0 || n == 0 && h.Sequence != first {
		return errAcked
	}
	s.receiver.acked(n)
	return nil
}

// takeNack notes that an operation of this rank has failed.
func (s *stream) takeNack(h *wire.Header, body []byte) error {
	f := wire.DecodeNack(body)
	if h.Body != wire.NackBytes || !f.Failed.Code.IsKnown() || !s.receiver.nacked(f) {
		return errAcked
	}
	return nil
}

// rejectPacket ends a stream over which a packet has come that no rank sends.
func (s *stream) rejectPacket(h *wire.Header, err error) {
	s.streams.reject(s, reasonOf(err, malformed), fmt.Errorf("%v packet: %w", h.Kind, err))
}
