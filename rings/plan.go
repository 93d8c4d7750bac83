package rings

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/rma"
)

// MaxArea is the most memory that the receive rings of a process may take, in
// bytes.
const MaxArea = 1 << 30

// Make chooses receive rings for every process of a recorded run, out of budget bytes for each. It
// fails if the budget cannot hold one packet, or the record contains no messages by IPUSH.
//
// Let the need of a sender be its burst in packets, rounded up, and at least one. Senders that
// share a ring need no more than the sum of their bursts, and no more than the largest amount that
// all senders of the process ever had in flight at once. So one ring for all needs the least room.
// If it has less, it stalls for what it lacks, and no division into private rings stalls less.
//
// Private rings are useful where they add no stalls to that. They go to the senders with the most
// messages for each packet that a private ring needs, as long as the budget allows, and always hold
// the whole burst. All other ranks share one ring that covers their need, or takes what is left if
// that is less. Any room beyond that is divided in proportion, because the next run may have larger
// bursts.
func Make(r *Record, budget int) ([]rma.Rings, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("rings: record: %w", err)
	}
	if budget < r.Packet || budget > MaxArea {
		return nil, fmt.Errorf("rings: budget of %d bytes; expected %d, for one packet, to %d", budget, r.Packet, MaxArea)
	}
	if r.Area().Partners == 0 {
		return nil, fmt.Errorf("rings: nobody has sent anything by IPUSH, which is what receive rings are for; expected the record of a program that does")
	}
	all := make([]rma.Rings, len(r.Processes))
	for i := range r.Processes {
		p := &r.Processes[i]
		d := division{packet: r.Packet, budget: budget / r.Packet, peak: p.Peak}
		all[i] = d.rings(p.senders())
	}
	return all, nil
}

// division is the division of the receive area of a process. Sizes are in packets unless they say
// otherwise.
type division struct {
	packet  int // bytes
	budget  int
	peak    int64 // bytes
	private []Partner
	area    int   // of the private rings
	others  int64 // bytes of the bursts of those that share
}

// rings divides the area among senders.
func (d *division) rings(senders []Partner) rma.Rings {
	for _, s := range senders {
		d.others += s.Burst
	}
	d.choose(senders)
	sizes := make([]int, 0, len(d.private)+1)
	for _, s := range d.private {
		sizes = append(sizes, d.packets(s.Burst))
	}
	sizes = append(sizes, min(d.shared(d.others), d.budget-d.area))
	stretch(sizes, d.budget)
	rings := rma.SharedRing(sizes[len(d.private)] * d.packet)
	for i, s := range d.private {
		rings.Private = append(rings.Private, rma.Ring{Bytes: sizes[i] * d.packet, Senders: []int{s.Rank}})
	}
	return rings
}

// choose gives private rings to the senders that gain most by them.
func (d *division) choose(senders []Partner) {
	// A division may exceed the budget only if a single ring does, too.
	limit := max(d.budget, d.shared(d.others))
	for _, s := range d.byGain(senders) {
		area, others := d.area+d.packets(s.Burst), d.others-s.Burst
		if area < d.budget && area+d.shared(others) <= limit {
			d.private, d.area, d.others = append(d.private, s), area, others
		}
	}
	slices.SortFunc(d.private, func(a, b Partner) int { return cmp.Compare(a.Rank, b.Rank) })
}

// byGain sorts senders by messages for each packet of a private ring, the most
// first.
func (d *division) byGain(senders []Partner) []Partner {
	gain := func(s Partner) float64 { return float64(s.Messages) / float64(d.packets(s.Burst)) }
	sorted := slices.Clone(senders)
	slices.SortFunc(sorted, func(a, b Partner) int {
		return cmp.Or(cmp.Compare(gain(b), gain(a)), cmp.Compare(a.Rank, b.Rank))
	})
	return sorted
}

// shared returns the need of a ring whose senders have bursts of that many bytes together.
func (d *division) shared(bursts int64) int { return d.packets(min(bursts, d.peak)) }

// packets returns the size of a ring that holds that many bytes.
func (d *division) packets(bytes int64) int { return max(1, roundUp(bytes, d.packet)) }

// roundUp returns the packets that hold that many bytes.
func roundUp(bytes int64, packet int) int {
	return int((bytes + int64(packet) - 1) / int64(packet))
}

// stretch divides the rest of a total among sizes, in proportion to them.
func stretch(sizes []int, total int) {
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	rest := total - sum
	given, seen := 0, 0
	for i, n := range sizes {
		seen += n
		more := rest*seen/sum - given
		sizes[i] += more
		given += more
	}
}
