package rank

import (
	"fmt"
	"runtime"
	"testing"

	"musubi/rma"
)

// withWindows is a job of two ranks that reach each other's windows.
var withWindows = variant{ringBytes: 64 << 10, arenaBytes: 4 << 20}

// BenchmarkWindow is transfers of rank 0 to and from a window of rank 1, each complete
// before the next, while rank 1 waits.
func BenchmarkWindow(b *testing.B) {
	for _, size := range []int{8, 1 << 10, 16 << 10, 1 << 20} {
		for name, start := range map[string]func(p rma.Process, at rma.Address, data []byte) (rma.Op, error){
			"put": func(p rma.Process, at rma.Address, data []byte) (rma.Op, error) { return p.Push(at, data, rma.DMA) },
			"get": func(p rma.Process, at rma.Address, data []byte) (rma.Op, error) { return p.Pull(at, data) },
		} {
			b.Run(fmt.Sprintf("%s/bytes=%d", name, size), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(size))
				if err := inProcess(withWindows, 2, func(p rma.Process) error { return reach(b, p, size, start) }); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// reach lets rank 0 reach for a window of rank 1 again and again.
func reach(b *testing.B, p rma.Process, size int, start func(p rma.Process, at rma.Address, data []byte) (rma.Op, error)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	segment, memory, err := p.ExposeWindow(size + 8)
	if err != nil {
		return err
	}
	there := rma.Address{Rank: 1 - p.Rank(), Segment: segment}
	tell := func() error {
		op, err := p.Push(rma.Address{Rank: there.Rank, Segment: segment, Offset: size}, []byte{1}, rma.DMA)
		if err != nil {
			return err
		}
		return p.Wait(op)
	}
	told := func() bool { return memory[size] == 1 }
	if p.Rank() == 1 {
		if err := tell(); err != nil {
			return err
		}
		return p.WaitUntil(told)
	}
	if err := p.WaitUntil(told); err != nil {
		return err
	}
	data := make([]byte, size)
	var t batches
	b.ResetTimer()
	for range b.N {
		t.round()
		op, err := start(p, there, data)
		if err != nil {
			return err
		}
		if err := p.Wait(op); err != nil {
			return err
		}
	}
	b.StopTimer()
	t.report(b, 1, "ns/least")
	return tell()
}

// BenchmarkWindowNotice is a push to a window and the notice of it, back and forth, to
// compare with BenchmarkFloor and BenchmarkPush.
func BenchmarkWindowNotice(b *testing.B) {
	for _, size := range []int{8, 64, 1 << 10, 16 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			b.ReportAllocs()
			err := inProcess(withWindows, 2, func(p rma.Process) error {
				segment, memory, err := p.ExposeWindow(size)
				if err != nil {
					return err
				}
				return bounceIn(b, p, segment, memory)
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
