package pairs

import (
	"encoding/binary"

	"musubi/rma"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// acks lets receivers tell senders how many messages of a trial they have consumed. Each rank must
// make one, at the same position in the order of its segments.
type acks struct {
	p       rma.Process
	by      rma.Mechanism
	segment int
	in, out []byte // words: written by others; being sent
	known   uint64 // last value read
	op      rma.Op // sends out
}

func newAcks(p rma.Process, env workload.Env) *acks {
	a := &acks{p: p, in: make([]byte, ranks.WordSize), out: make([]byte, ranks.WordSize)}
	a.segment = p.Expose(a.in)
	if env.BOTF >= ranks.WordSize {
		a.by = rma.BOTF
	} else {
		p.Expose(a.out)
	}
	return a
}

// ack returns the word that acknowledges count messages of a trial. Later trials have larger words,
// so that the words only grow.
func ack(slot, count int) uint64 { return uint64(slot)<<32 | uint64(count) }

// send acknowledges count messages to a sender.
func (a *acks) send(to, slot, count int) error {
	if err := a.settle(); err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(a.out, ack(slot, count))
	var err error
	a.op, err = a.p.Push(rma.Address{Rank: to, Segment: a.segment}, a.out, a.by)
	return err
}

// settle waits until the last acknowledgement has arrived.
func (a *acks) settle() error {
	op := a.op
	a.op = 0
	return a.p.Wait(op)
}

// await waits until at least count messages of a trial are acknowledged.
func (a *acks) await(slot, count int) error {
	wanted := ack(slot, count)
	if count < 1 || a.known >= wanted {
		return nil
	}
	return a.p.WaitUntil(func() bool {
		a.known = binary.LittleEndian.Uint64(a.in)
		return a.known >= wanted
	})
}
