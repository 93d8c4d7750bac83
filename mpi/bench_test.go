package mpi_test

import (
	"context"
	"fmt"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// pingpong sends a message there and back some times, and returns the simulated time
// of one way, of rank 0.
func pingpong(c *mpi.Comm, bytes, times int) (units.Time, error) {
	data := make([]byte, bytes)
	partner := 1 - c.Rank()
	start := c.Process().Now()
	for range times {
		if c.Rank() == 0 {
			if err := mpi.Send(c, partner, 0, data); err != nil {
				return 0, err
			}
		}
		if _, err := mpi.Receive(c, partner, 0, data); err != nil {
			return 0, err
		}
		if c.Rank() == 1 {
			if err := mpi.Send(c, partner, 0, data); err != nil {
				return 0, err
			}
		}
	}
	return (c.Process().Now() - start) / units.Time(2*times), nil
}

// rawPingpong is pingpong on the contract: pushes into memory that the other side
// watches, which is the least that a message can cost, or messages to rings.
func rawPingpong(p rma.Process, bytes, times int, rings bool, by rma.Mechanism) (units.Time, error) {
	inbox, data := make([]byte, bytes), make([]byte, bytes)
	segment, partner := p.Expose(inbox), 1-p.Rank()
	p.Expose(data)
	receive := func(mark byte) error {
		if !rings {
			return p.WaitUntil(func() bool { return inbox[bytes-1] == mark })
		}
		for {
			a, err := p.Next()
			if err != nil {
				return err
			}
			if err := p.Take(a, inbox[:a.Bytes], rma.Cached); err != nil || a.Last {
				return err
			}
		}
	}
	send := func(mark byte) error {
		data[bytes-1] = mark
		var op rma.Op
		var err error
		if rings {
			op, err = p.IPush(partner, data, by)
		} else {
			op, err = p.Push(rma.Address{Rank: partner, Segment: segment}, data, by)
		}
		if err != nil {
			return err
		}
		return p.Wait(op)
	}
	start := p.Now()
	for i := range times {
		mark := byte(1 + i%200)
		if p.Rank() == 0 {
			if err := send(mark); err != nil {
				return 0, err
			}
		}
		if err := receive(mark); err != nil {
			return 0, err
		}
		if p.Rank() == 1 {
			if err := send(mark); err != nil {
				return 0, err
			}
		}
	}
	return (p.Now() - start) / units.Time(2*times), nil
}

// simulated runs a program on two ranks and returns the time that rank 0 gives.
func simulated(b testing.TB, machine string, program func(p rma.Process) (units.Time, error)) units.Time {
	b.Helper()
	s := musubi.Scenario{Machine: machine, Ranks: 2}
	if machine == "dimmnet2" {
		s.Topology = "fullmesh:2"
	}
	var t units.Time
	_, err := musubi.Run(context.Background(), s, func(p rma.Process) error {
		mine, err := program(p)
		if p.Rank() == 0 {
			t = mine
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// A short message takes what one on the bare contract takes that is as much longer as its
// envelope: nothing else is sent, and nothing waits. That is little longer than one of the same
// length, also where bytes are slow.
func TestShortMessagesTakeHardlyLongerThanOnTheContract(t *testing.T) {
	const bytes, envelope, times, most = 8, 8, 20, 1.06
	for _, machine := range machines {
		by := rma.BOTF
		if machine == "tofu2" || machine == "ssscore" { // which have none
			by = rma.DMA
		}
		contract := func(bytes int) units.Time {
			return simulated(t, machine, func(p rma.Process) (units.Time, error) { return rawPingpong(p, bytes, times, true, by) })
		}
		raw, longer := contract(bytes), contract(bytes+envelope)
		got := simulated(t, machine, func(p rma.Process) (units.Time, error) {
			c, err := mpi.New(p)
			if err != nil {
				return 0, err
			}
			return pingpong(c, bytes, times)
		})
		if ratio := got.Seconds() / raw.Seconds(); ratio > most {
			t.Errorf("%s: %v, and %v on the contract: %.2f times; expected at most %v", machine, got, raw, ratio, most)
		}
		if got > longer+longer/100 { // hosts poll, and by chance a poll later
			t.Errorf("%s: %v, and %v on the contract with the bytes of the envelope; expected no more", machine, got, longer)
		}
	}
}

// What a message costs on each machine: of pushes and messages on the bare contract,
// and of this package, eagerly and by rendezvous.
func BenchmarkLatency(b *testing.B) {
	const times = 20
	for _, machine := range machines {
		for _, bytes := range []int{8, 1024, 8 << 10, 64 << 10} {
			b.Run(fmt.Sprintf("%s/%d", machine, bytes), func(b *testing.B) {
				raw := func(rings bool) units.Time {
					return simulated(b, machine, func(p rma.Process) (units.Time, error) { return rawPingpong(p, bytes, times, rings, rma.DMA) })
				}
				message := func(o mpi.Options) units.Time {
					return simulated(b, machine, func(p rma.Process) (units.Time, error) {
						c, err := mpi.New(p, o)
						if err != nil {
							return 0, err
						}
						return pingpong(c, bytes, times)
					})
				}
				for b.Loop() {
					b.ReportMetric(raw(false).Microseconds(), "us-push")
					b.ReportMetric(raw(true).Microseconds(), "us-ipush")
					b.ReportMetric(message(mpi.Options{Eager: bytes, RingBytes: 256 << 10}).Microseconds(), "us-eager")
					b.ReportMetric(message(mpi.Options{Eager: -1}).Microseconds(), "us-rendezvous")
				}
			})
		}
	}
}

// What a message of a stream costs the processor that simulates it; the window is of
// receives that are posted at once.
func BenchmarkStream(b *testing.B) {
	const window = 64
	for _, bytes := range []int{8, 1024, 64 << 10} {
		b.Run(fmt.Sprint(bytes), func(b *testing.B) {
			b.ReportAllocs()
			err := job{machine: "loggp", ranks: 2}.run(func(c *mpi.Comm) error {
				data := make([]byte, bytes)
				requests := make([]*mpi.Request, window)
				for range (b.N + window - 1) / window {
					for i := range requests {
						var err error
						if c.Rank() == 0 {
							requests[i], err = mpi.ISend(c, 1, 0, data)
						} else {
							requests[i], err = mpi.IReceive(c, 0, 0, data)
						}
						if err != nil {
							return err
						}
					}
					if err := mpi.WaitAll(requests...); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/message")
		})
	}
}

// What it costs to receive from one of many ranks whose messages nobody has asked for
// yet, with a lane for each sender and with one for all.
func BenchmarkUnexpected(b *testing.B) {
	const ranks, each = 16, 50
	for _, rings := range []string{"private", "shared"} {
		b.Run(rings, func(b *testing.B) {
			j := job{machine: "loggp", ranks: ranks, options: mpi.Options{Rings: rings}}
			for b.Loop() {
				err := j.run(func(c *mpi.Comm) error { return sendFirst(c, each) })
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*ranks*ranks*each), "ns/message")
		})
	}
}

// sendFirst sends messages to all ranks before it receives any, the last ones first.
func sendFirst(c *mpi.Comm, each int) error {
	data := make([]byte, 8)
	for tag := range each {
		for to := range c.Size() {
			if err := mpi.Send(c, to, tag, data); err != nil {
				return err
			}
		}
	}
	for from := range c.Size() {
		for tag := each - 1; tag >= 0; tag-- {
			if _, err := mpi.Receive(c, from, tag, data); err != nil {
				return err
			}
		}
	}
	return nil
}
