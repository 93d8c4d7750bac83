package tcp

import (
	"slices"
	"sync/atomic"

	"musubi/live/wire"
	"musubi/nic/reliable"
)

// Stream is the way to a rank of another group and back: packets, in frames, on a socket that
// the rank polls. It takes the place of a pair of rings.
//
// Positions, which are bytes in rings, are packets here. Packets are numbered, but for
// Acks and Nacks, and acknowledged when what they say has been done; a Nack, which
// tells of a failure, comes before the Ack for its operation. A frame has whole packets.
type Stream struct {
	Peer      int
	Connected bool
	Socket    *Socket
	by        wire.Protection
	keys      *wire.Keys // if frames are sealed
	streams   *Streams   // that it is one of
	receiver  Receiver
	Head      uint64        // packets that have been numbered
	acked     atomic.Uint64 // of these, that the other rank has done
	accepted  uint64        // numbered packets of the other rank that this one has done
	outbox    reliable.Outbox
	Inbox     reliable.Inbox

	frame int  // where the frame begins, in what the socket sends, that packets are added to; noFrame
	asked bool // the other rank may wait for the Ack that is due
	holding
	followed bool   // something has been sent since the rank has last polled
	Owed     uint16 // packets that have been taken since the last Ack
	midst    bool   // more is to come of what the last of them belongs to
	quiet    int    // times that nothing has come since

	Packets     []byte // of the frame taken last, what has not been handled
	long        bool   // that is a long frame
	lent        bool   // the program may read a message in what was received
	drained     bool   // the socket had no more when the rank last looked
	longReceive longReceive
	reads       int // segment that the socket sends from; noSegment

	Readable       bool   // the socket may have something
	awaited        bool   // the rank is to be woken when there is room in the socket
	sent, Received uint64 // packets

	unanswered int   // times that the other end owed an acknowledgement, one after the other; for watch
	Lost       error // why the stream is of no more use
}

// Window is how many packets may be under way.
const Window = reliable.MaxSequence / 2

const (
	noFrame   = -1 // no frame has begun
	NoSegment = -1 // a number that no segment has
)

// flushAt is how many bytes come together before they are sent, if more follow; and
// maxUnsent how many may wait because the network takes no more.
const (
	flushAt   = 64 << 10
	maxUnsent = 256 << 10
)

// AckAfter is how often a rank finds nothing before it acknowledges: what its program
// sends meanwhile carries the Ack along. In the midst of a transfer it waits for more of that,
// unless the other rank may wait. It does not wait with more than ackMost packets, so that the
// other rank can go on sending.
const (
	AckAfter = 4
	AckMost  = Window / 2
)

// Unconnected returns a stream to a rank that there is no connection with: there is room for
// nothing.
func Unconnected(peer int, streams *Streams, to Receiver) *Stream {
	return &Stream{Peer: peer, Socket: &Socket{Fd: notDetached}, streams: streams, receiver: to, frame: noFrame}
}

// Connect makes a connection the way of a stream.
func (s *Stream) Connect(socket *Socket, by wire.Protection, keys *wire.Keys) {
	s.Connected, s.Socket, s.by, s.keys, s.outbox = true, socket, by, keys, reliable.NewOutbox(Window)
}

// hasRoom reports whether a packet can be added.
func (s *Stream) hasRoom() bool {
	return s.outbox.Ready() && s.Socket.unsent() < maxUnsent && s.Lost == nil
}

// hasRoomForLong reports whether a long packet can be added. Where nothing is encrypted,
// it goes to the system as it is, and must not wait.
func (s *Stream) hasRoomForLong() bool {
	if s.by == wire.Unprotected && s.Socket.unsent() > 0 {
		s.Flush()
		return s.hasRoom() && s.Socket.unsent() == 0
	}
	return s.hasRoom()
}

// added returns how many bytes are in the frame that packets are added to.
func (s *Stream) added() int {
	if s.frame == noFrame {
		return 0
	}
	return len(s.Socket.out) - s.frame - wire.FrameHead
}

// begin begins a frame, if none has begun.
func (s *Stream) begin() {
	if s.frame == noFrame {
		s.frame = len(s.Socket.out)
		s.Socket.out = append(s.Socket.out, make([]byte, wire.FrameHead)...)
	}
}

