package nas

import (
	"musubi/rma"
)

func (l *library) send(to, bytes int) error {
	l.p.Compute(l.cost.Send)
	d := l.to[to]
	number := d.sent
	d.sent++
	start := l.filling.start(l.p.Rank(), to, number)
	if bytes <= l.cost.Eager {
		return l.sendToSlot(d, start, bytes, uint32(bytes))
	}
	if err := l.sendToSlot(d, start, 0, uint32(bytes)|isRequest); err != nil {
		return err
	}
	d.long++
	if err := l.until(func() bool { return l.told(d, askedWord) >= d.long }); err != nil {
		return err
	}
	return l.push(d, start, bytes, d.mailbox.longEnd(d.sender), uint32(bytes), d.long)
}

// sendToSlot sends some bytes of the filling, and a trailer with a length, when the receiver has a
// slot for it.
func (l *library) sendToSlot(d *destination, start, bytes int, length uint32) error {
	if err := l.until(func() bool { return d.slots-l.told(d, freedWord) < slots }); err != nil {
		return err
	}
	d.slots++
	return l.push(d, start, bytes, d.mailbox.slotEnd(d.sender, d.slots), length, d.slots)
}

// push writes a message so that it ends at an offset of the receiver's mailbox: by the processor if
// it is short. Otherwise the interface fetches an eager one from a buffer, so that the program may
// go on, and a long one from where it lies.
func (l *library) push(d *destination, start, bytes, end int, length, number uint32) error {
	begin := end - trailer - wholeWords(bytes)
	if bytes+trailer <= l.cost.PIO {
		message := make([]byte, wholeWords(bytes), wholeWords(bytes)+trailer)
		copy(message, l.filling[start:][:bytes])
		return l.write(d.rank, begin, appendTrailer(message, length, number))
	}
	b, err := l.buffers.free(l.p, wholeWords(bytes)+trailer)
	if err != nil {
		return err
	}
	if bytes <= l.cost.Eager {
		err = l.p.Load(l.source, start, rma.Layout{}, b.memory[:bytes], rma.Cached)
	} else {
		copy(b.memory, l.filling[start:][:bytes]) // stands for the program's own memory
	}
	if err != nil {
		return err
	}
	message := appendTrailer(b.memory[:wholeWords(bytes)], length, number)
	b.op, err = l.p.Push(rma.Address{Rank: d.rank, Segment: l.segment, Offset: begin}, message, rma.DMA)
	return err
}

// sendBuffers is exposed memory that messages wait in until they have left.
type sendBuffers []*sendBuffer

type sendBuffer struct {
	memory []byte
	op     rma.Op // complete if the buffer is free
}

// free returns a buffer of at least some bytes that no message is in.
func (all *sendBuffers) free(p rma.Process, bytes int) (*sendBuffer, error) {
	for _, b := range *all {
		if len(b.memory) < bytes {
			continue
		}
		if done, err := p.Test(b.op); err != nil || done {
			b.op = 0
			return b, err
		}
	}
	b := &sendBuffer{memory: make([]byte, bytes)}
	p.Expose(b.memory)
	*all = append(*all, b)
	return b, nil
}

// settle waits until all messages have left.
func (all sendBuffers) settle(p rma.Process) error {
	for _, b := range all {
		if err := p.Wait(b.op); err != nil {
			return err
		}
		b.op = 0
	}
	return nil
}
