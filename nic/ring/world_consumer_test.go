package ring

import "fmt"

// write puts the data of the oldest arrival into memory, which must be vacant there.
func (w *world) write() error {
	a := pop(&w.arriving)
	packet := &w.senders[a.from].packets[a.packet]
	offset := packet.offset
	for _, span := range a.at.At {
		for i := range span.Bytes {
			if w.memory[span.Offset+i] != vacantByte {
				return fmt.Errorf("packet %d of sender %d overwrites byte %d of the receive area", a.packet, a.from, span.Offset+i)
			}
			w.memory[span.Offset+i] = streamByte(packet.From, offset)
			offset++
		}
	}
	if written := offset - packet.offset; written != packet.Data {
		return fmt.Errorf("packet %d of sender %d of %d bytes has a place of %d", a.packet, a.from, packet.Data, written)
	}
	return w.receiver.write(&packet.Packet, a.at)
}

// take lets the consumer take a record, which must be about the next data of its
// sender.
func (w *world) take() error {
	record, ok, err := w.receiver.next()
	if err != nil {
		return err
	}
	if !ok || int(record.From) >= len(w.lanes) {
		return fmt.Errorf("consumer got record %+v, %v; expected one of a sender", record, ok)
	}
	l := &w.lanes[record.From]
	h := heldRecord{record, l.received}
	if err := w.intact(h); err != nil {
		return err
	}
	w.held = append(w.held, h)
	l.records++
	l.received += record.Bytes
	l.part += record.Bytes
	return w.checkMessage(l, record)
}

// checkMessage checks that messages end where they should, and that a record is
// about as much as its sender asked for.
func (w *world) checkMessage(l *lane, record Record) error {
	plan := &w.senders[record.From]
	if l.message == len(plan.messages) {
		return fmt.Errorf("record %+v after all messages of its sender", record)
	}
	size := plan.messages[l.message]
	if plan.packets[0].Flags&PacketStatus == 0 && !record.Last {
		return fmt.Errorf("record %+v is of a part of a message; expected status per message", record)
	}
	if plan.packets[0].Flags&PacketStatus != 0 && record.Bytes != plan.packets[l.records-1].Data {
		return fmt.Errorf("record %+v; expected the %d bytes of packet %d", record, plan.packets[l.records-1].Data, l.records-1)
	}
	if l.part > size || record.Last != (l.part == size) {
		return fmt.Errorf("record %+v makes %d bytes of message %d; expected its end after %d", record, l.part, l.message, size)
	}
	if record.Last {
		l.message++
		l.part = 0
	}
	return nil
}

// intact checks the data of a record in memory.
func (w *world) intact(h heldRecord) error {
	n := 0
	for _, span := range h.At {
		for i := range span.Bytes {
			if got, want := w.memory[span.Offset+i], streamByte(h.From, h.offset+n); got != want {
				return fmt.Errorf("byte %d of record %+v is %#x; expected %#x, byte %d of the sender's stream", n, h.Record, got, want, h.offset+n)
			}
			n++
		}
	}
	if n != h.Bytes {
		return fmt.Errorf("record %+v has places for %d bytes", h.Record, n)
	}
	return nil
}

// release lets the consumer release a record that it holds. The data must have been
// there until now.
func (w *world) release(i int) error {
	h := w.held[i]
	w.held = append(w.held[:i], w.held[i+1:]...)
	if err := w.intact(h); err != nil {
		return err
	}
	for _, span := range h.At {
		clear(w.memory[span.Offset : span.Offset+span.Bytes])
	}
	return w.receiver.release(h.Record)
}