// numbered returns the number of a packet that is to be acknowledged.
func (s *Stream) numbered() uint16 {
	s.Head++
	return s.outbox.Next()
}

// add adds a packet, and returns the room for n bytes of its body. What all packets of the stream have
// in common need not be in the header.
func (s *Stream) add(h *wire.Header, n int) []byte {
	if s.added()+wire.HeaderBytes+n > wire.MaxPackets-wire.HeaderBytes {
		s.seal()
		if s.Socket.unsent() >= flushAt {
			s.push()
		}
	}
	s.begin()
	h.Body = n
	return s.grow(h, n)
}

// grow appends a header, which says who sends a packet to whom, and room for n bytes to what the socket
// sends. The packet counts as sent.
func (s *Stream) grow(h *wire.Header, n int) []byte {
	s.sent++
	h.Group, h.From, h.To = s.streams.Identity.Group, uint16(s.streams.number), uint16(s.Peer)
	at := len(s.Socket.out)
	s.Socket.out = slices.Grow(s.Socket.out, wire.HeaderBytes+n)[:at+wire.HeaderBytes+n]
	packet := s.Socket.out[at:]
	h.Encode(packet)
	return packet[wire.HeaderBytes:]
}

// addLong sends what has been added to a frame of its own, and then data. Data may stay as it is
// until it is sent; else it is copied.
func (s *Stream) addLong(data []byte, stays bool) {
	if s.by != wire.Unprotected {
		s.Socket.out = append(s.Socket.out, data...)
		s.end(wire.LongFrame)
		s.push()
		return
	}
	wire.PutFrameHead(s.Socket.out[s.frame:], wire.LongFrame, s.added()+len(data))
	s.frame = noFrame
	if s.Lost != nil {
		return
	}
	if err := s.Socket.flushWith(data, stays); err != nil {
		s.lose(err)
	}
}

// seal ends the frame of what has been added, with an Ack if one is due.
func (s *Stream) seal() {
	if s.Owed > 0 {
		s.Owed, s.asked = 0, false
		s.begin()
		s.grow(&wire.Header{Kind: wire.Ack, Sequence: s.Inbox.Expected()}, 0)
	}
	if s.frame != noFrame {
		s.end(wire.PacketsFrame)
	}
}

// end ends a frame, and encrypts it.
func (s *Stream) end(kind wire.FrameKind) {
	if s.keys != nil {
		s.Socket.out = append(s.Socket.out, make([]byte, wire.TagBytes)...)
	}
	frame := s.Socket.out[s.frame:]
	wire.PutFrameHead(frame, kind, s.added())
	switch s.by {
	case wire.Sealed:
		s.keys.Out.Seal(frame)
	case wire.Records:
		if err := s.Socket.writeRecords(s.frame); err != nil {
			s.lose(err)
		}
	}
	s.frame = noFrame
}

// push lets the system send what is sealed.
func (s *Stream) push() {
	if s.Lost != nil {
		return
	}
	if err := s.Socket.flush(); err != nil {
		s.lose(err)
	}
}

// Flush sends everything.
func (s *Stream) Flush() {
	s.seal()
	s.push()
}

// IsReading reports whether something of a segment is still to be sent.
func (s *Stream) IsReading(segment int) bool {
	s.Own()
	return s.Lost == nil && len(s.Socket.Rest) > 0 && s.reads == segment
}

// hasUnsent reports whether flush has something to do.
func (s *Stream) hasUnsent() bool { return s.Lost == nil && s.Socket.unsent() > 0 }

// isSilent reports whether so little comes that an Ack should wait no more.
func (s *Stream) isSilent() bool { return s.quiet > AckAfter && (s.asked || !s.midst) }

// isIdle reports whether there is nothing to do before more comes.
func (s *Stream) isIdle() bool {
	return s.Owed == 0 && len(s.Packets) == 0 && !s.hasFrame() && !s.Socket.mayHaveRecord
}

// lose ends the connection.
func (s *Stream) lose(err error) {
	if s.Lost == nil {
		s.Lost = err
		s.Socket.CloseDetached()
	}
}
