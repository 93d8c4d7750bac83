package mpi_test

import (
	"context"
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// counted is a process that counts how often it waits for operations, and looks at one.
type counted struct {
	rma.Process
	awaits, looks int
}

func (p *counted) Await(ops ...rma.Op) error {
	p.awaits++
	return p.Process.Await(ops...)
}

func (p *counted) Test(op rma.Op) (bool, error) {
	p.looks++
	return p.Process.Test(op)
}

// A flush looks once at each access that is done, and waits once for all of them.
func TestFlushOfWhatIsDone(t *testing.T) {
	for _, machine := range machines {
		system, err := job{machine: machine, ranks: 2}.system()
		if err != nil {
			t.Fatal(err)
		}
		_, err = system.Run(context.Background(), func(p rma.Process) error {
			own := &counted{Process: p}
			return mpi.Run(own, func(c *mpi.Comm) error {
				w, err := mpi.AllocateWindow[int32](c, 64)
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					if err := flushDone(own, w); err != nil {
						return err
					}
				}
				return w.Free()
			})
		})
		if err != nil {
			t.Errorf("%s: %v", machine, err)
		}
	}
}

func flushDone(p *counted, w *mpi.Window[int32]) error {
	if err := w.LockAll(); err != nil {
		return err
	}
	// The first access takes the lock.
	if err := firstError(w.Get(1, 0, make([]int32, 1)), w.Flush(1)); err != nil {
		return err
	}
	const puts = 20
	for i := range puts {
		if err := w.Put(1, i, []int32{1}); err != nil {
			return err
		}
	}
	p.Compute(units.Millisecond)
	p.awaits, p.looks = 0, 0
	if err := w.Flush(1); err != nil {
		return err
	}
	if p.awaits > 1 || p.looks > puts {
		return fmt.Errorf("a flush of %d puts that are done waits %d times and looks %d times; expected once, and once for each", puts, p.awaits, p.looks)
	}
	return w.UnlockAll()
}
