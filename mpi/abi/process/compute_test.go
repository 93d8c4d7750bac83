package process

import (
	"testing"

	"musubi/units"
)

func TestComputationTakesWhatIsSaid(t *testing.T) {
	for _, c := range []struct {
		text                string
		nanoseconds, blocks int64
		want                units.Time
	}{
		{"none", 1000, 1000, 0},
		{"measured", 1000, 7, units.Microsecond},
		{"measured:0.5", 1000, 7, 500 * units.Nanosecond},
		{"4e8", 1000, 2, 5 * units.Nanosecond},
		{"1", 1000, 3, 3 * units.Second},
	} {
		compute, err := ParseCompute(c.text)
		if got := compute.time(c.nanoseconds, c.blocks); got != c.want || err != nil {
			t.Errorf("%s: %d ns and %d blocks take %v (%v); expected %v", c.text, c.nanoseconds, c.blocks, got, err, c.want)
		}
	}
	for _, text := range []string{"", "fast", "measured:", "measured:-1", "measured:1e7", "none:2", "0", "-4e8", "1e16", "NaN"} {
		if _, err := ParseCompute(text); err == nil {
			t.Errorf("%q is no computation, and was read", text)
		}
	}
}

// Looks at the clock take time, and are rare in programs that only wait.
func TestLooksAtTheClock(t *testing.T) {
	var c clock
	if d := c.time(numberOfLook + 1); d != 0 {
		t.Errorf("another call takes %v; expected none", d)
	}
	var waited units.Time
	n := 0
	for ; waited < 2*units.Second && n < 3e5; n++ {
		waited += c.time(numberOfLook)
	}
	if waited < 2*units.Second {
		t.Errorf("%d looks wait for %v; expected 2 s", n, waited)
	}
	c.time(numberOfLook + 1)
	if d := c.time(numberOfLook); d != look {
		t.Errorf("a look after another call takes %v; expected %v", d, look)
	}
}
