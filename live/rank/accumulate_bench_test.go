package rank

import (
	"errors"
	"fmt"
	"testing"

	"musubi/live/livetest"
	"musubi/live/wire"
	"musubi/rma"
)

// accumulateWays are the ways in which words are reached.
var accumulateWays = []struct {
	name    string
	variant string
	by      wire.Protection
	groupOf func(rank int) int
	window  bool
}{
	{"window", "windows", wire.Sealed, func(int) int { return 0 }, true},
	{"memory", "spinning", wire.Sealed, func(int) int { return 0 }, false},
	{"TCP", "spinning", wire.Unprotected, mixes["each alone"], true},
	{"encrypted TCP", "spinning", wire.Sealed, mixes["each alone"], true},
}

// BenchmarkAccumulate is changes of words of rank 1 by rank 0, complete before the next ones,
// while rank 1 waits: one by one, of which many are under way at once, and together by one
// request, with and without asking what was there.
func BenchmarkAccumulate(b *testing.B) {
	for _, way := range accumulateWays {
		for _, words := range []int{1, 64, 1024, 32768} {
			for _, manner := range []struct {
				name       string
				accumulate func(rma.Accumulator, rma.Address, []int64) error
			}{{"one by one", oneByOne()}, {"together", together}, {"fetching", togetherFetching}} {
				b.Run(fmt.Sprintf("%s/%d words/%s", way.name, words, manner.name), func(b *testing.B) {
					v := variants[way.variant]
					v.by = way.by
					err := newTestJob(b, v, 2, way.groupOf).run(func(p rma.Process) error {
						segment, _, err := p.ExposeWindow(8 * words)
						if !way.window {
							segment = p.Expose(make([]byte, 8*words))
						}
						if err != nil || p.Rank() == 1 {
							return err
						}
						operands := make([]int64, words)
						b.ReportAllocs()
						t := batches{per: max(1, perBatch/words)}
						for b.Loop() {
							t.round()
							if err := manner.accumulate(p.(rma.Accumulator), rma.Address{Rank: 1, Segment: segment}, operands); err != nil {
								return err
							}
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words), "ns/word")
						t.report(b, 1, "ns/least")
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}

// oneByOne returns what changes words by a request for each.
func oneByOne() func(rma.Accumulator, rma.Address, []int64) error {
	var ops []rma.Op
	return func(a rma.Accumulator, at rma.Address, operands []int64) error {
		ops = ops[:0]
		for _, operand := range operands {
			op, err := a.FetchOp(at, rma.Sum, operand, nil)
			if err != nil {
				return err
			}
			ops = append(ops, op)
			at.Offset += 8
		}
		return livetest.WaitAll(a, ops)
	}
}

func together(a rma.Accumulator, at rma.Address, operands []int64) error {
	op, err := a.Accumulate(at, rma.Sum, operands, nil)
	return errors.Join(err, a.Wait(op))
}

func togetherFetching(a rma.Accumulator, at rma.Address, operands []int64) error {
	op, err := a.Accumulate(at, rma.NoOp, operands, operands)
	return errors.Join(err, a.Wait(op))
}
