package neighbour

import "testing"

// The sender of a round may write when the round before is being taken. In the long run all
// places are used, so that each is left alone for as long as possible.
func TestPlacesOfRounds(t *testing.T) {
	const bytes = 3000
	for _, places := range []int{2, 3, 5, 63, 64, 65, 1024} {
		used := map[int]uint64{}
		before := placeOf(0, places, bytes)
		for round := uint64(1); round < settledAt+3*1024; round++ {
			at := placeOf(round, places, bytes)
			if at < 0 || at > (places-1)*placeBytes(bytes) || at%64 != 0 {
				t.Fatalf("%d places: round %d is at %d", places, round, at)
			}
			if at == before {
				t.Fatalf("%d places: rounds %d and %d are both at %d", places, round-1, round, at)
			}
			if last, again := used[at]; again && last >= settledAt && round-last != uint64(places) {
				t.Fatalf("%d places: the one of round %d is used again in round %d", places, last, round)
			}
			before, used[at] = at, round
		}
		if len(used) != places {
			t.Errorf("%d places: %d are used", places, len(used))
		}
	}
}
