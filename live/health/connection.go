package health

import (
	"encoding/gob"
	"musubi/live/tcp"
	"musubi/tuning"
	"net"
	"sync"
	"sync/atomic"
)

// ControlMessage is what a rank and the hub say to each other. Without any field it is a
// heartbeat.
type ControlMessage struct {
	Hello    *Introduction
	Peers    []tcp.Peer    // all ranks, when all have come
	Tuning   tuning.Choice // of the hub; with Peers
	Hub      tcp.Peer      // the process that has the hub; the first message of the hub
	Failure  uint64        // of the job, encoded
	Standing string        // what all ranks wait for, if the job is stuck
	Ended    bool          // the program of the rank is done; from the hub: those of all ranks are
	Ask      uint64        // number of a question whether the rank is quiet
	Quiet    *quiet        // answer to it
	Here     bool          // from the hub: is the rank there? From the rank: it is
}

// Introduction is how a rank introduces itself to the hub.
type Introduction struct {
	Rank, Size int
	Peer       tcp.Peer // its group is not known yet
	Watched    bool     // its parent tells how its process ends
}

// quiet is what a rank tells that waits and has found nothing to do since it was asked.
type quiet struct {
	Question       uint64
	Activity       uint64 // see rankState
	Sent, Received uint64 // packets to and from ranks of other groups
	Doing          string
}

// Connection is one end of the connection of a rank with the hub.
type Connection struct {
	conn    net.Conn
	decoder *gob.Decoder
	heard   atomic.Uint64 // messages

	mu      sync.Mutex // held to send
	encoder *gob.Encoder
}

func NewConnection(conn net.Conn) *Connection {
	if below, ok := tcp.TCPBelow(conn); ok {
		tcp.SendAgainSoonOn(below)
	}
	return &Connection{conn: conn, decoder: gob.NewDecoder(conn), encoder: gob.NewEncoder(conn)}
}

// Send sends a message. If it cannot be sent, receive will fail as well. Messages are so short and so few
// that the system takes them long after the other side has stopped to read; until then its silence is noticed.
func (l *Connection) Send(m ControlMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.encoder.Encode(m); err != nil {
		l.conn.Close()
	}
}

// hasUnread reports whether the other side has said what was not read yet. A process that shares its
// processors with many others may look at its clock several times before it comes to read.
func (l *Connection) hasUnread() bool {
	below, ok := tcp.TCPBelow(l.conn)
	return ok && tcp.HasUnread(below)
}

// receive waits for the next message.
func (l *Connection) receive() (ControlMessage, error) {
	var m ControlMessage
	err := l.decoder.Decode(&m)
	if err == nil {
		l.heard.Add(1)
	}
	return m, err
}
