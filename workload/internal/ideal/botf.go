package ideal

import (
	"fmt"
	"slices"
	"unsafe"

	"musubi/rma"
	"musubi/units"
)

// botfWindows is how a rank sends by BOTF: the processor writes a message to the
// next of its windows, which is free again when the message has been sent.
type botfWindows struct {
	used   int          // windows that are used in turn; 0: all
	free   []units.Time // when each is free
	turn   int
	sendAt units.Time // when the interface can send the next message
	lines  []uintptr  // of memory that have been written, the last at the end
}

func (r *Member) Windows(n int) error {
	if n < 0 || n > r.w.Windows || r.w.Windows == 0 {
		return fmt.Errorf("%d windows; there are %d", n, r.w.Windows)
	}
	r.windows.used = n
	return nil
}

// send keeps the processor busy until n bytes out of data are in the hands of the
// interface, and returns when they are at their target: not before what was sent
// there earlier.
func (r *Member) send(to int, data []byte, n int, by rma.Mechanism) units.Time {
	if r.isExposed(data) == (by == rma.BOTF) {
		r.w.Misplaced += n
	}
	sent := r.w.now + units.Time(n)*r.w.PerByte
	if by == rma.BOTF {
		sent = r.write(data, n)
	}
	arrival := max(sent+r.w.Latency, r.arrivals[to])
	r.arrivals[to] = arrival
	return arrival
}

// write lets the processor write n bytes out of data for BOTF, and returns when they
// have been sent.
func (r *Member) write(data []byte, n int) units.Time {
	sending := units.Time(n) * r.w.PerByte
	if r.w.Windows == 0 {
		r.writes(data, n)
		return r.w.now + sending
	}
	window := r.nextWindow()
	if *window > r.w.now {
		r.Compute(*window - r.w.now)
	}
	r.writes(data, n)
	b := &r.windows
	b.sendAt = max(b.sendAt, r.w.now) + sending
	*window = b.sendAt
	return b.sendAt
}

func (r *Member) nextWindow() *units.Time {
	b := &r.windows
	if b.free == nil {
		b.free = make([]units.Time, r.w.Windows)
	}
	n := b.used
	if n == 0 {
		n = r.w.Windows
	}
	b.turn++
	return &b.free[b.turn%n]
}

// writes keeps the processor busy with writing n bytes out of data.
func (r *Member) writes(data []byte, n int) {
	cost := units.Time(n) * r.w.Write
	if !r.windows.has(data, r.w.Cache) {
		cost *= 2
	}
	if cost > 0 {
		r.Compute(cost)
	}
}

// has tells whether data is in a cache of some size, and brings it there. What the
// processor has not written before the program has just made, so it is there.
func (b *botfWindows) has(data []byte, size int) bool {
	if size == 0 {
		return true
	}
	const line = 64
	hit := true
	first := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	for at := first / line; at*line < first+uintptr(len(data)); at++ {
		if i := slices.Index(b.lines, at); i >= 0 {
			hit = hit && i >= len(b.lines)-size/line
			b.lines = slices.Delete(b.lines, i, i+1)
		}
		b.lines = append(b.lines, at)
	}
	return hit
}
