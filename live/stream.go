package live

import (
	"slices"

	"musubi/live/wire"
	"musubi/nic/reliable"
)

// stream is the way to a rank of another group and back: packets, in frames, on a socket that
// the rank polls. It takes the place of a pair of rings.
//
// Positions, which are bytes in rings, are packets here. Packets are numbered, but for
// Acks and Nacks, and acknowledged when what they say has been done; a Nack, which
// tells of a failure, comes before the Ack for its operation. A frame has whole packets.
type stream struct {
	peer      int
	connected bool
	socket    *socket
	keys      *wire.Keys // nil: nothing is encrypted
	streams   *far       // that it is one of
	receiver  receiver
	head      uint64 // packets that have been numbered
	outbox    reliable.Outbox
	inbox     reliable.Inbox

	frame int  // where the frame begins, in what the socket sends, that packets are added to; noFrame
	asked bool // the other rank may wait for the Ack that is due
	holding
	followed bool   // something has been sent since the rank has last polled
	owed     uint16 // packets that have been taken since the last Ack
	midst    bool   // more is to come of what the last of them belongs to
	quiet    int    // times that nothing has come since

	packets []byte // of the frame taken last, what has not been handled
	long    bool   // that is a long frame
	drained bool   // the socket had no more when the rank last looked
	landing landing
	reads   int // segment that the socket sends from; noSegment

	readable       bool   // the socket may have something
	awaited        bool   // the rank is to be woken when there is room in the socket
	sent, received uint64 // packets

	unanswered int   // times that the other end owed an acknowledgement, one after the other; for watch
	lost       error // why the stream is of no more use
}

// window is how many packets may be under way.
const window = reliable.MaxSequence / 2

const (
	noFrame   = -1 // no frame has begun
	noSegment = -1 // a number that no segment has
)

// streamPayload is the length of the longest body in a frame of packets: two of them fit there
// with an Ack.
const streamPayload = (wire.MaxPackets-wire.HeaderBytes)/2 - wire.HeaderBytes

// flushAt is how many bytes come together before they are sent, if more follow; and
// maxUnsent how many may wait because the network takes no more.
const (
	flushAt   = 64 << 10
	maxUnsent = 256 << 10
)

// ackAfter is how often a rank finds nothing before it acknowledges: what its program
// sends meanwhile carries the Ack along. In the midst of a transfer it waits for more of that,
// unless the other rank may wait. It does not wait with more than ackMost packets, so that the
// other rank can go on sending.
const (
	ackAfter = 4
	ackMost  = window / 2
)

// unconnected returns a stream to a rank that there is no connection with: there is room for
// nothing.
func unconnected(peer int, streams *far, to receiver) *stream {
	return &stream{peer: peer, socket: &socket{fd: notDetached}, streams: streams, receiver: to, frame: noFrame}
}

// connect makes a connection the way of a stream.
func (s *stream) connect(socket *socket, keys *wire.Keys) {
	s.connected, s.socket, s.keys, s.outbox = true, socket, keys, reliable.NewOutbox(window)
}

// hasRoom reports whether a packet can be added.
func (s *stream) hasRoom() bool {
	return s.outbox.Ready() && s.socket.unsent() < maxUnsent && s.lost == nil
}

// hasRoomForLong reports whether a long packet can be added. Where nothing is encrypted,
// it goes to the system as it is, and must not wait.
func (s *stream) hasRoomForLong() bool {
	if s.keys == nil && s.socket.unsent() > 0 {
		s.flush()
		return s.hasRoom() && s.socket.unsent() == 0
	}
	return s.hasRoom()
}

// added returns how many bytes are in the frame that packets are added to.
func (s *stream) added() int {
	if s.frame == noFrame {
		return 0
	}
	return len(s.socket.out) - s.frame - wire.FrameHead
}

// begin begins a frame, if none has begun.
func (s *stream) begin() {
	if s.frame == noFrame {
		s.frame = len(s.socket.out)
		s.socket.out = append(s.socket.out, make([]byte, wire.FrameHead)...)
	}
}

