package nas

import (
	"bytes"
	"fmt"

	"musubi/rma"
)

func (l *library) receive(from, length int) error {
	o := &l.from[indexOf(l.own.senders, from)]
	if err := l.until(func() bool { return len(o.lengths) > 0 }); err != nil {
		return err
	}
	got := int(o.lengths[0])
	o.lengths = o.lengths[1:]
	if got != length {
		return fmt.Errorf("rank %d got %d bytes from rank %d; expected %d", l.p.Rank(), got, from, length)
	}
	l.p.Compute(l.cost.Receive)
	return nil
}

// hasMail reports whether something has come that takeAll would take.
func (l *library) hasMail() bool {
	for i := range l.from {
		if o := &l.from[i]; l.hasSlot(i, o) || l.hasLong(i, o) {
			return true
		}
	}
	return false
}

func (l *library) hasSlot(sender int, o *origin) bool {
	return isThere(l.memory, l.own.slotEnd(sender, o.slots+1), o.slots+1)
}

func (l *library) hasLong(sender int, o *origin) bool {
	return o.long < o.asked && isThere(l.memory, l.own.longEnd(sender), o.long+1)
}

// takeAll takes in what has come from any process.
func (l *library) takeAll() error {
	for i := range l.from {
		o := &l.from[i]
		for l.hasSlot(i, o) || l.hasLong(i, o) {
			if err := l.take(i, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes in the next thing that has come from a sender. Its long message comes before what it
// has sent afterwards.
func (l *library) take(sender int, o *origin) error {
	if l.hasLong(sender, o) {
		o.long++
		end := l.own.longEnd(sender)
		length, _ := readTrailer(l.memory, end)
		return l.accept(o, length, l.memory[end-trailer-wholeWords(int(length)):])
	}
	o.slots++
	if err := l.takeSlot(o, l.own.slotEnd(sender, o.slots)); err != nil {
		return err
	}
	if o.slots-o.told < slots/2 {
		return nil
	}
	o.told = o.slots
	return l.tell(o, freedWord, o.told)
}

// takeSlot copies an eager message out of the slot with that end, or asks for the data of a long
// one.
func (l *library) takeSlot(o *origin, end int) error {
	length, number := readTrailer(l.memory, end)
	if number != o.slots {
		return l.wrong(o, length)
	}
	if length&isRequest != 0 {
		o.asked++
		return l.tell(o, askedWord, o.asked)
	}
	begin := end - trailer - wholeWords(int(length))
	if begin < 0 {
		return l.wrong(o, length)
	}
	message := make([]byte, length)
	if err := l.p.Load(l.segment, begin, rma.Layout{}, message, rma.Cached); err != nil {
		return err
	}
	return l.accept(o, length, message)
}

// accept checks a message and keeps its length.
func (l *library) accept(o *origin, length uint32, memory []byte) error {
	want := l.filling.of(o.rank, l.p.Rank(), o.messages, int(length))
	o.messages++
	if !bytes.Equal(memory[:length], want) {
		return l.wrong(o, length)
	}
	o.lengths = append(o.lengths, length)
	return nil
}
