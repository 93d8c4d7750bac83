package dma

import (
	"encoding/binary"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// atomicTimes lets each of some ranks add to a word of rank 0 some times, and returns when
// each was done.
func atomicTimes(t *testing.T, name string, ranks, times int, set ...string) []units.Time {
	t.Helper()
	word, ends := make([]byte, 8), make([]units.Time, ranks)
	err := hosttest.NewCluster(t, name, "mesh:2x2", 2, set...).Run(func(p rma.Process) error {
		p.Expose(word)
		if p.Rank() >= ranks {
			return nil
		}
		for range times {
			op, err := p.(rma.Atomics).FetchOp(rma.Address{}, rma.Sum, 1, nil)
			if err == nil {
				err = p.Wait(op)
			}
			if err != nil {
				return err
			}
		}
		ends[p.Rank()] = p.Now()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := binary.NativeEndian.Uint64(word); got != uint64(ranks*times) {
		t.Errorf("%d additions make %d", ranks*times, got)
	}
	return ends
}

func TestChangeOfAWordIsTheSumOfItsStages(t *testing.T) {
	for _, name := range []string{"ndr", "tofu2"} {
		m := hosttest.NewCluster(t, name, "mesh:2x2", 2).Machine
		own := m.Host.Post + sectionOf(m).Queue.Command + m.NIC.Start + sectionOf(m).Atomic.Time + m.NIC.Complete + m.Host.Poll
		if got := atomicTimes(t, name, 1, 3)[0]; got != 3*own {
			t.Errorf("%s: three changes of an own word take %v; expected %v", name, got, 3*own)
		}
		fast, slow := atomicTimes(t, name, 2, 1, "atomic.time", "1us"), atomicTimes(t, name, 2, 1, "atomic.time", "5us")
		for r := range fast {
			if got := slow[r] - fast[r]; r == 0 && got != 4*units.Microsecond || r == 1 && got != 8*units.Microsecond {
				t.Errorf("%s: with 4 us more for a change, rank %d takes %v more; expected 4 us, and as much for the one before", name, r, got)
			}
		}
	}
}

// However many ranks and engines there are, a node makes one change after the other.
func TestChangesOfWordsTakeTurns(t *testing.T) {
	const times = 20
	for _, name := range []string{"ndr", "tofu2"} {
		m := hosttest.NewCluster(t, name, "mesh:2x2", 2).Machine
		ends := atomicTimes(t, name, 8, times, "atomic.time", "3us")
		last, least := units.Time(0), 8*times*3*units.Microsecond
		for _, end := range ends {
			last = max(last, end)
		}
		if last < least || last > least+20*units.Microsecond {
			t.Errorf("%s: %d changes are made after %v; expected %v and a round trip", m.Name, 8*times, last, least)
		}
	}
}
