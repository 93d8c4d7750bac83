package rank

import (
	"fmt"
	"testing"

	"musubi/live/livetest"
	"musubi/rma"
)

// skipCountsWithRace skips a test that counts allocations: the race detector has nothing to find
// that other tests do not have.
func skipCountsWithRace(t *testing.T) {
	if livetest.Race {
		t.Skip("allocations are counted without the race detector")
	}
}

// What is done over and over allocates nothing, so that it does not wake the garbage
// collector.
func TestOperationsDoNotAllocate(t *testing.T) {
	skipCountsWithRace(t)
	for _, n := range []int{8, 4 << 10, directBytes} {
		err := inProcess(variants["spinning"], 1, func(p rma.Process) error {
			memory, data := make([]byte, n), make([]byte, n)
			segment := p.Expose(memory)
			to := rma.Address{Segment: segment}
			var failed error
			note := func(op rma.Op, err error) {
				if err == nil {
					err = p.Wait(op)
				}
				if err != nil {
					failed = err
				}
			}
			if got := testing.AllocsPerRun(100, func() { note(p.Push(to, data, rma.DMA)) }); got != 0 {
				t.Errorf("a push of %d bytes allocates %v times", n, got)
			}
			if got := testing.AllocsPerRun(100, func() { note(p.Pull(to, data)) }); got != 0 {
				t.Errorf("a pull of %d bytes allocates %v times", n, got)
			}
			return failed
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTransfersToWindowsDoNotAllocate(t *testing.T) {
	skipCountsWithRace(t)
	const n = 64
	err := inProcess(variants["windows"], 1, func(p rma.Process) error {
		segment, _, err := p.ExposeWindow(2 * n)
		if err != nil {
			return err
		}
		at, data := rma.Address{Segment: segment}, make([]byte, 2*n)
		odd := rma.Strided(1, 2, n)
		var failed error
		for name, start := range map[string]func() (rma.Op, error){
			"Push":       func() (rma.Op, error) { return p.Push(at, data, rma.DMA) },
			"Pull":       func() (rma.Op, error) { return p.Pull(at, data) },
			"PushLayout": func() (rma.Op, error) { return p.PushLayout(at, odd, data, odd, rma.DMA) },
			"PullLayout": func() (rma.Op, error) { return p.PullLayout(at, odd, data, odd) },
		} {
			got := testing.AllocsPerRun(100, func() {
				if op, err := start(); err != nil || p.Wait(op) != nil {
					failed = fmt.Errorf("%s fails: %v", name, err)
				}
			})
			if got != 0 {
				t.Errorf("%s allocates %v times", name, got)
			}
		}
		return failed
	})
	if err != nil {
		t.Fatal(err)
	}
}
