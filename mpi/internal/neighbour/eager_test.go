package neighbour

import "testing"

// The sender of a round may write when the round before is being taken. In the long run all
// slots are used, so that each is left alone for as long as possible.
func TestSlotsOfRounds(t *testing.T) {
	const bytes = 3000
	for _, slots := range []int{2, 3, 5, 63, 64, 65, 1024} {
		used := map[int]uint64{}
		before := slotOf(0, slots, bytes)
		for round := uint64(1); round < allSlotsFrom+3*1024; round++ {
			at := slotOf(round, slots, bytes)
			if at < 0 || at > (slots-1)*slotBytes(bytes) || at%64 != 0 {
				t.Fatalf("%d slots: round %d is at %d", slots, round, at)
			}
			if at == before {
				t.Fatalf("%d slots: rounds %d and %d are both at %d", slots, round-1, round, at)
			}
			if last, again := used[at]; again && last >= allSlotsFrom && round-last != uint64(slots) {
				t.Fatalf("%d slots: the one of round %d is used again in round %d", slots, last, round)
			}
			before, used[at] = at, round
		}
		if len(used) != slots {
			t.Errorf("%d slots: %d are used", slots, len(used))
		}
	}
}
