package ring

import (
	"fmt"
	"musubi/nic/reliable"
)

// canSend reports whether a lane has something to send and room for it.
func (w *world) canSend(i int) bool {
	l := &w.lanes[i]
	if len(l.packets) == w.wire {
		return false
	}
	more := l.sent < len(w.senders[i].packets)
	if !w.reliable {
		return more
	}
	_, outstanding := l.out.Outstanding()
	return l.again < outstanding || more && l.out.Ready()
}

// canReceive reports whether the receiver listens to a lane: a stalled packet holds
// up all others, and there must be room for an answer.
func (w *world) canReceive(i int) bool {
	return (w.stalled == none || w.stalled == i) && len(w.lanes[i].answers) < w.wire
}

// send sends the next packet that has to be sent again, or else a new one.
func (w *world) send(i int) error {
	l := &w.lanes[i]
	packet := l.sent
	if w.reliable {
		first, outstanding := l.out.Outstanding()
		packet = l.sent - outstanding + l.again
		if want := w.sequence(l.sent - outstanding); first != want {
			return fmt.Errorf("sender %d has %d packets outstanding from number %d on; expected from %d on", i, outstanding, first, want)
		}
		l.again++
	}
	if packet == l.sent {
		l.sent++
		if w.reliable && l.out.Next() != w.sequence(packet) {
			return fmt.Errorf("packet %d of sender %d was not numbered %d", packet, i, w.sequence(packet))
		}
	}
	l.packets = append(l.packets, packet)
	return nil
}

// sequence is the sequence number of a packet by its index in the plan.
func (w *world) sequence(packet int) uint16 {
	return uint16((int(w.first) + packet) % (reliable.MaxSequence + 1))
}

// deliver takes the oldest packet of a lane to the receiver.
func (w *world) deliver(i int) error {
	l := &w.lanes[i]
	packet := l.packets[0]
	if !w.reliable {
		return w.offer(i, packet)
	}
	switch l.in.Check(w.sequence(packet)) {
	case reliable.Expected:
		return w.offer(i, packet)
	case reliable.Duplicate:
		l.answers = append(l.answers, testAck{l.in.Expected(), false})
	case reliable.Gap:
		w.nack(l)
	}
	pop(&l.packets)
	return nil
}

// offer asks the receiver for a place for the oldest packet of a lane.
func (w *world) offer(i, packet int) error {
	l := &w.lanes[i]
	at, result, err := w.receiver.place(&w.senders[i].packets[packet].Packet)
	switch {
	case err != nil:
		return err
	case result == Full && w.config.Policy == Stall:
		w.stalled = i
		if !w.receiver.Waiting(at.Ring) {
			return fmt.Errorf("packet %d of sender %d waits for room in ring %d, and the receiver does not know", packet, i, at.Ring)
		}
		return nil
	case result == Full:
		w.nack(l)
	case result != Accepted:
		return fmt.Errorf("packet %d of sender %d was refused: %v", packet, i, result)
	default:
		w.accept(i, packet, at)
	}
	pop(&l.packets)
	return nil
}

func (w *world) accept(i, packet int, at Placement) {
	w.stalled = none
	w.arriving = append(w.arriving, arrival{i, packet, at})
	l := &w.lanes[i]
	l.accepted++
	if w.reliable {
		l.in.Take()
		l.answers = append(l.answers, testAck{l.in.Expected(), false})
	}
}

func (w *world) nack(l *lane) {
	if l.in.Nack() {
		l.answers = append(l.answers, testAck{l.in.Expected(), true})
	}
}

// deliverBack takes the oldest Ack or Nack of a lane to the sender, which may forget
// only what the receiver has.
func (w *world) deliverBack(i int) error {
	l := &w.lanes[i]
	answer := pop(&l.answers)
	released := l.out.Acked(answer.sequence)
	l.again = max(0, l.again-released)
	if answer.nack {
		l.again = 0
	}
	if _, outstanding := l.out.Outstanding(); l.sent-outstanding > l.accepted {
		return fmt.Errorf("sender %d forgets %d of %d packets, and the receiver has taken %d", i, l.sent-outstanding, l.sent, l.accepted)
	}
	return nil
}

// pop removes the first element; there is one.
func pop[T any](queue *[]T) T {
	q := *queue
	first := q[0]
	*queue = q[:copy(q, q[1:])]
	return first
}
