package rank

import (
	"fmt"
	"runtime"
	"testing"

	"musubi/live/livetest"
	"musubi/rma"
)

// BenchmarkCommands posts commands that are carried out at once, eight at a time, and takes
// their completions.
func BenchmarkCommands(b *testing.B) {
	const at = 8
	for name, command := range map[string]rma.Command{
		"nop":     {},
		"release": {Put: true, TargetQueue: rma.QueueAddress{Queue: 1}, Advance: 1},
		"put 8":   {Put: true, Data: make([]byte, 8)},
		"notice":  {Put: true, TargetQueue: rma.QueueAddress{Queue: 1}, Notice: true},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			err := inProcess(variants["spinning"], 1, func(p rma.Process) error {
				p.Expose(make([]byte, 8))
				q, err := p.(rma.Commander).OpenQueue(rma.QueueConfig{})
				if err != nil {
					return err
				}
				list := make([]rma.Command, at)
				for i := range list {
					list[i] = command
				}
				b.ResetTimer()
				for range b.N {
					if err := postAndTake(q, list); err != nil {
						return err
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*at), "ns/command")
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

func postAndTake(q rma.Queue, list []rma.Command) error {
	if err := q.Post(list...); err != nil {
		return err
	}
	for range list {
		if done, err := q.Completion(); !done || err != nil {
			return fmt.Errorf("a command that was posted is complete: %v, %v", done, err)
		}
		if _, ok := q.Notice(); ok != list[0].Notice {
			return fmt.Errorf("a notice has come: %v", ok)
		}
	}
	return nil
}

// BenchmarkHalo is an exchange of two ranks, two blocks each way, each round after the one
// before.
func BenchmarkHalo(b *testing.B) {
	for _, size := range []int{8, 16 << 10, 256 << 10} {
		for _, queues := range []int{1, 2} {
			for _, window := range []bool{false, true} {
				b.Run(fmt.Sprintf("bytes=%d/queues=%d/window=%v", size, queues, window), func(b *testing.B) {
					b.ReportAllocs()
					if err := inProcess(withWindows, 2, func(p rma.Process) error { return repeatHalo(b, p, size, queues, window) }); err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}

func repeatHalo(b *testing.B, p rma.Process, size, queues int, window bool) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := livetest.NewHalo(p, size, queues, window)
	if err != nil {
		return err
	}
	var t batches
	if p.Rank() == 0 {
		b.ResetTimer()
	}
	for range b.N {
		t.round()
		if err := h.Start(); err != nil {
			return err
		}
		if err := h.Wait(); err != nil {
			return err
		}
	}
	if p.Rank() == 0 {
		b.StopTimer()
		t.report(b, 1, "ns/least")
	}
	return livetest.MeetAll(p)
}
