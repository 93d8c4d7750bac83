package rings

import (
	"fmt"

	"musubi/rma"
)

// Private gives every process a private ring for every rank, all of one size, out of budget bytes.
// Plans are compared with it. It fails if the rings would be smaller than a packet, or the record
// is not in order.
//
// A ring that cannot hold the largest message of its sender has status per packet.
func Private(r *Record, budget int) ([]rma.Rings, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("rings: record: %w", err)
	}
	ranks := len(r.Processes)
	size := budget / r.Packet / ranks * r.Packet
	if size < r.Packet {
		return nil, fmt.Errorf("private rings for %d ranks take at least %d bytes, a packet each; the budget is %d bytes", ranks, ranks*r.Packet, budget)
	}
	all := make([]rma.Rings, ranks)
	for i := range all {
		all[i] = rma.PrivateRings(ranks, size)
		for _, s := range r.Processes[i].Partners {
			if s.Largest > size {
				all[i].Private[s.Rank].Status = rma.PerPacket
			}
		}
	}
	return all, nil
}
