package workload

import (
	"bytes"
	"fmt"

	"musubi/rma"
)

// nasInbox gives a process the messages of the sender that it waits for. Others
// that come meanwhile are taken off the rings and kept until they are asked for,
// so that no ring stays full. Of a message that has the data it should have only
// the length is kept.
type nasInbox struct {
	p       rma.Process
	filling filling
	heard   []uint32 // messages so far from each process
	parts   [][]byte // of a message from each process whose end has not come
	early   [][]int  // lengths of messages that have not been asked for
}

func newNASInbox(p rma.Process, f filling) *nasInbox {
	n := p.Size()
	return &nasInbox{p: p, filling: f, heard: make([]uint32, n), parts: make([][]byte, n), early: make([][]int, n)}
}

// receive waits for the next message from a process.
func (b *nasInbox) receive(from, bytes int) error {
	for len(b.early[from]) == 0 {
		sender, message, err := b.next()
		if err != nil {
			return err
		}
		if err := b.check(sender, message); err != nil {
			return err
		}
		b.early[sender] = append(b.early[sender], len(message))
	}
	got := b.early[from][0]
	b.early[from] = b.early[from][1:]
	if got != bytes {
		return fmt.Errorf("rank %d got %d bytes from rank %d; expected %d", b.p.Rank(), got, from, bytes)
	}
	return nil
}

// next takes the next message off the rings, whoever sent it. The message is good
// until the next call.
func (b *nasInbox) next() (from int, message []byte, err error) {
	for {
		a, err := b.p.Next()
		if err != nil {
			return 0, nil, err
		}
		part := b.parts[a.From]
		message := append(part, make([]byte, a.Bytes)...)
		if err := b.p.Take(a, message[len(part):], rma.Cached); err != nil {
			return 0, nil, err
		}
		if b.parts[a.From] = message; a.Last {
			b.parts[a.From] = message[:0]
			return a.From, message, nil
		}
	}
}

// check fails if a message is not the next one that its sender has sent.
func (b *nasInbox) check(from int, message []byte) error {
	number := b.heard[from]
	b.heard[from]++
	if len(message) > b.filling.longest() || !bytes.Equal(message, b.filling.of(from, b.p.Rank(), number, len(message))) {
		return fmt.Errorf("rank %d got %d bytes from rank %d that are not the beginning of message %d; one was lost, changed or out of order",
			b.p.Rank(), len(message), from, number+1)
	}
	return nil
}
