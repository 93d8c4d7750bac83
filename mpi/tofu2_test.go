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

// lateReceiver returns when rank 1 has what rank 0 has sent by a paired send: rank 0 starts it and
// computes until 100 us, and rank 1 starts to receive at 20 us.
func lateReceiver(t *testing.T, protocol mpi.Protocol) (at units.Time) {
	t.Helper()
	s := musubi.Scenario{Machine: "tofu2", Topology: "tofu:2x1x1x1x1x1"}
	_, err := musubi.Run(context.Background(), s, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) (err error) {
			data, o := make([]byte, 1000), mpi.ExchangeOptions{Protocol: protocol}
			var x *mpi.Persistent
			if c.Rank() == 0 {
				x, err = mpi.SendInit(c, 1, 3, data, o)
			} else {
				x, err = mpi.ReceiveInit(c, 0, 3, data, o)
			}
			for round := 0; err == nil && round < 2; round++ { // the first one connects the ranks
				if err = mpi.Barrier(c); err != nil {
					return err
				}
				begin := p.Now()
				if c.Rank() == 1 {
					p.Compute(20 * units.Microsecond)
				}
				if err = x.Start(); err != nil {
					return err
				}
				if c.Rank() == 0 {
					p.Compute(100 * units.Microsecond)
				}
				_, err = x.Wait()
				if c.Rank() == 1 {
					at = p.Now() - begin
				}
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// On command queues the receiver releases the data itself; the processor of the sender goes on with
// its computation. Without them the receiver waits for the end of that.
func TestPairedSendsNeedNoProcessor(t *testing.T) {
	if at := lateReceiver(t, mpi.FAST); at > 23*units.Microsecond {
		t.Errorf("with command queues the data is there after %v; expected soon after the receiver starts at 20 us", at)
	}
	if at := lateReceiver(t, mpi.PRDMA); at < 100*units.Microsecond {
		t.Errorf("without command queues the data is there after %v; expected after the sender's computation of 100 us", at)
	}
}

// Machine tofu2 is calibrated on this exchange: about 5 us according to Hatanaka and
// others (2016).
func TestTofu2Exchange(t *testing.T) {
	got := ringExchange(t, 16<<10, mpi.FAST)
	if low, high := 4900*units.Nanosecond, 5100*units.Nanosecond; got < low || got > high {
		t.Errorf("16 KiB with two neighbours take %v, want %v to %v: 2 %% around 5 us", got, low, high)
	}
}
