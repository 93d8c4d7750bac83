package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"musubi/nic"
)

// drainStream takes packets of a stream. It reports whether there were any.
func (r *rank) drainStream(s *stream) bool {
	moved := false
	for range batch {
		if len(s.packets) == 0 && !r.nextRecord(s) {
			break
		}
		before := len(s.packets)
		r.takePackets(s)
		moved = moved || len(s.packets) != before
		if len(s.packets) > 0 { // they wait for room
			break
		}
	}
	return moved
}

// nextRecord takes a record of TLS.
func (r *rank) nextRecord(s *stream) bool {
	if s.lost != nil {
		return false
	}
	if !s.socket.hasRecord() {
		if some, err := s.socket.fill(); err != nil {
			r.lose(s, err)
			return false
		} else if !some || !s.socket.hasRecord() {
			return some
		}
	}
	packets, err := s.open()
	if err != nil && !errors.Is(err, errNothing) {
		r.reject(s, brokenStream, err)
		return false
	}
	s.packets = packets
	return true
}

// takePackets handles the packets of a record, up to one that must wait.
func (r *rank) takePackets(s *stream) {
	for len(s.packets) > 0 && s.lost == nil {
		h, data, rest, err := nic.ParseWire(s.packets)
		if err != nil {
			r.reject(s, malformed, err)
			return
		}
		if !r.admit(s, &h) {
			s.packets = rest
			s.received++
			continue
		}
		done, err := r.takeFrom(s, &h, data)
		if err != nil {
			r.reject(s, reasonOf(err, malformed), fmt.Errorf("%v packet: %w", h.Operation, err))
			return
		}
		if !done {
			return
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
	case int(h.From) != s.peer:
		return false, errSender
	case h.Operation == nic.Ack:
		return true, r.takeAck(s, h)
	case h.Operation == nic.Nack:
		return true, r.takeNack(s, h)
	case s.inbox.Check(h.Sequence) != nic.Expected:
		return false, errOrder
	}
	done, err := r.takeNumbered(s, h, data)
	if done && err == nil {
		s.inbox.Take()
		s.owed = true
		r.in[s.peer].tail++
	}
	return done, err
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
	if starts == m.open || h.Long != (starts && !ends) || n > Packet || n > left || ends != (n == left) || n == 0 && !ends {
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
	if layout, err := nic.DecodeAccess(a.access); err == nil && !layout.IsContiguous() && uint64(layout.Bytes()) != a.total {
		return errNoLayout
	}
	r.answerPull(s.peer, uint32(h.Word>>32), a)
	return nil
}

func (r *rank) takeAnswerPacket(s *stream, h *nic.Header, data []byte) error {
	slot, why := uint32(h.Word), code(h.Word>>32)
	if !h.Long || slot >= uint32(len(r.ops.entries)) {
		return errNoPull
	}
	e := &r.ops.entries[slot]
	if !e.open || !e.answers || e.at.Rank != s.peer || e.left == 0 || e.failed.code != 0 {
		return errNoPull
	}
	if why != 0 {
		if !why.isKnown() || len(data) > 0 {
			return errForm
		}
		e.failed = report{why, h.Address}
		return nil
	}
	at := uint64(max(e.bytes, 1) - e.left)
	if h.Address != at || len(data) > e.left || len(data) == 0 && e.bytes > 0 || len(data) > e.bytes {
		return errNoPull
	}
	e.take(int(at), data)
	return nil
}
