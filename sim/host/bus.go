package host

import (
	"musubi/sim/machine"
	"musubi/units"
)

// Bus is the way between a host's memory and its network interface. A burst has
// it to itself; on a half-duplex bus reads and writes exclude each other. The chipset between bus
// and memory delays a burst, and does not keep others from the bus.
type Bus struct {
	setup   units.Time
	rate    units.Rate // 0: infinite
	burst   int        // bytes of the largest burst; 0: no limit
	latency units.Time // of the chipset
	free    [2]units.Time
	half    bool
	// Tell is told when a burst has the bus, to write to memory or to read from it; nil: nobody is.
	Tell func(write bool, from, to units.Time)
}

func NewBus(m *machine.Bus) Bus {
	return Bus{setup: m.Setup, rate: m.Rate, burst: int(m.Burst), latency: m.Latency, half: m.Duplex == "half"}
}

// Read reserves the bus for n bytes from memory, not before at. They lie there in
// so many pieces, each of which is a burst, or more if it is too long for one. It returns when the first data has
// arrived and when the last has.
func (b *Bus) Read(at units.Time, n, pieces int) (first, last units.Time) {
	first, last = b.reserve(0, at, n, pieces)
	return first + b.ReadLatency(n), last + b.ReadLatency(n)
}

// ReadLatency returns how long data from memory is behind the bus: the request passes the chipset,
// and the data does.
func (b *Bus) ReadLatency(n int) units.Time {
	if n == 0 {
		return 0
	}
	return 2 * b.latency
}

// Write reserves the bus for n bytes to memory. It returns when the first and the last are there.
func (b *Bus) Write(at units.Time, n, pieces int) (first, last units.Time) {
	first, last = b.reserve(1, at, n, pieces)
	if n > 0 {
		first, last = first+b.latency, last+b.latency
	}
	return first, last
}

func (b *Bus) reserve(direction int, at units.Time, n, pieces int) (first, last units.Time) {
	if n == 0 {
		return at, at
	}
	write := direction == 1
	if b.half {
		direction = 0
	}
	at = max(at, b.free[direction])
	last = at + b.Takes(n, pieces)
	b.free[direction] = last
	if b.Tell != nil {
		b.Tell(write, at, last)
	}
	return at + b.setup, last
}

// Takes returns for how long n bytes in so many pieces occupy the bus.
func (b *Bus) Takes(n, pieces int) units.Time {
	time := units.Time(b.Bursts(n, pieces)) * b.setup
	if b.rate > 0 {
		time += b.rate.Transfer(units.Bytes(n))
	}
	return time
}

// Bursts returns in how many bursts the bus carries n bytes in so many pieces of about
// the same length.
func (b *Bus) Bursts(n, pieces int) int {
	if b.burst == 0 {
		return pieces
	}
	each := (n + pieces - 1) / pieces
	return pieces * ((each + b.burst - 1) / b.burst)
}
