package live

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"musubi/rma"
	"musubi/rma/rmatest"
)

// variant is a way in which a job inside this process is run.
type variant struct {
	sleeps, noDirect bool
	ringBytes        int
}

var variants = map[string]variant{
	"spinning":       {ringBytes: 64 << 10},
	"sleeping":       {ringBytes: 64 << 10, sleeps: true},
	"without copies": {ringBytes: 64 << 10, noDirect: true},
	"small rings":    {ringBytes: 1 << 10, noDirect: true, sleeps: true},
}

// inProcess runs a program in a job whose ranks are goroutines, so that the race
// detector sees all of them.
func inProcess(v variant, ranks int, program func(rma.Process) error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(ranks + 1)) // a rank that yields keeps its thread
	memory := make([]uint64, regionBytes(ranks, v.ringBytes)/8)
	job := format(unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 8*len(memory)), ranks, v.ringBytes)
	job.header.sleeps, job.header.noDirect = 0, 0
	if v.sleeps {
		job.header.sleeps = 1
	}
	if v.noDirect {
		job.header.noDirect = 1
	}
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			_, err := job.run(rank, func(p rma.Process) ([]byte, error) { return nil, program(p) })
			if err != nil {
				errs[rank] = fmt.Errorf("rank %d: %w", rank, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func TestContractInOneProcess(t *testing.T) {
	for name, v := range variants {
		t.Run(name, func(t *testing.T) {
			rmatest.Test(t, rmatest.World{Packet: Packet, BOTF: MaxBOTF, Run: func(ranks int, program func(rma.Process) error) error {
				return inProcess(v, ranks, program)
			}})
		})
	}
}
