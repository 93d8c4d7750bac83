package memory

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"musubi/internal/check"
	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// intrudes tries again and again to write to rank 0, where it may not, and counts in its own memory.
func intrudes(p rma.Process, box int, mine []byte, rng *rand.Rand) error {
	for i := uint64(1); ; i++ {
		p.Compute(units.Time(30+rng.IntN(60)) * units.Microsecond) // else reports take all of the victim's processor
		binary.LittleEndian.PutUint64(mine, i)
		op, err := p.Push(rma.Address{Segment: box}, []byte{1}, rma.DMA)
		if err != nil {
			return err
		}
		if rng.IntN(2) == 0 && p.Wait(op) == nil {
			return errors.New("a forged write succeeded")
		}
	}
}

// A rank that is stopped goes no further, wherever it has gone meanwhile: what it counts in its
// memory does not change any more, and others can read that, and go on.
func TestStoppedProcessesGoNoFurther(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 0))
		us := func(n int) string { return (units.Time(n) * units.Microsecond).String() }
		moves, first := "none", rng.IntN(150)
		if rng.IntN(2) == 0 {
			moves = "1@" + us(first) + ":5,0@" + us(first+rng.IntN(80)) + ":3"
		}
		set := []string{"os.migrate", "5us", "conditions.errors", []string{"0", "1e-4"}[rng.IntN(2)], "conditions.absent", []string{"0", "0.5"}[rng.IntN(2)]}
		if rng.IntN(2) == 0 {
			set = append(set, "conditions.scheduled", "0.5", "conditions.quantum", "50us")
		}
		c := moving(t, moves, set...)
		hosttest.Run(t, c, func(p rma.Process) error {
			memory := make([]byte, 8)
			box, count := p.Expose(memory), p.Expose(make([]byte, 8))
			guard := p.(rma.Guarded)
			switch p.Rank() {
			case 1:
				guard.NameAccess(0)
				return intrudes(p, box, memory, rng)
			case 2:
				for range 20 { // who has the right to is not in the way of that
					op, err := p.Push(rma.Address{Segment: count}, []byte{1}, rma.DMA)
					if err := errors.Join(err, p.Wait(op)); err != nil {
						return err
					}
				}
				return nil
			}
			if err := p.WaitUntil(func() bool { return len(guard.Violations()) > 0 }); err != nil {
				return err
			}
			op, err := guard.Stop(1)
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
			var counts [2][8]byte
			for i := range counts {
				op, err := p.Pull(rma.Address{Rank: 1, Segment: box}, counts[i][:])
				if err := errors.Join(err, p.Wait(op)); err != nil {
					return err
				}
				p.Compute(200 * units.Microsecond)
			}
			if counts[0] != counts[1] || counts[0] == [8]byte{} || memory[0] != 0 {
				t.Errorf("seed %d: a stopped process counted %v and later %v, and memory has %d; want the same, and 0", seed, counts[0], counts[1], memory[0])
			}
			return nil
		})
		if !c.Ranks[1].Done || !modelOf(c).residents.processes[1].stopped {
			t.Errorf("seed %d: rank 1 was not stopped", seed)
		}
	}
}

// Only who was told of a violation may have its author stopped. One that has returned may be, too.
func TestStopWants(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 2)
	hosttest.Run(t, c, func(p rma.Process) error {
		segment := p.Expose(make([]byte, 8))
		guard := p.(rma.Guarded)
		for _, rank := range []int{-1, 0, 1, 2, 7} {
			if _, err := guard.Stop(rank); err == nil {
				t.Errorf("rank %d has rank %d stopped, of which nobody has told it", p.Rank(), rank)
			} else {
				check.Error(t, err, "expected a rank that has been reported to it")
			}
		}
		if p.Rank() == 1 {
			guard.NameAccess(0)
			_, err := p.Push(rma.Address{Segment: segment}, []byte{1}, rma.DMA)
			return err
		}
		if p.Rank() > 1 {
			return nil
		}
		if err := p.WaitUntil(func() bool { return len(guard.Violations()) > 0 }); err != nil {
			return err
		}
		p.Compute(units.Millisecond)
		for range 2 {
			op, err := guard.Stop(1)
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
		}
		return nil
	})
}
