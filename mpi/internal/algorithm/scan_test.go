package algorithm

import (
	"fmt"
	"slices"
	"testing"
)

// ScanAs combines in the order of Hillis and Steele, which is done here for all ranks at once.
func TestScanAsDoubling(t *testing.T) {
	join := func(a, b string) string { return "(" + a + b + ")" }
	for size := 1; size <= 40; size++ {
		var elements []string
		for rank := range size {
			elements = append(elements, fmt.Sprintf("%d ", rank))
		}
		upTo, before := slices.Clone(elements), make([]string, size)
		for d := 1; d < size; d *= 2 {
			sent := slices.Clone(upTo)
			for rank := d; rank < size; rank++ {
				if d == 1 {
					before[rank] = sent[rank-d]
				} else {
					before[rank] = join(sent[rank-d], before[rank])
				}
				upTo[rank] = join(sent[rank-d], sent[rank])
			}
		}
		for rank := range size {
			parts := slices.Clone(elements)
			combine := func(from, into int) { parts[into] = join(parts[from], parts[into]) }
			if ScanAs(rank, false, combine); parts[rank] != upTo[rank] {
				t.Errorf("rank %d of %d: %s; expected %s", rank, size, parts[rank], upTo[rank])
			}
			if rank == 0 {
				continue
			}
			parts = slices.Clone(elements)
			parts[rank] = parts[rank-1]
			if ScanAs(rank, true, combine); parts[rank] != before[rank] {
				t.Errorf("rank %d of %d, without its own: %s; expected %s", rank, size, parts[rank], before[rank])
			}
		}
	}
}
