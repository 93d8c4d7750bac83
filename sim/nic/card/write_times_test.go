package card

import (
	"testing"

	"musubi/units"
)

// A time between two points lies on the straight line between them, also where that falls.
func TestWriteTimesLieOnLines(t *testing.T) {
	var w WriteTimes
	if err := w.UnmarshalText([]byte("24B 201ns, 152B 330ns,160B 330ns, 464B 409ns, 512B 400ns")); err != nil {
		t.Fatal(err)
	}
	for n := units.Bytes(0); n < 600; n++ {
		got := w.Of(n)
		low, high := w[0], w[len(w)-1]
		for _, p := range w {
			if p.Bytes <= n && p.Bytes >= low.Bytes {
				low = p
			}
			if p.Bytes >= n && p.Bytes <= high.Bytes {
				high = p
			}
		}
		if got < min(low.Takes, high.Takes) || got > max(low.Takes, high.Takes) {
			t.Errorf("%d bytes take %v; expected a time from %v to %v", n, got, low, high)
		}
		if n > low.Bytes && n+1 < high.Bytes {
			if bend := w.Of(n-1) + w.Of(n+1) - 2*got; bend < -2 || bend > 2 {
				t.Errorf("the line bends at %d bytes by %v, where there is no point", n, bend)
			}
		}
	}
}

func TestWriteTimesRefuse(t *testing.T) {
	for _, text := range []string{"", "24B", "201ns", "24B 201ns,", "24B 201ns, 24B 300ns", "64B 1ns, 24B 2ns", "24B -1ns", "4KiB 1us", "24B 201ns 5ns"} {
		var w WriteTimes
		if err := w.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, w)
		}
	}
}
