package live

import (
	"encoding/binary"

	"musubi/nic"
)

// Packets on streams, all of process to process:
//
//	Push    Address and Word of the first say where: offset, and segment with the length of
//	        the head. A head begins the data, unless the push is one packet without a
//	        layout: bytes of the push, and the layout.
//	IPush   Word of the first is the length of the message, if there are others. Address is
//	        waitedFor if it is an operation.
//	Pull    Address and Word are offset and segment, with the slot of the operation. The
//	        data is a head.
//	Modify  Address and Word are as for a Pull. The data is a onesided.Atomic.
//	Accumulate
//	        Address and Word of the first are as for a Pull. A head begins its data: bytes of
//	        operands, and what is to be done with them.
//	Answer  Address is where in the operation the data belongs, and Word its slot. Without
//	        data it may tell of a failure: the code is in Word, the hint in Address.
//	Nack    Address is the position of the operation that has failed, and Word has code and
//	        hint.
//
// What is named second is in the upper half of Word, but for the hint of a Nack, which is
// above the lowest 8 bits.
//
// Of a long transfer, packets with a frame of their own take the place of others: of a Push
// or an Accumulate all but the first, of an IPush the only one, of an Answer any.

// headBytes is the length of a head without layout.
const headBytes = 8

// waitedFor says that the sender may wait until a message has been taken.
const waitedFor = 1

// longFrom is from how many bytes on data has a frame of its own: it is copied once less
// to send it, and where nothing is encrypted twice less to receive it.
const longFrom = 4 << 10

// write adds the next packet of a transfer, if there is room.
func (s *stream) write(o *outlet, t *transfer) bool {
	s.own()
	if n := s.ownFrame(t); n > 0 {
		return s.writeLong(o, t, n)
	}
	if !s.hasRoom() {
		return false
	}
	switch t.kind {
	case kindPush:
		s.writePush(o, t)
	case kindPacket:
		s.writeMessage(o, t)
	case kindPull:
		s.writePull(o, t)
	case kindAnswer:
		s.writeAnswer(o, t)
	case kindModify:
		s.writeModify(o, t)
	case kindResult:
		s.writeResult(o, t)
	case kindAccumulate:
		s.writeAccumulate(o, t)
	}
	return true
}

// ownFrame returns how many bytes of a transfer go on in a frame of their own, 0 if none do.
func (s *stream) ownFrame(t *transfer) int {
	left := t.total - t.sent
	switch {
	case left < longFrom, t.gather != nil, t.kind == kindPull:
		return 0
	case (t.kind == kindPush || t.kind == kindAccumulate) && !t.begun, t.kind == kindPacket && (t.begun || left > longData):
		return 0
	case t.kind == kindPacket:
		return left
	case t.kind == kindAccumulate && s.keys == nil:
		return min(left, longData) // it is taken as a whole
	case s.keys == nil:
		return min(left, hugeData)
	}
	return min(left, partData)
}

func (s *stream) writeLong(o *outlet, t *transfer, n int) bool {
	if !s.hasRoomForLong() {
		return false
	}
	var h nic.Header
	s.reads = noSegment
	switch t.kind {
	case kindPush:
		h = nic.Header{Operation: nic.Push, Flags: t.flags(n)}
	case kindPacket:
		h = nic.Header{Operation: nic.IPush, Address: waitedFor, Flags: t.flags(n)}
	case kindAnswer:
		h = nic.Header{Operation: nic.Answer, Long: true, Address: uint64(t.offset + t.sent), Word: words(t.slot, 0)}
		s.reads = t.segment
	case kindAccumulate:
		h = nic.Header{Operation: nic.Accumulate, Flags: t.flags(n)}
	}
	s.number(o, &h)
	s.addLong(&h, nil, t.data[t.sent:][:n], !t.fleeting)
	t.sent += n
	return true
}

func (s *stream) writePush(o *outlet, t *transfer) {
	h := nic.Header{Operation: nic.Push}
	head := 0
	if !t.begun {
		if t.target != nil || t.total > streamPayload {
			head = headBytes + len(t.target)
		}
		h.Address, h.Long, h.Word = packetAddress(t.offset), true, words(uint32(t.segment), uint32(head))
	}
	n := min(t.total-t.sent, streamPayload-head)
	h.Flags = t.flags(n)
	s.addNumbered(o, &h, s.assemble(t, head, n))
	t.sent += n
}

func (s *stream) writeMessage(o *outlet, t *transfer) {
	h := nic.Header{Operation: nic.IPush, Address: waitedFor}
	n := min(t.total-t.sent, Packet)
	h.Flags = t.flags(n)
	if h.Flags == nic.StartOfMessage {
		h.Long, h.Word = true, uint64(t.total)
	}
	s.addNumbered(o, &h, t.data[t.sent:][:n])
	t.sent += n
}

func (s *stream) writePull(o *outlet, t *transfer) {
	h := nic.Header{Operation: nic.Pull, Address: packetAddress(t.offset), Long: true, Word: words(uint32(t.segment), t.slot)}
	s.addNumbered(o, &h, s.assemble(t, headBytes+len(t.target), 0))
	t.sent = t.total
}

func (s *stream) writeAnswer(o *outlet, t *transfer) {
	h := nic.Header{Operation: nic.Answer, Long: true, Address: uint64(t.offset + t.sent), Word: words(t.slot, uint32(t.failed.code))}
	n := min(t.total-t.sent, streamPayload)
	if t.failed.code != 0 {
		h.Address = t.failed.hint & nic.MaxAddress
	}
	s.addNumbered(o, &h, s.assemble(t, 0, n))
	t.sent += n
}

// flags returns those of a packet with the next n bytes of a transfer.
func (t *transfer) flags(n int) nic.Flags {
	flags := nic.Flags(0)
	if !t.begun {
		flags |= nic.StartOfMessage
	}
	if t.sent+n == t.total {
		flags |= nic.EndOfMessage
	}
	return flags
}

// assemble returns the data of a packet: a head, and the next n bytes of a transfer.
func (s *stream) assemble(t *transfer, head, n int) []byte {
	if head == 0 && t.gather == nil {
		return t.data[t.sent:][:n]
	}
	b := s.room[:head+n]
	if head > 0 {
		binary.LittleEndian.PutUint64(b, uint64(t.total))
		copy(b[headBytes:], t.target)
	}
	if n > 0 {
		t.gatherInto(b[head:])
	}
	return b
}

// addNack tells that the operation has failed that ends at a position.
func (s *stream) addNack(end uint64, p report) {
	h := nic.Header{Operation: nic.Nack, Address: end & nic.MaxAddress, Long: true, Word: uint64(p.code) | p.hint<<nackHintAt}
	s.add(&h, nil)
}

// nackHintAt is the lowest bit of the hint in a Nack.
const nackHintAt = 8

// packetAddress returns an offset as packets have it: too large for any segment, if it
// does not fit.
func packetAddress(offset int) uint64 {
	if offset < 0 || offset > nic.MaxAddress {
		return nic.MaxAddress
	}
	return uint64(offset)
}

func words(low, high uint32) uint64 { return uint64(high)<<32 | uint64(low) }
