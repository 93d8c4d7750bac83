package tcp

import (
	"errors"
	"fmt"

	"musubi/live/wire"
	"musubi/nic/reliable"
)

// Receiver is what a rank does with what another one sends it over a stream. Packets come in the
// order in which they were sent.
type Receiver interface {
	// TakePacket does what a packet says, whose body has the fields of its kind. It reports false if that
	// must wait, as must what comes after it. It fails if no rank says that.
	TakePacket(k wire.Kind, body []byte, long bool) (done bool, err error)
	// Progress changes when something was done of a packet that must wait.
	Progress() int
	// Accept counts a packet that was taken, and reports whether more is to come of what it is a
	// part of.
	Accept(k wire.Kind, body []byte) (continues bool)
	// Nacked notes that the operation of this rank has failed that ends at a position.
	Nacked(end uint64, why wire.Report)
	// Place returns the memory that n bytes of data belong in, of a packet with some fields; nil if
	// that is in pieces. It fails if they do not belong anywhere.
	Place(k wire.Kind, fields []byte, n int) ([]byte, error)
	// Placed says that n bytes of them are there.
	Placed(k wire.Kind, fields []byte, n int)
	// Put puts the next of them where they belong.
	Put(k wire.Kind, fields, data []byte)
	// Attend does what a packet says, whose body has the fields of its kind, if the rank is not needed for
	// that, and hands what the other rank is to be told to answer. It reports whether it has done that, is
	// called beside the rank, while that uses no stream, and is not called again for the same packet.
	Attend(k wire.Kind, body []byte, answer func(*wire.Transfer)) bool
	// HoldsFrame reports whether the program reads a message in the frame that has come last.
	HoldsFrame() bool
}

// batch is how many frames of one sender are taken before those of the next.
const framesAtOnce = 32

// Drain takes packets of a stream. It reports whether there was anything of one.
func (s *Stream) Drain() bool {
	received, have, progress := s.Received, s.longReceive.have, s.receiver.Progress()
	s.drained = false
	for range framesAtOnce {
		if len(s.Packets) == 0 && !s.nextFrame() {
			break
		}
		s.TakePackets()
		if len(s.Packets) > 0 || s.receiver.HoldsFrame() { // they wait for room, or until a message is released
			break
		}
	}
	s.lent = s.receiver.HoldsFrame()
	return s.Received != received || s.longReceive.have != have || s.receiver.Progress() != progress
}

// nextFrame takes a frame, or some of one. It reports whether there was anything to take.
func (s *Stream) nextFrame() bool {
	switch {
	case s.Lost != nil:
		return false
	case s.longReceive.bytes > 0:
		return !s.drained && s.receiveLong()
	case !s.hasFrame():
		return !s.drained && s.fill()
	}
	if err := s.takeFrame(); err != nil {
		s.streams.reject(s, BrokenStream, err)
		return false
	}
	return true
}

// hasFrame reports whether a frame has come, or what is none.
func (s *Stream) hasFrame() bool {
	b := s.Socket.Buffered()
	if len(b) < wire.FrameHead {
		return false
	}
	_, n, err := wire.ReadFrameHead(b, s.by)
	return err != nil || len(b) >= wire.FrameHead+n
}

// takeFrame makes what is in a frame that has come the packets to be handled. They are
// good until more is received.
func (s *Stream) takeFrame() error {
	b := s.Socket.Buffered()
	kind, n, err := wire.ReadFrameHead(b, s.by)
	if err != nil {
		return err
	}
	frame := b[:wire.FrameHead+n]
	s.Socket.from += len(frame)
	packets := frame[wire.FrameHead:]
	if s.keys != nil {
		if packets, err = s.keys.In.Open(frame); err != nil {
			return err
		}
	}
	s.Packets, s.long = packets, kind == wire.LongFrame
	return nil
}

// fill receives what is there, and reports whether that was anything.
func (s *Stream) fill() bool {
	n := socketBuffer
	if s.by == wire.Unprotected {
		n = wire.MaxFrame
	}
	some, more, err := s.Socket.fill(n)
	if err != nil {
		s.failedToReceive(err)
		return false
	}
	s.drained = !more
	if some && s.by == wire.Unprotected && !s.hasFrame() {
		s.beginLongReceive()
	}
	return some
}

