package mpi_test

import (
	"context"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// ringExchange returns how long a rank of a ring of 36 adjacent nodes of tofu2 takes to
// exchange messages with the ranks beside it, from Start to the end of Wait.
func ringExchange(t *testing.T, bytes int, protocol mpi.Protocol) units.Time {
	t.Helper()
	const ranks, before, rounds = 36, 5, 20
	var took units.Time
	s := musubi.Scenario{Machine: "tofu2", Topology: "tofu:3x1x1x2x3x2", Ranks: ranks, Place: "ring"}
	_, err := musubi.Run(context.Background(), s, func(p rma.Process) error {
		c, err := mpi.New(p)
		if err != nil {
			return err
		}
		ring, err := c.Cart([]int{ranks}, []bool{true}, false)
		if err != nil {
			return err
		}
		buffers := func() [][]byte { return [][]byte{make([]byte, bytes), make([]byte, bytes)} }
		x, err := mpi.NeighbourAllToAllInit(ring, buffers(), buffers(), mpi.ExchangeOptions{Protocol: protocol})
		var begin units.Time
		for i := 0; err == nil && i < before+rounds; i++ {
			if i == before {
				begin = p.Now()
			}
			if err = x.Start(); err == nil {
				_, err = x.Wait()
			}
		}
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			took = (p.Now() - begin) / rounds
		}
		return x.Free()
	})
	if err != nil {
		t.Fatal(err)
	}
	return took
}

// Machine tofu2 is calibrated on this exchange: about 5 us according to Hatanaka and
// others (2016).
func TestTofu2Exchange(t *testing.T) {
	got := ringExchange(t, 16<<10, mpi.FAST)
	if low, high := 4900*units.Nanosecond, 5100*units.Nanosecond; got < low || got > high {
		t.Errorf("16 KiB with two neighbours take %v, want %v to %v: 2 %% around 5 us", got, low, high)
	}
}
