package schedule

import (
	"fmt"
	"strings"
	"testing"

	"musubi/internal/check"
)

// of returns a schedule in which all ranks do one operation.
func of(o Operation, ranks int, size uint64) *Schedule {
	b := NewBuilder(ranks)
	for r := range ranks {
		b.Add(r, Op{Kind: Collective, Peer: Any, Tag: uint32(o), Size: size})
	}
	return b.Schedule()
}

// Each message has its receive, in order, and as many bytes pass as the operation needs.
func TestMessagesOfCollectiveOperations(t *testing.T) {
	for o := range operations {
		for ranks := 1; ranks <= 9; ranks++ {
			for _, size := range []uint64{0, 1, 17, 1000} {
				s, err := of(o, ranks, size).Expanded()
				check.Must(t, err)
				sent, received := map[string][]uint64{}, map[string][]uint64{}
				var total uint64
				for r := range s.Ranks {
					for _, op := range s.Ranks[r].Ops {
						switch op.Kind {
						case Send:
							total += op.Size
							key := fmt.Sprint(r, op.Peer, op.Tag)
							sent[key] = append(sent[key], op.Size)
						case Receive:
							key := fmt.Sprint(op.Peer, r, op.Tag)
							received[key] = append(received[key], op.Size)
						}
					}
				}
				if fmt.Sprint(sent) != fmt.Sprint(received) {
					t.Errorf("%v of %d bytes, %d ranks: sent %v, received %v", o, size, ranks, sent, received)
				}
				counted, bytes := of(o, ranks, size).Sent()
				expanded, expandedBytes := s.Sent()
				if counted != expanded || bytes != expandedBytes || bytes != float64(total) {
					t.Errorf("%v of %d bytes, %d ranks: counted %d messages of %g bytes; expected %d of %d", o, size, ranks, counted, bytes, expanded, total)
				}
				n := uint64(ranks)
				own := size / n // of the first rank, which keeps it
				if size%n > 0 {
					own++
				}
				want := map[Operation]uint64{
					AllReduce: 2 * (n - 1) * size, Reduce: (n - 1) * size, AllGather: n * (n - 1) * size, Gather: (n - 1) * size, Scatter: size - own,
					Broadcast: (n - 1) * size, AllToAll: (n - 1) * size, ReduceScatter: (n - 1) * size, ReduceScatterBlock: (n - 1) * size, Barrier: 0,
				}[o]
				if total != want {
					t.Errorf("%v of %d bytes, %d ranks: %d bytes pass; expected %d", o, size, ranks, total, want)
				}
			}
		}
	}
}

func TestRanksThatCallOtherOperations(t *testing.T) {
	s := of(AllReduce, 3, 8)
	s.Ranks[2].Ops[0].Size = 9
	_, err := s.Expanded()
	check.Error(t, err, "rank 2, operation 1: all-reduce of 9 bytes: expected the same as rank 0, operation 1: all-reduce of 8 bytes")
	s = of(Barrier, 3, 0)
	s.Ranks[1].Ops = nil
	_, err = s.Expanded()
	if err == nil || !strings.Contains(err.Error(), "rank 1 has no such operation") {
		t.Errorf("error %v; expected that rank 1 has no such operation", err)
	}
}

// What waits for something beside a collective operation waits as often as before.
func TestDependenciesBesideCollectiveOperations(t *testing.T) {
	b := NewBuilder(2)
	for r := range 2 {
		work := b.Add(r, CalcOf(1000))
		more := b.Add(r, CalcOf(2000))
		all := b.Add(r, Op{Kind: Collective, Peer: Any, Tag: uint32(Barrier)})
		b.Require(r, work, more)
		b.Require(r, work, all)
		b.RequireStart(r, all, more)
	}
	s, err := b.Schedule().Expanded()
	check.Must(t, err)
	for r := range s.Ranks {
		ends, starts := 0, 0
		for i := range s.Ranks[r].Ops {
			ends += len(s.Ranks[r].Requires(i))
			starts += len(s.Ranks[r].Starts(i))
		}
		waits := uint32(0)
		for _, op := range s.Ranks[r].Ops {
			waits += op.Waits
		}
		if got := s.Ranks[r].Ops[1].Waits; got != 2 {
			t.Errorf("rank %d: the second calculation waits for %d operations; expected 2", r, got)
		}
		if int(waits) != ends+starts {
			t.Errorf("rank %d: operations wait for %d others, and %d let others go on", r, waits, ends+starts)
		}
	}
}
