package host

import (
	"testing"

	"musubi/units"
)

func TestBusIsReserved(t *testing.T) {
	const ns = units.Nanosecond
	for _, c := range []struct {
		name     string
		half     bool
		n        int // bytes of the write
		from, to units.Time
	}{
		{"a write waits for a read on a half-duplex bus", true, 80, 120 * ns, 200 * ns},
		{"a write does not wait on a full-duplex bus", false, 80, 20 * ns, 100 * ns},
		{"nothing is written at once", true, 0, 0, 0},
	} {
		b := Bus{setup: 20 * ns, rate: units.GBPerSecond, half: c.half}
		if from, to := b.Read(0, 80, 1); from != 20*ns || to != 100*ns {
			t.Errorf("80 bytes are read from %v to %v, want 20ns to 100ns", from, to)
		}
		if from, to := b.Write(0, c.n, 1); from != c.from || to != c.to {
			t.Errorf("%s: from %v to %v, want %v to %v", c.name, from, to, c.from, c.to)
		}
	}
}

// The chipset delays what crosses the bus, twice what is read, and occupies nothing.
func TestChipsetDoesNotOccupyTheBus(t *testing.T) {
	const ns = units.Nanosecond
	b := Bus{setup: 20 * ns, rate: units.GBPerSecond, latency: 300 * ns, half: true}
	for i := range units.Time(3) {
		if from, to := b.Read(0, 80, 1); from != (620+200*i)*ns || to != (700+200*i)*ns {
			t.Errorf("read %d: 80 bytes are there from %v to %v, want %v to %v", i, from, to, (620+200*i)*ns, (700+200*i)*ns)
		}
		if from, to := b.Write(0, 80, 1); from != (420+200*i)*ns || to != (500+200*i)*ns {
			t.Errorf("write %d: 80 bytes are there from %v to %v, want %v to %v", i, from, to, (420+200*i)*ns, (500+200*i)*ns)
		}
	}
	if from, to := b.Read(0, 0, 1); from != 0 || to != 0 {
		t.Errorf("nothing is read from %v to %v", from, to)
	}
}

// TestBusCarriesBursts counts what each burst costs beside its data.
func TestBusCarriesBursts(t *testing.T) {
	const ns = units.Nanosecond
	for _, c := range []struct {
		n, pieces int
		bursts    units.Time
	}{
		{1, 1, 1}, {32, 1, 1}, {33, 1, 2}, {4096, 1, 128}, {40, 4, 4}, {80, 2, 4},
	} {
		b := Bus{setup: 160 * ns, rate: 100 * units.MBPerSecond, burst: 32}
		if _, got := b.Read(0, c.n, c.pieces); got != c.bursts*160*ns+units.Time(c.n)*10*ns {
			t.Errorf("%d bytes in %d pieces take %v, want %d bursts", c.n, c.pieces, got, c.bursts)
		}
	}
}
