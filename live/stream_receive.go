package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"musubi/nic"
	"musubi/onesided"
)

// drainStream takes packets of a stream. It reports whether there was anything of one.
func (r *rank) drainStream(s *stream) bool {
	in := &r.in[s.peer]
	received, landed, placed := s.received, s.landing.have, in.placed
	s.drained = false
	for range batch {
		if len(s.packets) == 0 && !r.nextFrame(s) {
			break
		}
		r.takePackets(s)
		if len(s.packets) > 0 || r.loan.stream == s { // they wait, for room or the end of the loan
			break
		}
	}
	return s.received != received || s.landing.have != landed || in.placed != placed
}

// nextFrame takes a frame, or some of one. It reports whether there was anything to take.
func (r *rank) nextFrame(s *stream) bool {
	switch {
	case s.lost != nil:
		return false
	case s.landing.bytes > 0:
		return !s.drained && r.land(s)
	case !s.hasFrame():
		return !s.drained && r.fill(s)
	}
	if err := s.takeFrame(); err != nil {
		r.reject(s, brokenStream, err)
		return false
	}
	return true
}

// hasFrame reports whether a frame has come, or what is none.
func (s *stream) hasFrame() bool {
	b := s.socket.buffered()
	if len(b) < frameHead {
		return false
	}
	_, n, err := readFrameHead(b, s.keys)
	return err != nil || len(b) >= frameHead+n
}

// takeFrame makes what is in a frame that has come the packets to be handled. They are
// good until more is received.
func (s *stream) takeFrame() error {
	b := s.socket.buffered()
	kind, n, err := readFrameHead(b, s.keys)
	if err != nil {
		return err
	}
	frame := b[:frameHead+n]
	s.socket.from += len(frame)
	packets := frame[frameHead:]
	if s.keys != nil {
		if packets, err = s.keys.in.open(frame); err != nil {
			return err
		}
	}
	s.packets, s.long = packets, kind == longFrame
	return nil
}

// fill receives what is there, and reports whether that was anything.
func (r *rank) fill(s *stream) bool {
	n := socketBuffer
	if s.keys == nil {
		n = maxFrame
	}
	some, more, err := s.socket.fill(n)
	if err != nil {
		r.lose(s, err)
		return false
	}
	s.drained = !more
	if some && s.keys == nil && !s.hasFrame() {
		r.beginLanding(s)
	}
	return some
}

// parse returns the packet that is next, its data, and what follows.
func (s *stream) parse() (h nic.Header, data, rest []byte, err error) {
	h, data, rest, err = nic.ParseWire(s.packets)
	if s.long && err == nil {
		if h.Data != 0 {
			err = errForm
		}
		data, rest = rest, nil
		h.Data = len(data)
	}
	return h, data, rest, err
}

