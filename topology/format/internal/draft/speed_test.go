package draft

import (
	"testing"

	"musubi/topology"
)

// TestGigabitsAreReadBack writes the speeds that OpenSM and IBDM know in their terms.
func TestGigabitsAreReadBack(t *testing.T) {
	for _, width := range []int{1, 2, 4, 8, 12} {
		for _, lane := range laneGigabits {
			s := topology.Speed{Width: width, Lane: lane.lane}
			if w, rate, ok := GigabitsOf(s); !ok || SpeedOf(w, rate) != s {
				t.Errorf("%v was read back as %v", s, SpeedOf(w, rate))
			}
		}
	}
}

// Dumps of links that are just coming up show different speeds at the two ends.
func TestSlowerOfTwoSpeedsCounts(t *testing.T) {
	slow, fast, odd := topology.Speed{Width: 1, Lane: "SDR"}, topology.Speed{Width: 4, Lane: "SDR"}, topology.Speed{Width: 4, Lane: "ODD"}
	for _, c := range []struct{ a, b, want topology.Speed }{
		{slow, fast, slow}, {fast, slow, slow}, {topology.Speed{}, fast, fast}, {fast, topology.Speed{}, fast}, {odd, slow, slow}, {slow, odd, slow}, {odd, topology.Speed{}, odd},
	} {
		if got := Slower(c.a, c.b); got != c.want {
			t.Errorf("slower(%v, %v) is %v; want %v", c.a, c.b, got, c.want)
		}
	}
}
