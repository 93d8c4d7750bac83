package halo

import (
	"testing"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
	"musubi/workload/internal/ideal"
	"musubi/workload/internal/sample"
)

// uneven is a real process as a workload sees it: its clock goes on while it computes. It has
// waited in each block of exchanges as it is told, and loses a second in one of them, in
// which it also waits as long.
type uneven struct {
	rma.Process
	waits []units.Time // for an exchange of a block by itself, in turns
	at    int          // the block that is interrupted, of all in the order of time; -1: none

	readings   int // of how long it has waited: one before each block, and one after
	gone, idle units.Time
}

const tick = 100 * units.Nanosecond // between two looks at the clock

func (p *uneven) Now() units.Time {
	p.gone += tick
	return p.Process.Now() + p.gone
}

func (p *uneven) Idle() units.Time {
	block, after := p.readings/2, p.readings%2 == 1
	p.readings++
	switch {
	case after && block == p.at:
		p.idle += units.Second
	case after && block%2 == 0: // by itself, and not beside the computation
		p.idle += haloBlock * p.waits[block/2%len(p.waits)]
	case block == p.at:
		p.gone += units.Second
	}
	return p.idle
}

// An interruption is no part of the time of exchanges nor of what a computation saves, and
// what one rank waits for the work of the other is no part of what can be hidden.
func TestHaloTimesOfRealProcesses(t *testing.T) {
	const blocks = 5
	measured := func(at int, waits ...[]units.Time) (got haloTimes) {
		world := ideal.World{Latency: units.Microsecond, PerByte: units.Nanosecond}
		err := world.Run(len(waits), func(p rma.Process) error {
			return mpi.Run(&uneven{Process: p, waits: waits[p.Rank()], at: at}, func(c *mpi.Comm) error {
				g, err := stencils["1d"].topology(c)
				if err != nil {
					return err
				}
				e, err := newHaloExchange(g, 1000, mpi.ExchangeOptions{}, "collective", true)
				if err != nil {
					return err
				}
				if got, err = e.times(1, blocks*haloBlock, 0); err != nil {
					return err
				}
				return e.free()
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.saved) != blocks {
			t.Fatalf("%d blocks; expected %d", len(got.saved), blocks)
		}
		return got
	}
	one := func(wait units.Time) []units.Time { return []units.Time{wait} }
	calm := measured(-1, one(300), one(300))
	exchange, saved := sample.Median(calm.alone.longest), sample.Median(calm.saved)
	if exchange < units.Microsecond || calm.compute < exchange {
		t.Fatalf("exchanges of %v beside %v; expected more than the latency, and as long a computation", exchange, calm.compute)
	}
	// Messages of this world do not go on while a clock is looked at, so nothing is saved.
	if saved > tick || saved < -tick {
		t.Fatalf("%v are saved; expected nothing", saved)
	}
	for _, test := range []struct {
		name  string
		at    int
		waits [][]units.Time
		idle  units.Time
	}{
		{"an interruption", 4, [][]units.Time{one(300), one(300)}, 300},
		{"one beside the computation", 3, [][]units.Time{one(300), one(300)}, 300},
		{"the first block", 0, [][]units.Time{one(300), one(300)}, 300},
		{"a slower rank", -1, [][]units.Time{one(700), one(20)}, 20},
		{"ranks that wait in turns", -1, [][]units.Time{{900, 0}, {0, 900}}, 0},
		{"three ranks", -1, [][]units.Time{one(700), one(100), one(400)}, 100},
		{"blocks of their own", -1, [][]units.Time{{1, 2, 3, 4, 5}, one(300)}, 3},
	} {
		got := measured(test.at, test.waits...)
		if len(test.waits) == 2 {
			if sample.Median(got.alone.longest) != exchange || sample.Median(got.both.longest) != sample.Median(calm.both.longest) {
				t.Errorf("%s: exchanges take %v, and %v beside a computation; expected %v and %v", test.name,
					sample.Median(got.alone.longest), sample.Median(got.both.longest), exchange, sample.Median(calm.both.longest))
			}
			if sample.Median(got.saved) != saved {
				t.Errorf("%s: %v are saved; expected %v", test.name, sample.Median(got.saved), saved)
			}
		}
		if sample.Median(got.alone.idle) != test.idle {
			t.Errorf("%s: %v are waited; expected %v", test.name, sample.Median(got.alone.idle), test.idle)
		}
	}
}