// failedToReceive ends the stream, as nothing more can be received.
func (s *Stream) failedToReceive(err error) {
	if errors.Is(err, errRecords) {
		s.streams.reject(s, BrokenStream, err)
	} else {
		s.streams.lose(s, err)
	}
}

// TakePackets handles the packets of a frame, up to one that must wait.
func (s *Stream) TakePackets() {
	for len(s.Packets) > 0 && s.Lost == nil && !s.receiver.HoldsFrame() {
		var h wire.Header
		body, rest, err := h.Parse(s.Packets, s.long)
		if err != nil {
			s.streams.reject(s, Malformed, err)
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
		s.Packets = rest
		s.Received++
	}
}

// admit reports whether a packet may reach this rank.
func (s *Stream) admit(h *wire.Header) bool {
	f := s.streams
	switch {
	case h.Group != f.Identity.Group:
		f.Identity.Refusals.Note(ForeignGroup, f.NameOf(s.Peer), fmt.Errorf("packet of process group %#04x; expected %#04x", h.Group, f.Identity.Group))
		return false
	case int(h.To) != f.number:
		f.Identity.Refusals.Note(StrayPacket, f.NameOf(s.Peer), fmt.Errorf("packet for rank %d; expected %d", h.To, f.number))
		return false
	}
	return true
}

var (
	errSender = errors.New("its sender is not the rank at the other end")
	errOrder  = &refusedError{OutOfOrder, errors.New("its number is not the one that is expected")}
	errNumber = errors.New("it has no number, and is no answer")
	errAcked  = errors.New("it tells of packets that are not under way")
)

// take handles a packet, whatever is in it. It reports false if the packet must wait,
// as must what comes after it.
func (s *Stream) take(h *wire.Header, body []byte) (bool, error) {
	switch {
	case int(h.From) == s.Peer && h.Kind == wire.Ack:
		return true, s.takeAck(h)
	case int(h.From) == s.Peer && h.Kind == wire.Nack:
		return true, s.takeNack(h, body)
	case int(h.From) == s.Peer && h.Beside:
		return true, s.takeBeside(h, body)
	}
	if err := s.check(h); err != nil {
		return false, err
	}
	done, err := s.receiver.TakePacket(h.Kind, body, s.long)
	if done && err == nil {
		s.accept(h, body)
	}
	return done, err
}

// check fails unless a numbered packet comes from the other end and is the next one.
func (s *Stream) check(h *wire.Header) error {
	switch {
	case int(h.From) != s.Peer:
		return errSender
	case s.Inbox.Check(h.Sequence) != reliable.Expected:
		return errOrder
	}
	return nil
}

// accept says that what a numbered packet says has been done.
func (s *Stream) accept(h *wire.Header, body []byte) {
	s.Inbox.Take()
	s.accepted++
	s.Owed++
	s.midst = s.receiver.Accept(h.Kind, body)
	isPush := h.Kind == wire.Whole || h.Kind == wire.Push || h.Kind == wire.More
	s.asked = s.asked || !s.midst && (isPush || h.Awaited)
}

// takeAck counts packets of this rank as done.
func (s *Stream) takeAck(h *wire.Header) error {
	first, _ := s.outbox.Outstanding()
	n := s.outbox.Acked(h.Sequence)
	if h.Body != 0 || n == 0 && h.Sequence != first {
		return errAcked
	}
	s.acked.Store(s.acked.Load() + uint64(n))
	return nil
}

// takeNack notes that an operation of this rank has failed.
func (s *Stream) takeNack(h *wire.Header, body []byte) error {
	f := wire.DecodeNack(body)
	if h.Body != wire.NackBytes || !f.Failed.Code.IsKnown() || f.Position <= s.acked.Load() || f.Position > s.Head {
		return errAcked
	}
	s.receiver.Nacked(f.Position, f.Failed)
	return nil
}

// takeBeside takes an answer of who serves the stream beside the other rank.
func (s *Stream) takeBeside(h *wire.Header, body []byte) error {
	if h.Kind != wire.Result && h.Kind != wire.Answer {
		return errNumber
	}
	_, err := s.receiver.TakePacket(h.Kind, body, s.long)
	return err
}

// rejectPacket ends a stream over which a packet has come that no rank sends.
func (s *Stream) rejectPacket(h *wire.Header, err error) {
	s.streams.reject(s, reasonOf(err, Malformed), fmt.Errorf("%v packet: %w", h.Kind, err))
}
