package health

import (
	"musubi/live/wire"
	"testing"
)

func TestSilenceIsCountedInTicks(t *testing.T) {
	var s silence
	for _, c := range []struct {
		heard uint64
		ticks int // without anything new
		want  bool
	}{
		{1, 0, false},
		{1, wire.HeartbeatsPerBound - 1, false},
		{2, 0, false},
		{2, wire.HeartbeatsPerBound + 1, true},
		{3, 0, false},
	} {
		asleep := func() bool { return false }
		got := s.tick(c.heard, asleep)
		for range c.ticks {
			got = s.tick(c.heard, asleep)
		}
		if got != c.want {
			t.Errorf("%d messages and %d ticks: silent for too long: %v, want %v", c.heard, c.ticks, got, c.want)
		}
	}
}