// takePackets handles the packets of a frame, up to one that must wait.
func (r *rank) takePackets(s *stream) {
	for len(s.packets) > 0 && s.lost == nil && r.loan.stream != s {
		h, data, rest, err := s.parse()
		if err != nil {
			r.reject(s, malformed, err)
			return
		}
		if r.admit(s, &h) {
			done, err := r.takeFrom(s, &h, data)
			if err != nil {
				r.rejectPacket(s, &h, err)
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
func (r *rank) admit(s *stream, h *nic.Header) bool {
	foreign := s.port.Foreign()
	if s.port.Admit(h) {
		return true
	}
	if s.port.Foreign() != foreign {
		r.far.id.refusals.note(foreignGroup, r.far.nameOf(s.peer), fmt.Errorf("packet of process group %#04x; expected %#04x", h.Group, r.far.id.group))
	} else {
		r.far.id.refusals.note(strayPacket, r.far.nameOf(s.peer), fmt.Errorf("packet for rank %d; expected %d", h.To, r.number))
	}
	return false
}

var (
	errSender   = errors.New("its sender is not the rank at the other end")
	errOrder    = &refusedError{outOfOrder, errors.New("its number is not the one that is expected")}
	errForm     = errors.New("its fields do not fit each other")
	errAcked    = errors.New("it tells of packets that are not under way")
	errNoPull   = errors.New("it does not belong to a pull from that rank, or not to that place of it")
	errNoLayout = errors.New("its layout has another number of bytes than it says")
)

// takeFrom handles a packet, whatever is in it. It reports false if the packet must wait,
// as must what comes after it.
func (r *rank) takeFrom(s *stream, h *nic.Header, data []byte) (bool, error) {
	switch {
	case int(h.From) == s.peer && h.Operation == nic.Ack:
		return true, r.takeAck(s, h)
	case int(h.From) == s.peer && h.Operation == nic.Nack:
		return true, r.takeNack(s, h)
	}
	if err := s.check(h); err != nil {
		return false, err
	}
	done, err := r.takeNumbered(s, h, data)
	if done && err == nil {
		r.accept(s, h)
	}
	return done, err
}

// check fails unless a numbered packet comes from the other end and is the next one.
func (s *stream) check(h *nic.Header) error {
	switch {
	case int(h.From) != s.peer:
		return errSender
	case s.inbox.Check(h.Sequence) != nic.Expected:
		return errOrder
	}
	return nil
}

// accept says that what a numbered packet says has been done.
func (r *rank) accept(s *stream, h *nic.Header) {
	s.inbox.Take()
	s.owed++
	s.midst = r.isContinued(h)
	s.asked = s.asked || !s.midst && (h.Operation == nic.Push || h.Operation == nic.IPush && h.Address == waitedFor)
	r.in[s.peer].tail++
}

// isContinued reports whether more is to come of what a packet, which has been handled, is
// a part of.
func (r *rank) isContinued(h *nic.Header) bool {
	switch h.Operation {
	case nic.Push, nic.IPush, nic.Accumulate:
		return h.Flags&nic.EndOfMessage == 0
	case nic.Answer:
		e := &r.ops.entries[uint32(h.Word)]
		return e.left > 0 && e.failed.code == 0
	}
	return false
}

func (r *rank) takeNumbered(s *stream, h *nic.Header, data []byte) (bool, error) {
	switch h.Operation {
	case nic.Push:
		return true, r.takePushPacket(s, h, data)
	case nic.IPush:
		return r.takeMessagePacket(s, h, data)
	case nic.Pull:
		return true, r.takePullPacket(s, h, data)
	case nic.Answer:
		return true, r.takeAnswerPacket(s, h, data)
	case nic.Modify:
		return true, r.takeModifyPacket(s, h, data)
	case nic.Accumulate:
		return true, r.takeAccumulatePacket(s, h, data)
	}
	return false, errForm
}

// takeAck counts operations of this rank as done.
func (r *rank) takeAck(s *stream, h *nic.Header) error {
	first, _ := s.outbox.Outstanding()
	n := s.outbox.Acked(h.Sequence)
	if h.Data != 0 || n == 0 && h.Sequence != first {
		return errAcked
	}
	r.out[s.peer].clean += uint64(n)
	return nil
}

// takeNack notes that an operation of this rank has failed.
func (r *rank) takeNack(s *stream, h *nic.Header) error {
	o := &r.out[s.peer]
	why := code(h.Word & (1<<nackHintAt - 1))
	if h.Data != 0 || !h.Long || !why.isKnown() || h.Address <= o.clean || h.Address > o.head {
		return errAcked
	}
	r.note(s.peer, h.Address, report{why, h.Word >> nackHintAt})
	return nil
}

func (r *rank) takePushPacket(s *stream, h *nic.Header, data []byte) error {
	in := &r.in[s.peer]
	starts, ends := h.Flags&nic.StartOfMessage != 0, h.Flags&nic.EndOfMessage != 0
	if starts == in.push.open || starts != h.Long {
		return errForm
	}
	segment, head := int(int32(h.Word)), int(h.Word>>32)
	if starts && head == 0 {
		if !ends {
			return errForm
		}
		if refused := r.writeWhole(segment, h.Address, data); refused.code != 0 {
			in.fail(0, refused)
		}
		return nil
	}
	if starts {
		a, err := readHead(data, head)
		if err != nil {
			return err
		}
		a.segment, a.offset = segment, h.Address
		r.beginPush(in, a)
		data = a.rest
	}
	p := &in.push
	switch {
	case starts && !p.fits():
		return errNoLayout
	case len(data) > p.total-p.at || ends != (len(data) == p.total-p.at) || len(data) == 0 && !ends:
		return errForm
	}
	r.takeMore(in, data, 0)
	return nil
}

// fits reports whether a push has as many bytes as its layout.
func (p *incoming) fits() bool { return p.access.IsContiguous() || p.access.Bytes() == p.total }

// readHead reads a head of n bytes, and what is behind it, as an address without segment
// and offset.
func readHead(data []byte, n int) (address, error) {
	if n < headBytes || n > len(data) {
		return address{}, errForm
	}
	total := binary.LittleEndian.Uint64(data)
	if total > math.MaxInt {
		return address{}, errForm
	}
	return address{total: total, access: data[headBytes:n], rest: data[n:]}, nil
}

func (r *rank) takeMessagePacket(s *stream, h *nic.Header, data []byte) (bool, error) {
	in, m := &r.in[s.peer], &s.message
	starts, ends := h.Flags&nic.StartOfMessage != 0, h.Flags&nic.EndOfMessage != 0
	left := m.left
	if starts {
		left = uint64(len(data))
		if h.Long {
			left = h.Word
		}
	}
	n := uint64(len(data))
	if starts == m.open || h.Long != (starts && !ends) || h.Address > waitedFor || n > Packet && !s.long || n > longData || n > left || ends != (n == left) || n == 0 && !ends {
		return false, errForm
	}
	if starts && ends {
		return r.lendFrom(s, data) || r.takeWholeMessage(s.peer, in, data), nil
	}
	if n > Packet {
		return false, errForm
	}
	if !r.takeMessage(s.peer, in, h.Flags&(nic.StartOfMessage|nic.EndOfMessage), left, data, 0) {
		return false, nil
	}
	m.open, m.left = !ends, left-n
	return true, nil
}

func (r *rank) takePullPacket(s *stream, h *nic.Header, data []byte) error {
	a, err := readHead(data, len(data))
	if err != nil || !h.Long {
		return errForm
	}
	a.segment, a.offset = int(int32(h.Word)), h.Address
	if layout, err := onesided.DecodeLayout(a.access); err == nil && !layout.IsContiguous() && uint64(layout.Bytes()) != a.total {
		return errNoLayout
	}
	r.answerPull(s.peer, uint32(h.Word>>32), a)
	return nil
}

func (r *rank) takeAnswerPacket(s *stream, h *nic.Header, data []byte) error {
	e, why := r.pulledFrom(s, h), code(h.Word>>32)
	if e == nil {
		return errNoPull
	}
	if why != 0 {
		if !why.isKnown() || len(data) > 0 || e.end == 0 {
			return errForm
		}
		e.failed = report{why, h.Address}
		return nil
	}
	at, err := e.place(h, len(data))
	if err != nil {
		return err
	}
	e.take(at, data)
	return nil
}

// place returns where n bytes of an answer belong. The last of them cannot be there before
// all that they answer has been sent.
func (e *operation) place(h *nic.Header, n int) (int, error) {
	bytes := e.bytes
	if e.silent {
		bytes = 0
	}
	at := max(bytes, 1) - e.left
	if h.Address != uint64(at) || n > e.left || n == 0 && bytes > 0 || n > bytes || e.end == 0 && max(n, 1) == e.left {
		return 0, errNoPull
	}
	return at, nil
}

// pulledFrom returns the pull from the other end of a stream that an answer is for, nil if
// there is none.
func (r *rank) pulledFrom(s *stream, h *nic.Header) *operation {
	slot := uint32(h.Word)
	if !h.Long || slot >= uint32(len(r.ops.entries)) {
		return nil
	}
	e := &r.ops.entries[slot]
	if !e.open || !e.answers || e.at.Rank != s.peer || e.left == 0 || e.failed.code != 0 {
		return nil
	}
	return e
}
