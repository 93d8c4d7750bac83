package live

import (
	"crypto/tls"

	"musubi/nic"
)

// stream is the way to a rank of another group and back: packets of package nic, through
// TLS, on a socket that the rank polls. It takes the place of a pair of rings. Where the
// job does not encrypt, TLS ends with the greeting, and what is said of its records is so
// of plain ones.
//
// Positions, which are bytes in rings, are packets here. Packets are numbered, but for
// Acks and Nacks, and acknowledged when what they say has been done; a Nack, which
// tells of a failure, comes before the Ack for its operation. A record of TLS has whole
// packets.
type stream struct {
	peer   int
	socket *socket
	tls    *tls.Conn // nil: nothing is encrypted
	port   nic.Port
	outbox nic.Outbox
	inbox  nic.Inbox

	plain []byte            // packets to be sent
	room  [nic.MaxData]byte // where one of several parts is put together
	owed  bool              // an Ack is due
	holding
	followed bool // something has been sent since the rank has last polled
	quiet    int  // times that nothing has come since

	record  []byte // what has been taken of TLS last
	packets []byte // of these, what has not been handled
	message struct {
		open bool
		left uint64 // bytes to come
	}

	readable       bool   // the socket may have something
	awaited        bool   // the rank is to be woken when there is room in the socket
	sent, received uint64 // packets

	lost error // why the stream is of no more use
}

// window is how many packets may be under way.
const window = nic.MaxSequence / 2

// Sizes of packets on streams. Two of full size fit into a record with an Ack.
const (
	ackBytes      = nic.HeaderLines * nic.LineSize
	packetHeads   = ackBytes + nic.LineSize // the longest header
	streamPayload = (maxPlain-ackBytes)/2 - packetHeads
)

// flushAt is how many bytes come together before they are sent, if more follow; and
// maxUnsent how many may wait because the network takes no more.
const (
	flushAt   = 64 << 10
	maxUnsent = 256 << 10
)

// ackAfter is how often a rank finds nothing before it acknowledges: what its program
// sends meanwhile carries the Ack along.
const ackAfter = 4

func newStream(peer int, socket *socket, conn *tls.Conn, port nic.Port) *stream {
	return &stream{
		peer: peer, socket: socket, tls: conn, port: port, outbox: nic.NewOutbox(window),
		plain: make([]byte, 0, maxPlain), record: make([]byte, maxPlain),
	}
}

// hasRoom reports whether a packet can be added.
func (s *stream) hasRoom() bool {
	return s.outbox.Ready() && s.socket.unsent() < maxUnsent && s.lost == nil
}

// add adds a packet.
func (s *stream) add(h *nic.Header, data []byte) {
	h.To, h.Data = uint16(s.peer), len(data)
	s.port.Stamp(h)
	s.sent++
	if len(s.plain)+h.Lines()*nic.LineSize > maxPlain-ackBytes {
		s.seal()
		if s.socket.unsent() >= flushAt {
			s.push()
		}
	}
	s.plain = nic.AppendWire(s.plain, h, data)
}

// addNumbered adds a packet that is to be acknowledged.
func (s *stream) addNumbered(o *outlet, h *nic.Header, data []byte) {
	h.Sequence = s.outbox.Next()
	s.add(h, data)
	o.head++
}

// seal makes a record of what has been added, with an Ack if one is due.
func (s *stream) seal() {
	if s.owed {
		s.owed = false
		h := nic.Header{Operation: nic.Ack, Sequence: s.inbox.Expected(), To: uint16(s.peer)}
		s.port.Stamp(&h)
		s.sent++
		s.plain = nic.AppendWire(s.plain, &h, nil)
	}
	if len(s.plain) == 0 || s.lost != nil {
		return
	}
	if s.tls == nil {
		s.socket.addFrame(s.plain)
	} else if _, err := s.tls.Write(s.plain); err != nil {
		s.lose(err)
	}
	s.plain = s.plain[:0]
}

// open returns the data of a record that has come.
func (s *stream) open() ([]byte, error) {
	if s.tls == nil {
		return s.socket.takeFrame()
	}
	n, err := s.tls.Read(s.record)
	return s.record[:n], err
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

// hasUnsent reports whether flush has something to do.
func (s *stream) hasUnsent() bool {
	return s.lost == nil && (len(s.plain) > 0 || s.socket.unsent() > 0)
}

// isIdle reports whether there is nothing to do before more comes.
func (s *stream) isIdle() bool {
	return !s.owed && len(s.packets) == 0 && !s.socket.hasRecord()
}

// lose ends the connection.
func (s *stream) lose(err error) {
	if s.lost == nil {
		s.lost = err
		s.socket.close()
	}
}
