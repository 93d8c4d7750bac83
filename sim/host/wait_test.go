package host_test

import (
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// A Wait for an operation that has completed meanwhile takes one look, as its processor does not
// know that yet.
func TestWaitLooksAtWhatIsComplete(t *testing.T) {
	c := hosttest.NewCluster(t, "tofu2", "fullmesh:2", 1)
	look := c.Machine.Host.Poll
	err := c.Run(func(p rma.Process) error {
		p.Expose(make([]byte, 8))
		if p.Rank() > 0 {
			return nil
		}
		op, err := p.Push(rma.Address{Rank: 1}, []byte{1}, rma.DMA)
		if err != nil {
			return err
		}
		p.Compute(units.Millisecond)
		begin := p.Now()
		err = p.Wait(op)
		if took := p.Now() - begin; look == 0 || took != look {
			t.Errorf("it takes %v; want %v", took, look)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Operations that are over leave their numbers to others, so that long runs take no more memory.
func TestOperationsLeaveTheirNumbers(t *testing.T) {
	err := hosttest.NewCluster(t, "tofu2", "fullmesh:2", 1).Run(func(p rma.Process) error {
		p.Expose(make([]byte, 8))
		for n := range 10 {
			op, err := p.Push(rma.Address{Rank: 1 - p.Rank()}, []byte{1}, rma.DMA)
			if err != nil {
				return err
			}
			if number := uint32(op); number > 2 {
				t.Errorf("operation %d of a rank has number %d; want one of two", n, number)
			}
			if err := p.Wait(op); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// An operation wakes who waits for it, and nobody who has waited for an earlier one of its number.
func TestCompletionWakesOnlyWhoWaits(t *testing.T) {
	err := hosttest.NewCluster(t, "tofu2", "fullmesh:2", 1).Run(func(p rma.Process) error {
		p.Expose(make([]byte, 8))
		if p.Rank() > 0 {
			return nil
		}
		for range 2 {
			op, err := p.Push(rma.Address{Rank: 1}, []byte{1}, rma.DMA)
			if err != nil {
				return err
			}
			if p.Now() < units.Millisecond { // the first
				if err := p.Wait(op); err != nil {
					return err
				}
				p.Compute(units.Millisecond)
				continue
			}
			begin := p.Now()
			p.Compute(units.Millisecond)
			if took := p.Now() - begin; took != units.Millisecond {
				t.Errorf("a program computes for %v; want %v", took, units.Millisecond)
			}
			return p.Wait(op)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
