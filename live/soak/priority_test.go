//go:build linux

package soak

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Priorities above that of all usual processes: a network carries on while others starve.
const (
	starvingPriority = 1
	carrierPriority  = 2
)

// eachThread does something to all threads of this process; those that they start later are
// like them.
func eachThread(do func(id int) error) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return err
		}
		if err := do(id); err != nil && err != unix.ESRCH { // it may have ended
			return err
		}
	}
	return nil
}

// prioritize gives this process a real-time priority.
func prioritize(priority uint32) error {
	attributes := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: priority}
	err := eachThread(func(id int) error { return unix.SchedSetAttr(id, &attributes, 0) })
	if err != nil {
		return fmt.Errorf("real-time priority: %w", err)
	}
	return nil
}

// confinedVariable tells a rank to keep to one processor.
const confinedVariable = "SOAK_CONFINED"

// confine lets this process have the first of its processors only.
func confine() error {
	var all, first unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	cpu := 0
	for !all.IsSet(cpu) {
		cpu++
	}
	first.Set(cpu)
	return eachThread(func(id int) error { return unix.SchedSetaffinity(id, &first) })
}
