package tcp

import "musubi/live/wire"

// longFrom is from how many bytes on data has a frame of its own: it is copied once less
// to send it, and where nothing is encrypted twice less to receive it.
const longFrom = 4 << 10

// Write adds the next packet of a transfer, if there is room.
func (s *Stream) Write(t *wire.Transfer) bool {
	s.Own()
	if n := s.ownFrame(t); n > 0 {
		return s.writeLong(t, n)
	}
	if !s.hasRoom() {
		return false
	}
	k := t.Next(wire.PacketBody)
	s.addPart(t, &wire.Header{Kind: k, Awaited: k == wire.Message || k == wire.Packet, Sequence: s.numbered()})
	return true
}

// addPart adds the next packet of a transfer.
func (s *Stream) addPart(t *wire.Transfer, h *wire.Header) {
	k := h.Kind
	before := t.HeadBytes(k)
	n := t.DataBytes(k, wire.PacketBody-before)
	body := s.add(h, before+n)
	t.PutHead(k, body, n)
	if n > 0 {
		t.GatherInto(body[before:])
	}
	t.Advance(k, n)
}

// ownFrame returns how many bytes of a transfer go on in a frame of their own, 0 if none do: of a
// push or an accumulate all but the first part, of a message only all, of an answer any.
func (s *Stream) ownFrame(t *wire.Transfer) int {
	left := t.Total - t.Sent
	switch {
	case left < longFrom, t.Gather != nil, t.Kind == wire.Pull:
		return 0
	case (t.Kind == wire.Push || t.Kind == wire.Accumulate) && !t.Begun, t.Kind == wire.Message && (t.Begun || left > wire.LongData):
		return 0
	case t.Kind == wire.Message:
		return left
	case t.Kind == wire.Accumulate && s.by == wire.Unprotected:
		return min(left, wire.LongData) // it is taken as a whole
	case s.by == wire.Unprotected:
		return min(left, wire.HugeData)
	}
	return min(left, wire.PartData)
}

func (s *Stream) writeLong(t *wire.Transfer, n int) bool {
	if !s.hasRoomForLong() {
		return false
	}
	s.reads = NoSegment
	k := t.Next(wire.LongData)
	if k == wire.Answer {
		s.reads = t.Segment
	}
	body := s.beginLong(k, t.HeadBytes(k), k == wire.Message)
	t.PutHead(k, body, n)
	s.addLong(t.Data[t.Sent:][:n], !t.Fleeting)
	t.Advance(k, n)
	return true
}

// beginLong begins a packet in a frame of its own, and returns the room for n bytes at the begin
// of its body.
func (s *Stream) beginLong(k wire.Kind, n int, awaited bool) []byte {
	s.seal()
	s.begin()
	return s.grow(&wire.Header{Kind: k, Awaited: awaited, Sequence: s.numbered()}, n)
}

// writeMessage adds a message of two parts that the rank does not wait for, if there is room. It
// reports whether it has, and whether the message is sent already.
func (s *Stream) writeMessage(head, data []byte) (written, sent bool) {
	n := len(head) + len(data)
	switch {
	case n > wire.LongData:
		return false, false
	case n >= longFrom:
		if !s.hasRoomForLong() {
			return false, false
		}
		copy(s.beginLong(wire.Message, len(head), false), head)
		s.addLong(data, false)
		return true, true
	case !s.hasRoom():
		return false, false
	}
	body := s.add(&wire.Header{Kind: wire.Message, Sequence: s.numbered()}, n)
	copy(body[copy(body, head):], data)
	return true, false
}

// Fail tells the other rank that its operation has failed that ends with the packet that is being
// taken.
func (s *Stream) Fail(_ int, why wire.Report) bool {
	body := s.add(&wire.Header{Kind: wire.Nack}, wire.NackBytes)
	(&wire.NackFields{Position: s.accepted + 1, Failed: why}).Encode(body)
	return true
}

// Position is how many packets have been numbered.
func (s *Stream) Position() uint64 { return s.Head }

// IsDone reports whether the other rank has acknowledged all packets before a position.
func (s *Stream) IsDone(position uint64) bool { return s.acked.Load() >= position }

// Tell lets the other rank see what has been added.
func (s *Stream) Tell() { s.streams.Tell(s) }

// Reach connects the stream, and reports whether it was not connected before and is now.
func (s *Stream) Reach() bool { return !s.Connected && s.streams.Reach(s) }

// eagerBytes was found by measuring: longer messages gain little, and what comes before it is
// expected takes memory. A message that is pulled goes to and fro twice.
const eagerBytes = 64 << 10

// EagerBytes is as much as goes in one frame.
func (s *Stream) EagerBytes() int { return eagerBytes }
