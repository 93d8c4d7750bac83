package rank

import (
	"bytes"
	"fmt"
	"testing"

	"musubi/rma"
)

// A long push is complete when it has been started, while its target is in no call; but one
// behind something that the target has not taken waits for that.
func TestLongPushesNeedNoHelp(t *testing.T) {
	asked, answered := make(chan int), make(chan error)
	err := inProcess(variants["spinning"], 2, func(p rma.Process) error {
		if p.Rank() == 1 {
			memory := make([]byte, directBytes+1)
			asked <- p.Expose(memory)
			if err := <-answered; err != nil {
				return err
			}
			for i, got := range memory {
				if want := byte(min(i, 1)); got != want {
					return fmt.Errorf("byte %d is %d; want %d", i, got, want)
				}
			}
			// What has come in the ring is taken now.
			return p.WaitUntil(func() bool { return memory[1] == 3 })
		}
		to := rma.Address{Rank: 1, Segment: <-asked, Offset: 1}
		push := func(value byte, n int) (op rma.Op, done bool, err error) {
			if op, err = p.Push(to, bytes.Repeat([]byte{value}, n), rma.DMA); err == nil {
				done, err = p.Test(op)
			}
			return op, done, err
		}
		var last rma.Op
		answered <- func() error {
			if _, done, err := push(1, directBytes); !done || err != nil {
				return fmt.Errorf("a long push is complete: %v, %v", done, err)
			}
			if _, done, err := push(2, directBytes+1); done || err != nil {
				return fmt.Errorf("a push beyond the end is complete: %v, %v", done, err)
			}
			op, done, err := push(3, directBytes)
			if last = op; done || err != nil {
				return fmt.Errorf("a push behind one that waits is complete: %v, %v", done, err)
			}
			return nil
		}()
		return p.Wait(last)
	})
	if err != nil {
		t.Error(err)
	}
}

// Where ranks share processors a long pull is complete when it has been started, while the owner of the data is in no call.
func TestLongPullsNeedNoHelp(t *testing.T) {
	asked, answered := make(chan int), make(chan error)
	err := inProcess(variants["sleeping"], 2, func(p rma.Process) error {
		if p.Rank() == 1 {
			asked <- p.Expose(bytes.Repeat([]byte{7}, 2*sharedBytes))
			return <-answered
		}
		from := rma.Address{Rank: 1, Segment: <-asked, Offset: 1}
		answered <- func() error {
			for _, n := range []int{directBytes, 2*sharedBytes - 1} {
				into := make([]byte, n)
				if op, err := p.Pull(from, into); op != 0 || err != nil {
					return fmt.Errorf("a pull of %d bytes is operation %d, %v; want one that is complete", n, op, err)
				}
				if i := bytes.IndexFunc(into, func(b rune) bool { return b != 7 }); i >= 0 {
					return fmt.Errorf("byte %d of %d that were pulled is %d; want 7", i, n, into[i])
				}
			}
			return nil
		}()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
