//go:build linux && (amd64 || arm64)

package shm

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// runsOn returns the processor that the calling thread has run on last.
func runsOn(t *testing.T) int {
	t.Helper()
	stat, err := os.ReadFile("/proc/thread-self/stat")
	if err != nil {
		t.Fatal(err)
	}
	const processor = 39 - 3 // fields are counted from 1, and two come before the name's end
	_, rest, _ := strings.Cut(string(stat), ") ")
	cpu, err := strconv.Atoi(strings.Fields(rest)[processor])
	if err != nil {
		t.Fatal(err)
	}
	return cpu
}

// A thread goes to the processor that it is told, counted round, and may use all as before.
func TestThreadsMove(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var may unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil {
		t.Fatal(err)
	}
	var all []int
	for cpu := range 1024 {
		if may.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	for index := range 2 * len(all) {
		want, there := all[index%len(all)], false
		for range 1000 { // the system may move it again at once
			MoveTo(index)
			if there = runsOn(t) == want; there {
				break
			}
		}
		if !there {
			t.Errorf("the thread does not run on processor %d", want)
		}
		var now unix.CPUSet
		if err := unix.SchedGetaffinity(0, &now); err != nil || now != may {
			t.Fatalf("the thread may use %v, %v; expected %v as before", now, err, may)
		}
	}
}

// A thread that is bound to a processor stays there.
func TestBoundThreadsStay(t *testing.T) {
	runtime.LockOSThread() // and ends with the test, as it is left bound
	var may, last unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil {
		t.Fatal(err)
	}
	for cpu := range 1024 {
		if may.IsSet(cpu) {
			last.Zero()
			last.Set(cpu)
		}
	}
	if err := unix.SchedSetaffinity(0, &last); err != nil {
		t.Fatal(err)
	}
	before := runsOn(t)
	MoveTo(0)
	if now := runsOn(t); now != before {
		t.Errorf("the thread runs on processor %d; expected %d, to which it is bound", now, before)
	}
}
