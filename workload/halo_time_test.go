package workload

import (
	"testing"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// interrupted is a process that has waited in each block of exchanges as it is told, and loses
// a second in one of them, in which it also waits as long.
type interrupted struct {
	rma.Process
	waits []units.Time // for an exchange of a block, in turns
	at    int          // the block that is interrupted; -1: none

	readings   int // of how long it has waited: one before each block, and one after
	lost, idle units.Time
}

func (p *interrupted) Now() units.Time { return p.Process.Now() + p.lost }

func (p *interrupted) Idle() units.Time {
	block, after := p.readings/2, p.readings%2 == 1
	p.readings++
	switch {
	case after && block == p.at:
		p.idle += units.Second
	case after:
		p.idle += haloBlock * p.waits[block%len(p.waits)]
	case block == p.at:
		p.lost += units.Second
	}
	return p.idle
}

// An interruption is no part of the time of exchanges, and what one rank waits for the work
// of the other is no part of what can be hidden.
func TestMediansOfHalo(t *testing.T) {
	const blocks = 5
	measured := func(at int, waits ...[]units.Time) (got haloTime) {
		world := ideal{latency: units.Microsecond, perByte: units.Nanosecond}
		err := world.run(len(waits), func(p rma.Process) error {
			return mpi.Run(&interrupted{Process: p, waits: waits[p.Rank()], at: at}, func(c *mpi.Comm) error {
				g, err := stencils["1d"].topology(c)
				if err != nil {
					return err
				}
				e, err := newHaloExchange(g, 1000, mpi.ExchangeOptions{}, true)
				if err != nil {
					return err
				}
				if err := e.repeat(1, 0); err != nil {
					return err
				}
				if got, err = e.medians(blocks*haloBlock, 0); err != nil {
					return err
				}
				return e.p.Free()
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	one := func(wait units.Time) []units.Time { return []units.Time{wait} }
	calm := measured(-1, one(300), one(300))
	if calm.longest <= 0 || calm.idle != 300 {
		t.Fatalf("exchanges of %v, waiting %v; expected some time, and 300ps", calm.longest, calm.idle)
	}
	for _, test := range []struct {
		name  string
		at    int
		waits [][]units.Time
		idle  units.Time
	}{
		{"an interruption", 2, [][]units.Time{one(300), one(300)}, 300},
		{"a slower rank", -1, [][]units.Time{one(700), one(20)}, 20},
		{"ranks that wait in turns", -1, [][]units.Time{{900, 0}, {0, 900}}, 0},
		{"three ranks", -1, [][]units.Time{one(700), one(100), one(400)}, 100},
		{"blocks of their own", -1, [][]units.Time{{1, 2, 3, 4, 5}, one(300)}, 3},
	} {
		got := measured(test.at, test.waits...)
		if len(test.waits) == 2 && got.longest != calm.longest {
			t.Errorf("%s: exchanges take %v; expected %v", test.name, got.longest, calm.longest)
		}
		if got.idle != test.idle {
			t.Errorf("%s: %v are waited; expected %v", test.name, got.idle, test.idle)
		}
	}
}
