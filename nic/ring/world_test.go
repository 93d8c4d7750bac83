package ring

import (
	"fmt"
	"musubi/nic/reliable"
)

// scenario is what senders want to send to one receiver, and over what. It does
// not change while a world runs.
type scenario struct {
	config   Config
	senders  []sendPlan
	reliable bool // Outbox and reliable.Inbox between the two; else the network loses nothing
	lossy    bool // the network loses packets, Acks and Nacks
	timeouts bool // senders send again without a reason
	window   int  // of an reliable.Outbox
	wire     int  // packets, and Acks, that a lane has on the way
	first    uint16
}

// sendPlan is the messages of one sender, cut into packets.
type sendPlan struct {
	messages []int // bytes
	packets  []testPacket
}

// testPacket is a packet whose data is bytes of its sender's stream.
type testPacket struct {
	Packet
	offset int // in the stream of all messages of the sender
}

// newSendPlan cuts messages into packets for a ring.
func newSendPlan(c *Config, sender, ring int, status Flags, messages ...int) sendPlan {
	plan := sendPlan{messages: messages}
	start := 0
	for _, size := range messages {
		for offset := 0; ; offset += c.Packet {
			n, flags := min(c.Packet, size-offset), Flags(0)
			if offset+n == size {
				flags = EndOfMessage
			}
			h := Packet{From: uint16(sender), Flags: flags | status, Data: n}
			if c.Table == nil {
				h.ByEntry, h.Entry = true, uint64(ring)
			}
			plan.packets = append(plan.packets, testPacket{h, start + offset})
			if flags == EndOfMessage {
				break
			}
		}
		start += size
	}
	return plan
}

// vacantByte is in memory that holds no data; no data is such a byte.
const vacantByte = 0

// streamByte is a byte of a sender's stream.
func streamByte(sender uint16, offset int) byte {
	x := uint32(sender+1)*0x9E3779B1 + uint32(offset)*0x85EBCA77
	x ^= x >> 15
	x *= 0x2C1B3C6D
	return byte(1 + (x>>12)%255)
}

// world is a scenario under way: senders, a small network, a receiver with memory,
// and a consumer. All that can happen are its actions; it checks after each that
// the data is what was sent and nothing has been overwritten.
type world struct {
	*scenario
	receiver twins
	memory   []byte
	lanes    []lane
	stalled  int // lane whose packet waits for room, or none
	arriving []arrival
	held     []heldRecord
}

// lane is the way from one sender to the receiver, and the consumer's view of the
// sender.
type lane struct {
	out     reliable.Outbox
	in      reliable.Inbox
	sent    int       // packets sent at least once
	again   int       // packets of those outstanding that need not be sent again
	packets []int     // on the way, as indexes into the plan
	answers []testAck // on the way back

	accepted int // packets that the receiver has taken
	records  int // taken by the consumer
	received int // bytes taken
	message  int // messages complete
	part     int // bytes of the message that is not complete
}

type testAck struct {
	sequence uint16
	nack     bool
}

// arrival is a packet that has been placed and not been written.
type arrival struct {
	from, packet int
	at           Placement
}

// heldRecord is a record whose data the consumer has not released.
type heldRecord struct {
	Record
	offset int // of its data in the stream of the sender
}

func newWorld(s *scenario) (*world, error) {
	r, err := newTwins(s.config)
	if err != nil {
		return nil, err
	}
	w := &world{scenario: s, receiver: r, memory: make([]byte, r.Area()), stalled: none, lanes: make([]lane, len(s.senders))}
	for i := range s.config.Rings { // copies of the world share the positions
		w.receiver.ring(i)
	}
	for i := range w.lanes {
		w.lanes[i].out = reliable.NewOutbox(max(1, s.window))
		for range s.first { // numbers of packets that have come before
			w.lanes[i].in.Take()
			w.lanes[i].out.Acked(w.lanes[i].out.Next() + 1)
		}
	}
	return w, nil
}

// kind is a kind of action.
type kind uint8

const (
	send        kind = iota // a sender sends a packet
	deliver                 // a packet reaches the receiver
	lose                    // a packet is lost
	write                   // the oldest packet in the receiver is in memory
	take                    // the consumer takes a record
	release                 // the consumer releases one of the records it holds
	deliverBack             // an Ack or Nack reaches the sender
	loseBack                // an Ack or Nack is lost
	timeout                 // a sender sends again what is outstanding
)

var kindNames = [...]string{"send", "deliver", "lose", "write", "take", "release", "deliver ack", "lose ack", "timeout"}

// action is something that can happen; at is a lane, or an index into held.
type action struct {
	kind kind
	at   int
}

func (a action) String() string { return fmt.Sprint(kindNames[a.kind], " ", a.at) }

// actions appends all that can happen.
func (w *world) Actions(to []action) []action {
	for i := range w.lanes {
		to = w.laneActions(to, i)
	}
	if len(w.arriving) > 0 {
		to = append(to, action{write, 0})
	}
	if w.receiver.status.first != none {
		to = append(to, action{take, 0})
	}
	for i := range w.held {
		to = append(to, action{release, i})
	}
	return to
}

func (w *world) laneActions(to []action, i int) []action {
	l := &w.lanes[i]
	if w.canSend(i) {
		to = append(to, action{send, i})
	}
	if len(l.packets) > 0 {
		if w.canReceive(i) {
			to = append(to, action{deliver, i})
		}
		if w.lossy && w.stalled != i {
			to = append(to, action{lose, i})
		}
	}
	if len(l.answers) > 0 {
		to = append(to, action{deliverBack, i})
		if w.lossy {
			to = append(to, action{loseBack, i})
		}
	}
	if w.timeouts && l.again > 0 {
		to = append(to, action{timeout, i})
	}
	return to
}

// apply lets an action happen. An error is a violation of what must hold.
func (w *world) Apply(a action) error {
	switch a.kind {
	case send:
		return w.send(a.at)
	case deliver:
		return w.deliver(a.at)
	case lose:
		pop(&w.lanes[a.at].packets)
	case write:
		return w.write()
	case take:
		return w.take()
	case release:
		return w.release(a.at)
	case deliverBack:
		return w.deliverBack(a.at)
	case loseBack:
		pop(&w.lanes[a.at].answers)
	case timeout:
		w.lanes[a.at].again = 0
	}
	return nil
}

// done reports whether all has been sent, acknowledged, read and released.
func (w *world) Done() bool {
	for i := range w.lanes {
		l := &w.lanes[i]
		_, outstanding := l.out.Outstanding()
		if l.message < len(w.senders[i].messages) || outstanding > 0 {
			return false
		}
	}
	return len(w.held) == 0
}

// checkDone checks that nothing is left in the receiver when all is done.
func (w *world) CheckDone() error {
	for i := range w.config.Rings {
		if used := w.receiver.Used(i); used != 0 || w.receiver.Waiting(i) {
			return fmt.Errorf("all is released, and ring %d has %d bytes in use, waiting is %v", i, used, w.receiver.Waiting(i))
		}
	}
	if room := w.receiver.status.room; room != w.config.Records {
		return fmt.Errorf("all is released, and %d of %d places of the status ring are free", room, w.config.Records)
	}
	return nil
}
