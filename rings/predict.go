package rings

import (
	"fmt"

	"musubi/rma"
)

// Predict returns the number of packets that find no room according to the bursts of a record: for
// each ring, the packets that its senders have in flight at most and that it cannot hold. It is a
// bound, not a count. If it is 0, no ring is ever full, provided that the program does the same
// again and gives room back in the order of arrival. Otherwise rings may be full more than once, or
// never if bursts of several senders do not meet. It does not consider that a status ring may be
// full.
//
// It fails if the record is not in order, or the rings are not for its ranks.
func Predict(r *Record, all []rma.Rings) (packets int64, err error) {
	if err := r.check(); err != nil {
		return 0, fmt.Errorf("rings: record: %w", err)
	}
	if len(all) != len(r.Processes) {
		return 0, fmt.Errorf("rings: rings for %d ranks; the record is of %d", len(all), len(r.Processes))
	}
	for rank := range all {
		if err := all[rank].Check(len(all), r.Packet); err != nil {
			return 0, fmt.Errorf("rings: rank %d: %w", rank, err)
		}
		packets += r.Processes[rank].lack(&all[rank], r.Packet)
	}
	return packets, nil
}

// lack returns the packets for which rings have no room.
func (p *Process) lack(rings *rma.Rings, packet int) int64 {
	other := len(rings.Private)
	ringOf := map[int]int{}
	for i, ring := range rings.Private {
		for _, s := range ring.Senders {
			ringOf[s] = i
		}
	}
	bursts := make([]int64, other+1)
	for _, s := range p.Partners {
		ring, own := ringOf[s.Rank]
		if !own {
			ring = other
		}
		bursts[ring] += s.Burst
	}
	lack := int64(0)
	for i, burst := range bursts {
		size := rings.Other.Bytes
		if i < other {
			size = rings.Private[i].Bytes
		}
		lack += int64(roundUp(max(0, min(burst, p.Peak)-int64(size)), packet))
	}
	return lack
}
