package rank

import (
	"errors"
	"testing"

	"musubi/rma"
)

// BenchmarkChange is changes of a word of rank 1 by rank 0, each complete before the next,
// while rank 1 waits: by rank 0 itself, upon a record, and upon a packet.
func BenchmarkChange(b *testing.B) {
	b.Run("window", func(b *testing.B) {
		if err := inProcess(withWindows, 2, func(p rma.Process) error { return change(b, p) }); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("memory", func(b *testing.B) {
		if err := inProcess(variants["spinning"], 2, func(p rma.Process) error { return change(b, p) }); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("TCP", func(b *testing.B) {
		j := newTestJob(b, variants["spinning"], 2, mixes["each alone"])
		if err := j.run(func(p rma.Process) error { return change(b, p) }); err != nil {
			b.Fatal(err)
		}
	})
}

func change(b *testing.B, p rma.Process) error {
	segment, _, err := p.ExposeWindow(8)
	if err != nil || p.Rank() == 1 {
		return err
	}
	a, at := p.(rma.Atomics), rma.Address{Rank: 1, Segment: segment}
	b.ReportAllocs()
	var t batches
	for b.Loop() {
		t.round()
		op, err := a.FetchOp(at, rma.Sum, 1, nil)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return err
		}
	}
	t.report(b, 1, "ns/least")
	return nil
}
