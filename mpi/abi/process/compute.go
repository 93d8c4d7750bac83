package process

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"musubi/units"
)

// Compute is how long the computation between two calls takes in simulated time. The zero value: no
// time.
type Compute struct {
	Factor float64 // times the processor time that the process has spent
	Rate   float64 // basic blocks per second; 0: they are not counted
}

// ErrNotCounted is returned if computation is to take time by what a program counts, and it counts
// nothing.
var ErrNotCounted = errors.New("the program does not count its basic blocks; expected one compiled with musubi cc -fsanitize-coverage=trace-pc")

// ParseCompute reads none, measured, measured:FACTOR, or a rate in basic blocks per second.
func ParseCompute(text string) (Compute, error) {
	kind, factor, hasFactor := strings.Cut(text, ":")
	switch {
	case text == "none":
		return Compute{}, nil
	case kind == "measured" && !hasFactor:
		return Compute{Factor: 1}, nil
	case kind == "measured":
		if f, err := strconv.ParseFloat(factor, 64); err == nil && f >= 0 && f <= 1e6 {
			return Compute{Factor: f}, nil
		}
	default:
		if r, err := strconv.ParseFloat(text, 64); err == nil && r >= 1 && r <= 1e15 {
			return Compute{Rate: r}, nil
		}
	}
	return Compute{}, fmt.Errorf("computation %q; expected none, measured, measured:FACTOR with a factor of 0 to 1e6, or a rate of 1 to 1e15 basic blocks per second", text)
}

// time returns the simulated time of so many nanoseconds of processor time, in which so many basic
// blocks have run.
func (c Compute) time(nanoseconds, blocks int64) units.Time {
	if c.Rate > 0 {
		return units.Time(float64(blocks) / c.Rate * float64(units.Second))
	}
	return units.Time(float64(nanoseconds) * c.Factor * float64(units.Nanosecond))
}
