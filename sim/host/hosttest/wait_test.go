package hosttest_test

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

// A process that waits for nothing but a time goes on then, or at the first look that its processor takes afterwards, and one
// for which something comes earlier goes on earlier. Alarms that are over disturb nobody.
func TestAlarmsEndWaiting(t *testing.T) {
	for _, machine := range []string{"ndr", "tofu2", "dimmnet2", "rhinet2", "ssscore"} {
		const late = units.Millisecond
		poll := hosttest.NewRanks(t, machine, 2).Machine.Host.Poll
		hosttest.Run(t, hosttest.NewRanks(t, machine, 2), func(p rma.Process) error {
			alarm, never := p.(rma.Alarm), func() bool { return false }
			if p.Rank() == 1 {
				p.Compute(late)
				return hosttest.Send(p, 0, []byte{1})
			}
			for _, end := range []units.Time{late / 4, late / 2, late / 8} { // the last one is over
				if err := alarm.AwaitBefore(end, never); err != nil {
					return err
				}
				if now := p.Now(); now < end || end > late/8 && now > end+2*poll+units.Microsecond {
					t.Errorf("%s: it goes on at %v; expected %v", machine, now, end)
				}
			}
			if err := alarm.AwaitBefore(100*late, never); err != nil {
				return err
			}
			if now := p.Now(); now < late || now > 2*late {
				t.Errorf("%s: it goes on at %v; expected soon after %v, when the message comes", machine, now, late)
			}
			_, err := hosttest.Receive(p)
			return err
		})
	}
}
