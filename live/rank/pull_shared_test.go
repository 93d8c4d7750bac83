package rank

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"musubi/live/livetest"
	"musubi/rma"
	"sync"
	"testing"
)

// Long pulls bring what is there, also if all ranks pull from each other at once, and
// when a segment has been withdrawn none is under way.
func TestLongPulls(t *testing.T) {
	for name, v := range variants {
		if livetest.Race && name != "spinning" && name != "small rings" {
			continue // of windows it sees nothing
		}
		t.Run(name, func(t *testing.T) {
			if err := inProcess(v, 3, pullFromAll); err != nil {
				t.Error(err)
			}
		})
	}
}

func pullFromAll(p rma.Process) error {
	const most, open = 4*sharedBytes + 1, 3
	memory := make([][]byte, p.Size()) // of each rank
	for rank := range memory {
		memory[rank] = noise(most, uint64(rank))
	}
	segment, done := p.Expose(memory[p.Rank()]), make([]byte, p.Size())
	told := p.Expose(done)
	rng := rand.New(rand.NewPCG(uint64(p.Rank()), 3))
	for range 10 {
		if err := pullSome(p, rng, memory, segment, open); err != nil {
			return err
		}
	}
	for rank := range p.Size() {
		op, err := p.Push(rma.Address{Rank: rank, Segment: told, Offset: p.Rank()}, []byte{1}, rma.DMA)
		if err != nil {
			return err
		}
		if err := p.Wait(op); err != nil {
			return err
		}
	}
	if err := p.WaitUntil(func() bool { return !bytes.Contains(done, []byte{0}) }); err != nil {
		return err
	}
	return p.Withdraw(segment)
}

// pullSome pulls at once from any ranks, and compares what has come.
func pullSome(p rma.Process, rng *rand.Rand, memory [][]byte, segment, open int) error {
	ops, into, want := make([]rma.Op, open), make([][]byte, open), make([][]byte, open)
	for i := range ops {
		from := rng.IntN(len(memory))
		offset := rng.IntN(len(memory[from]))
		n := rng.IntN(len(memory[from]) - offset)
		into[i], want[i] = make([]byte, n), memory[from][offset:][:n]
		var err error
		if ops[i], err = p.Pull(rma.Address{Rank: from, Segment: segment, Offset: offset}, into[i]); err != nil {
			return err
		}
	}
	for _, i := range rng.Perm(open) {
		if err := p.Wait(ops[i]); err != nil {
			return err
		}
		if !bytes.Equal(into[i], want[i]) {
			return fmt.Errorf("rank %d: a pull of %d bytes brings something else", p.Rank(), len(want[i]))
		}
	}
	return nil
}

// A pull that waits behind others for room in the ring has no pieces yet.
func TestLongPullsThatWaitForRoom(t *testing.T) {
	want, full := noise(sharedBytes, 1), make(chan struct{})
	err := inProcess(variants["spinning"], 2, func(p rma.Process) error {
		memory, rest := p.Expose(bytes.Clone(want)), p.Expose(make([]byte, 1000))
		if p.Rank() == 1 {
			<-full // and takes nothing meanwhile
			return nil
		}
		release := sync.OnceFunc(func() { close(full) })
		defer release()
		for p.(*Rank).queued == 0 {
			if _, err := p.Push(rma.Address{Rank: 1, Segment: rest}, make([]byte, 1000), rma.DMA); err != nil {
				return err
			}
		}
		got := make([]byte, len(want))
		op, err := p.Pull(rma.Address{Rank: 1, Segment: memory}, got)
		if err != nil {
			return err
		}
		if _, err := p.Poll(); err != nil {
			return err
		}
		release()
		if err := p.Wait(op); err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return errors.New("the pull brings something else")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// noise returns bytes that depend on a seed.
func noise(n int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}
