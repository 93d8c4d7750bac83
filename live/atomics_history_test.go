package live

import (
	"testing"

	"golang.org/x/sys/unix"

	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/units"
)

// hostClock reads the clock that all processes of this host have in common.
func hostClock(rma.Process) units.Time {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err) // cannot be: there is such a clock
	}
	return units.Time(now.Nano()) * units.Nanosecond
}

// inWindows exposes what is short, such as words, as windows.
type inWindows struct{ *rank }

func (p inWindows) Expose(memory []byte) int {
	const short = 64
	if len(memory) > short {
		return p.rank.Expose(memory)
	}
	number, _, err := p.ExposeWindow(len(memory))
	if err != nil {
		panic(err) // cannot be: its length is not negative
	}
	return number
}

// historiesInWindows lets ranks change words in windows, and looks for an order of that.
func historiesInWindows(p rma.Process) error {
	w := rmatest.World{Clock: hostClock}
	return w.Linearizable(inWindows{p.(*rank)})
}

// Some ranks change words of a window by themselves, and others by the owner. The contract
// has the same for other memory.
func TestHistoriesOfWindowsAreLinearizable(t *testing.T) {
	onWorlds(t, 4, historiesInWindows)
}

func TestHistoriesBetweenProcessesAreLinearizable(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			if _, output, err := start(t.Context(), way.of(4), "histories"); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}
