package rank

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"musubi/rma"
)

// BenchmarkStream is BenchmarkPush between ranks of two groups, over TCP on the loopback
// interface. The metric is the median of all rounds, halved, as ucx_perftest has it.
func BenchmarkStream(b *testing.B) {
	for _, size := range []int{8, 64, 1 << 10, 16 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint("bytes=", size), func(b *testing.B) {
			b.ReportAllocs()
			job := newTestJob(b, variants["spinning"], 2, mixes["each alone"])
			b.ResetTimer()
			var halves []time.Duration
			err := job.run(func(p rma.Process) (err error) {
				if p.Rank() == 0 {
					halves, err = ping(b.N, p, size)
					return err
				}
				_, err = ping(b.N, p, size)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			slices.Sort(halves)
			b.ReportMetric(float64(halves[len(halves)/2].Nanoseconds()), "ns/half")
		})
	}
}

// BenchmarkStreamRate is BenchmarkRate between ranks of two groups.
func BenchmarkStreamRate(b *testing.B) {
	job := newTestJob(b, variants["spinning"], 2, mixes["each alone"])
	b.ResetTimer()
	if err := job.run(func(p rma.Process) error { return pushWords(b, p) }); err != nil {
		b.Fatal(err)
	}
}

// ping sends a block to and fro, and returns half of what each round has taken.
func ping(rounds int, p rma.Process, size int) ([]time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	memory, data := make([]byte, size), make([]byte, size)
	to := rma.Address{Rank: 1 - p.Rank(), Segment: p.Expose(memory)}
	mark := byte(0)
	arrived := func() bool { return memory[size-1] == mark }
	halves := make([]time.Duration, 0, rounds)
	for i := range rounds {
		begin := time.Now()
		mark = byte(1 + i%2)
		if p.Rank() == 1 {
			if err := p.WaitUntil(arrived); err != nil {
				return nil, err
			}
		}
		data[size-1] = mark
		op, err := p.Push(to, data, rma.DMA)
		if err != nil {
			return nil, err
		}
		if p.Rank() == 0 {
			if err := p.WaitUntil(arrived); err != nil {
				return nil, err
			}
		}
		if err := p.Wait(op); err != nil {
			return nil, err
		}
		halves = append(halves, time.Since(begin)/2)
	}
	return halves, nil
}
