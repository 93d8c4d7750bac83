package loggops

import (
	"errors"

	"musubi/units"
)

var errTooLong = errors.New("the schedule takes more than 50 days; expected sizes of calc in nanoseconds")

// latest is the end of time, with room for what is added to it.
const latest = units.Time(1) << 62

// later returns the time n units after another.
func (e *engine) later(at, unit units.Time, n uint64) units.Time {
	if unit > 0 && n > uint64(latest/unit) || at > latest {
		e.failure = errTooLong
		return latest
	}
	return at + unit*units.Time(n)
}

// onWire returns (s-1)G. A message of 0 bytes has -G, as in LogGOPSim, whose numbers wrap around.
func (e *engine) onWire(size uint64) units.Time {
	switch {
	case size == 0:
		return -e.perByte(1)
	case size-1 > uint64(latest>>20):
		e.failure = errTooLong
		return 0
	}
	return e.perByte(size - 1)
}

func (e *engine) perByte(n uint64) units.Time {
	if e.PerByte == 0 {
		return 0
	}
	return e.PerByte.Transfer(units.Bytes(n))
}

// onProcessor returns (s-1)O, which is -O for s = 0.
func (e *engine) onProcessor(size uint64) units.Time {
	return e.later(0, e.BytePerProcessor, size) - e.BytePerProcessor
}
