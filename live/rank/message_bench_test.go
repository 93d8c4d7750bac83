package rank

import (
	"runtime"
	"testing"

	"musubi/live/shm"
	"musubi/rma"
)

// BenchmarkMessages is short messages that one rank sends and the other borrows, as fast
// as both can.
func BenchmarkMessages(b *testing.B) {
	err := inProcess(variant{ringBytes: shm.RingBytesFor(2)}, 2, func(p rma.Process) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		m := p.(rma.Messenger)
		if p.Rank() == 0 {
			return sendMany(m, b.N)
		}
		var t batches
		for range b.N {
			t.round()
			if _, _, err := m.NextInPlace(); err != nil {
				return err
			}
		}
		t.report(b, 1, "ns/message")
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// sendMany sends short messages to rank 1, each as soon as there is room.
func sendMany(m rma.Messenger, n int) error {
	head, data := make([]byte, 32), make([]byte, 8)
	for range n {
		for {
			sent, err := m.IPushCopy(1, head, data)
			if err != nil {
				return err
			}
			if sent {
				break
			}
			if _, err := m.Poll(); err != nil {
				return err
			}
		}
	}
	return nil
}
