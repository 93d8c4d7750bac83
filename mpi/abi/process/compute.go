package process

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"musubi/mpi/abi"
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

// clock is the looks of a program at it, by MPI_Wtime. They take time, as programs wait by the clock.
type clock struct{ inARow int }

// A look takes as long as a processor needs to read its clock. A program that has looked many times without
// another call waits for a time, and looks rarely from then on.
const look = 25 * units.Nanosecond

var rareLooks = []struct {
	after int
	takes units.Time
}{{10000, 10 * units.Microsecond}, {1000, units.Microsecond}}

var numberOfLook = abi.Number("MPI_Wtime")

// time returns how long a call takes by its number, if it is a look at the clock.
func (c *clock) time(number int) units.Time {
	if number != numberOfLook {
		c.inARow = 0
		return 0
	}
	c.inARow++
	for _, rare := range rareLooks {
		if c.inARow > rare.after {
			return rare.takes
		}
	}
	return look
}

// time returns the simulated time of so many nanoseconds of processor time, in which so many basic
// blocks have run.
func (c Compute) time(nanoseconds, blocks int64) units.Time {
	if c.Rate > 0 {
		return units.Time(float64(blocks) / c.Rate * float64(units.Second))
	}
	return units.Time(float64(nanoseconds) * c.Factor * float64(units.Nanosecond))
}