// header returns a header that says who sends a packet to whom. The packet counts as sent.
func (s *stream) header(k wire.Kind) wire.Header {
	s.sent++
	return wire.Header{Kind: k, Group: s.streams.id.group, From: uint16(s.streams.number), To: uint16(s.peer)}
}

// numbered returns the header of a packet that is to be acknowledged.
func (s *stream) numbered(k wire.Kind) wire.Header {
	h := s.header(k)
	h.Sequence = s.outbox.Next()
	s.head++
	return h
}

// add adds a packet, and returns the room for n bytes of its body.
func (s *stream) add(h *wire.Header, n int) []byte {
	if s.added()+wire.HeaderBytes+n > wire.MaxPackets-wire.HeaderBytes {
		s.seal()
		if s.socket.unsent() >= flushAt {
			s.push()
		}
	}
	s.begin()
	h.Body = n
	return s.grow(h, n)
}

// grow appends a header and room for n bytes to what the socket sends.
func (s *stream) grow(h *wire.Header, n int) []byte {
	at := len(s.socket.out)
	s.socket.out = slices.Grow(s.socket.out, wire.HeaderBytes+n)[:at+wire.HeaderBytes+n]
	h.Encode(s.socket.out[at:])
	return s.socket.out[at+wire.HeaderBytes:]
}

// addLong sends what has been added to a frame of its own, and then data. Data may stay as it is
// until it is sent; else it is copied.
func (s *stream) addLong(data []byte, stays bool) {
	if s.keys != nil {
		s.socket.out = append(s.socket.out, data...)
		s.end(wire.LongFrame)
		s.push()
		return
	}
	wire.PutFrameHead(s.socket.out[s.frame:], wire.LongFrame, s.added()+len(data))
	s.frame = noFrame
	if s.lost != nil {
		return
	}
	if err := s.socket.flushWith(data, stays); err != nil {
		s.lose(err)
	}
}

// seal ends the frame of what has been added, with an Ack if one is due.
func (s *stream) seal() {
	if s.owed > 0 {
		s.owed, s.asked = 0, false
		h := s.header(wire.Ack)
		h.Sequence = s.inbox.Expected()
		s.begin()
		s.grow(&h, 0)
	}
	if s.frame != noFrame {
		s.end(wire.PacketsFrame)
	}
}

// end ends a frame, and encrypts it.
func (s *stream) end(kind wire.FrameKind) {
	if s.keys != nil {
		s.socket.out = append(s.socket.out, make([]byte, wire.TagBytes)...)
	}
	frame := s.socket.out[s.frame:]
	wire.PutFrameHead(frame, kind, s.added())
	if s.keys != nil {
		s.keys.Out.Seal(frame)
	}
	s.frame = noFrame
}

// push lets the system send what is sealed.
func (s *stream) push() {
	if s.lost != nil {
		return
	}
	if err := s.socket.flush(); err != nil {
		s.lose(err)
	}
}

// flush sends everything.
func (s *stream) flush() {
	s.seal()
	s.push()
}

// isReading reports whether something of a segment is still to be sent.
func (s *stream) isReading(segment int) bool {
	s.own()
	return s.lost == nil && len(s.socket.rest) > 0 && s.reads == segment
}

// hasUnsent reports whether flush has something to do.
func (s *stream) hasUnsent() bool { return s.lost == nil && s.socket.unsent() > 0 }

// isSilent reports whether so little comes that an Ack should wait no more.
func (s *stream) isSilent() bool { return s.quiet > ackAfter && (s.asked || !s.midst) }

// isIdle reports whether there is nothing to do before more comes.
func (s *stream) isIdle() bool { return s.owed == 0 && len(s.packets) == 0 && !s.hasFrame() }

// lose ends the connection.
func (s *stream) lose(err error) {
	if s.lost == nil {
		s.lost = err
		s.socket.close()
	}
}
