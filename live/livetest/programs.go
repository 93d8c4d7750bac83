package livetest

import (
	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/units"

	"golang.org/x/sys/unix"
)

// HostClock reads the clock that all processes of this host have in common.
func HostClock(rma.Process) units.Time {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err) // cannot be: there is such a clock
	}
	return units.Time(now.Nano()) * units.Nanosecond
}

func WaitAll(p rma.Process, list []rma.Op) error {
	for _, op := range list {
		if err := p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

// inWindows exposes what is short, such as words, as windows.
type inWindows struct{ changer }

// changer is a process that changes words.
type changer interface {
	rma.Atomics
	rma.Accumulator
}

func (p inWindows) Expose(memory []byte) int {
	const short = 64
	if len(memory) > short {
		return p.changer.Expose(memory)
	}
	number, _, err := p.ExposeWindow(len(memory))
	if err != nil {
		panic(err) // cannot be: its length is not negative
	}
	return number
}

// HistoriesInWindows lets ranks change words in windows, and looks for an order of that.
func HistoriesInWindows(p rma.Process) error {
	w := rmatest.World{Clock: HostClock}
	return w.Linearizable(inWindows{p.(changer)})
}
