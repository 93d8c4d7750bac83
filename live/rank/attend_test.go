package rank

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"musubi/live/wire"
	"musubi/onesided"
	"musubi/rma"
)

// A rank that is in no call keeps nobody waiting who changes, reads or writes its memory, however
// the stream to it is encrypted: it does not go on before the others are done. A message that it has
// in place stays as it is.
func TestWhoIsInNoCallIsAttended(t *testing.T) {
	for by := range wire.Protections {
		t.Run(fmt.Sprint("protection ", by), func(t *testing.T) {
			const ranks, rounds = 3, 30
			j := newTestJob(t, variant{ringBytes: 64 << 10, by: by}, ranks, mixes["each alone"])
			done := make(chan struct{}, ranks)
			err := j.run(func(p rma.Process) error {
				segment, memory, err := p.ExposeWindow(ranks * onesided.WordSize)
				if err != nil {
					return err
				}
				if p.Rank() > 0 {
					defer func() { done <- struct{}{} }()
					return errors.Join(sendRank(p, 0), accessBeside(p, segment, rounds))
				}
				var said []byte
				for range ranks - 1 {
					if _, said, err = p.(*Rank).NextInPlace(); err != nil {
						return err
					}
				}
				before := string(said)
				for range ranks - 1 { // in no call
					<-done
				}
				if string(said) != before {
					err = fmt.Errorf("the message in place has become %x from %x", said, before)
				}
				if _, failed := p.Test(0); failed != nil {
					return failed
				}
				return errors.Join(err, p.WaitUntil(func() bool {
					return binary.NativeEndian.Uint64(memory) == (ranks-1)*rounds
				}))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// sendRank sends another rank a message of some words that say which rank this is.
func sendRank(p rma.Process, to int) error {
	message := make([]byte, 10*onesided.WordSize)
	for i := range message {
		message[i] = byte(p.Rank())
	}
	op, err := p.IPush(to, message, rma.DMA)
	return errors.Join(err, p.Wait(op))
}

// accessBeside adds to the first word of rank 0, and writes and reads the one of this rank.
func accessBeside(p rma.Process, segment, rounds int) error {
	var was, before int64 = 0, -1
	own := rma.Address{Rank: 0, Segment: segment, Offset: p.Rank() * onesided.WordSize}
	wrote, read := make([]byte, onesided.WordSize), make([]byte, onesided.WordSize)
	for i := range rounds {
		op, err := p.(rma.Atomics).FetchOp(rma.Address{Rank: 0, Segment: segment}, rma.Sum, 1, &was)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return err
		}
		binary.NativeEndian.PutUint64(wrote, uint64(i+1))
		op, err = p.Push(own, wrote, rma.DMA)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return err
		}
		op, err = p.Pull(own, read)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return err
		}
		if was <= before || string(read) != string(wrote) {
			return fmt.Errorf("round %d: %d after %d, and %x; expected more, and %x", i, was, before, read, wrote)
		}
		before = was
	}
	return nil
}
