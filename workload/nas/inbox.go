package nas

import (
	"bytes"
	"fmt"

	"musubi/rma"
)

// inbox gives a process the messages of the sender that it waits for. Messages of others that
// arrive meanwhile are taken off the rings and kept until they are asked for, so that no ring stays
// full. It keeps only the length of a message whose data is as expected.
type inbox struct {
	receiver *rma.Receiver
	rank     int
	filling  filling
	heard    []uint32 // messages so far from each process
	early    [][]int  // lengths of messages that have not been asked for
}

func newInbox(p rma.Process, f filling) *inbox {
	n := p.Size()
	return &inbox{receiver: rma.NewReceiver(p), rank: p.Rank(), filling: f, heard: make([]uint32, n), early: make([][]int, n)}
}

// receive waits for the next message from a process.
func (b *inbox) receive(from, bytes int) error {
	for len(b.early[from]) == 0 {
		m, err := b.receiver.Receive()
		if err != nil {
			return err
		}
		if err := b.check(&m); err != nil {
			return err
		}
		b.early[m.From] = append(b.early[m.From], len(m.Data))
	}
	got := b.early[from][0]
	b.early[from] = b.early[from][1:]
	if got != bytes {
		return fmt.Errorf("rank %d got %d bytes from rank %d; expected %d", b.rank, got, from, bytes)
	}
	return nil
}

// check fails if a message is not the next one that its sender has sent.
func (b *inbox) check(m *rma.Message) error {
	number := b.heard[m.From]
	b.heard[m.From]++
	if len(m.Data) > b.filling.longest() || !bytes.Equal(m.Data, b.filling.of(m.From, b.rank, number, len(m.Data))) {
		return fmt.Errorf("rank %d got %d bytes from rank %d that are not the beginning of message %d; one was lost, changed or out of order",
			b.rank, len(m.Data), m.From, number+1)
	}
	return nil
}
