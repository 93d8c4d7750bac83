package rings_test

import (
	"iter"

	"musubi/rings"
	"musubi/rma"

	"pgregory.net/rapid"
)

// anyRecord draws records of a job of up to so many ranks, with bursts of up to so
// many bytes; somebody sends something.
func anyRecord(ranks, burst int) *rapid.Generator[*rings.Record] {
	return rapid.Custom(func(t *rapid.T) *rings.Record {
		record := &rings.Record{Packet: packet}
		n := rapid.IntRange(1, ranks).Draw(t, "ranks")
		for rank := range n {
			record.Processes = append(record.Processes, anyProcess(rank, n, burst).Draw(t, "process"))
		}
		if record.Area().Partners == 0 {
			record.Processes[0].Peak = 1
			record.Processes[0].Partners = []rings.Partner{{Rank: 0, Burst: 1}}
		}
		return record
	})
}

func anyProcess(rank, ranks, burst int) *rapid.Generator[rings.Process] {
	return rapid.Custom(func(t *rapid.T) rings.Process {
		p := rings.Process{Rank: rank}
		var sum, largest int64
		for sender := range ranks {
			if rapid.Bool().Draw(t, "silent") {
				continue
			}
			s := rings.Partner{
				Rank: sender, Messages: rapid.Int64Range(0, 5).Draw(t, "messages"), Bytes: rapid.Int64Range(0, 1e6).Draw(t, "bytes"),
				Burst: rapid.Int64Range(0, int64(burst)).Draw(t, "burst"), Pushes: rapid.Int64Range(0, 9).Draw(t, "pushes"),
			}
			s.Largest = rapid.IntRange(0, int(s.Burst)).Draw(t, "largest")
			p.Partners = append(p.Partners, s)
			sum, largest = sum+s.Burst, max(largest, s.Burst)
		}
		p.Peak = rapid.Int64Range(largest, sum).Draw(t, "peak")
		return p
	})
}

// divisions yields all ways to divide so many packets among private rings of some
// of the senders and a ring for all others.
func divisions(senders []rings.Partner, packets int) iter.Seq[rma.Rings] {
	return func(yield func(rma.Rings) bool) { divide(senders, packets, nil, yield) }
}

func divide(senders []rings.Partner, left int, private []rma.Ring, yield func(rma.Rings) bool) bool {
	if left < 1 {
		return true
	}
	if len(senders) == 0 {
		rings := rma.SharedRing(left * packet)
		rings.Private = private
		return yield(rings)
	}
	if !divide(senders[1:], left, private, yield) {
		return false
	}
	for size := 1; size < left; size++ {
		ring := rma.Ring{Bytes: size * packet, Senders: []int{senders[0].Rank}}
		if !divide(senders[1:], left-size, append(private[:len(private):len(private)], ring), yield) {
			return false
		}
	}
	return true
}

func bytesOf(r rma.Rings) int {
	sum := r.Other.Bytes
	for _, ring := range r.Private {
		sum += ring.Bytes
	}
	return sum
}

func burstOf(record *rings.Record, rank, sender int) int64 {
	for _, p := range record.Processes[rank].Partners {
		if p.Rank == sender {
			return p.Burst
		}
	}
	return 0
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface{ Fatal(...any) }

func lack(t fataler, record *rings.Record, all []rma.Rings) int64 {
	packets, err := rings.Predict(record, all)
	if err != nil {
		t.Fatal(err)
	}
	return packets
}

// lackOf is what the rings of one process lack.
func lackOf(t fataler, record *rings.Record, rank int, r rma.Rings) int64 {
	all := make([]rma.Rings, len(record.Processes))
	for i := range all {
		all[i] = rma.SharedRing(rings.MaxArea)
	}
	all[rank] = r
	return lack(t, record, all)
}
