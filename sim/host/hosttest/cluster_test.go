package hosttest_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/rma"
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
	"musubi/units"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// TestPushIsTheSumOfItsStages compares with the list of stages in the package
// documentation.
func TestPushIsTheSumOfItsStages(t *testing.T) {
	for _, to := range []int{1, 4, 63} { // 1, 2 and 7 switches on the path
		for _, n := range []int{1, 8, 100, 1792} {
			c := hosttest.NewCluster(t, "rhinet2", "mesh:4x4", 4)
			m := c.Machine
			switches := units.Time(1)
			if path, _ := c.Routes.Path(0, to); path != nil {
				switches += units.Time(len(path))
			}
			path := 2*m.Link.HostCable + (switches-1)*m.Link.Cable + switches*m.Switch.Latency
			serial := func(flits int) units.Time { return m.Link.Rate.Transfer(units.Bytes(flits) * m.Link.Flit) }
			bus := m.Bus.Setup + m.Bus.Rate.Transfer(units.Bytes(n))
			sent := m.Host.Post + m.NIC.Start + bus
			written := sent + path + m.NIC.Receive + max(bus, serial(m.PacketFlits(units.Bytes(n))))
			replied := written + m.NIC.Reply + path + serial(m.Packet.Reply) + m.NIC.Complete
			complete, noticed := hosttest.PushPing(t, c, to, n, rma.DMA)
			if want := replied + m.Host.Poll; complete != want {
				t.Errorf("%d bytes to rank %d complete after %v, want %v", n, to, complete, want)
			}
			if want := written + m.Host.Poll; noticed != want {
				t.Errorf("%d bytes to rank %d noticed after %v, want %v", n, to, noticed, want)
			}
		}
	}
}

// TestBytesReallyMove runs random pushes and pulls of random sizes between
// random ranks on every machine and compares the memories with a plain copy.
func TestBytesReallyMove(t *testing.T) {
	const size, slot = 1 << 16, 8192
	for _, name := range machine.Names() {
		t.Run(name, func(t *testing.T) {
			c := hosttest.NewCluster(t, name, "torus:3x3", 2)
			ranks := min(len(c.Ranks), 6)
			image := make([][]byte, ranks) // what each rank offers for reading
			inbox := make([][]byte, ranks) // where others write, a slot for each
			for r := range ranks {
				rng := rand.New(rand.NewPCG(3, uint64(r)))
				image[r], inbox[r] = make([]byte, size), make([]byte, ranks*slot)
				for i := range image[r] {
					image[r][i] = byte(rng.Uint32())
				}
			}
			err := c.Run(func(p rma.Process) error {
				me := p.Rank()
				if me >= ranks {
					return nil
				}
				offers, box := p.Expose(image[me]), p.Expose(inbox[me])
				p.Compute(units.Microsecond) // until all have exposed theirs
				rng := rand.New(rand.NewPCG(4, uint64(me)))
				for range 20 {
					other, n := rng.IntN(ranks), rng.IntN(slot)
					from := rng.IntN(size - n)
					into := make([]byte, n)
					pull, err := p.Pull(rma.Address{Rank: other, Segment: offers, Offset: from}, into)
					if err != nil {
						return err
					}
					push, err := p.Push(rma.Address{Rank: other, Segment: box, Offset: me * slot}, image[me][from:from+n], rma.DMA)
					if err := errors.Join(err, p.Wait(push), p.Wait(pull)); err != nil {
						return err
					}
					if !bytes.Equal(into, image[other][from:from+n]) {
						t.Errorf("rank %d pulled wrong data from rank %d", me, other)
					}
					if !bytes.Equal(inbox[other][me*slot:][:n], image[me][from:from+n]) {
						t.Errorf("rank %d pushed wrong data to rank %d", me, other)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestOnlyAsManyTransfersInFlightAsAllowed(t *testing.T) {
	elapsed := func(inFlight string) units.Time {
		c := hosttest.NewCluster(t, "rhinet2", "mesh:2x1", 1, "nic.in_flight", inFlight)
		var end units.Time
		err := c.Run(func(p rma.Process) error {
			memory := make([]byte, 8)
			segment := p.Expose(memory)
			if p.Rank() != 0 {
				return nil
			}
			var ops []rma.Op
			for range 10 {
				op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, memory, rma.DMA)
				if err != nil {
					return err
				}
				ops = append(ops, op)
			}
			for _, op := range ops {
				if err := p.Wait(op); err != nil {
					return err
				}
			}
			end = p.Now()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return end
	}
	if one, four := elapsed("1"), elapsed("4"); one < 3*four {
		t.Errorf("10 transfers take %v one at a time and %v by fours; want about a quarter", one, four)
	}
}

func TestWrongUseIsAnError(t *testing.T) {
	cases := map[string]func(p rma.Process) error{
		"rank 99": func(p rma.Process) error {
			_, err := p.Push(rma.Address{Rank: 99}, nil, rma.DMA)
			return err
		},
		"not exposed": func(p rma.Process) error {
			op, err := p.Push(rma.Address{Rank: 1, Segment: 5}, []byte{1}, rma.DMA)
			return errors.Join(err, p.Wait(op))
		},
		"outside the segment's 4 bytes": func(p rma.Process) error {
			segment := p.Expose(make([]byte, 4))
			op, err := p.Pull(rma.Address{Rank: p.Rank(), Segment: segment, Offset: 2}, make([]byte, 3))
			return errors.Join(err, p.Wait(op))
		},
		"waited for once": func(p rma.Process) error {
			segment := p.Expose(make([]byte, 4))
			op, err := p.Push(rma.Address{Rank: p.Rank(), Segment: segment}, []byte{1}, rma.DMA)
			return errors.Join(err, p.Wait(op), p.Wait(op))
		},
		"by botf": func(p rma.Process) error {
			_, err := p.Push(rma.Address{Rank: 1}, make([]byte, 1<<20), rma.BOTF)
			return err
		},
		"Push by mechanism 7; expected dma or botf": func(p rma.Process) error {
			_, err := p.Push(rma.Address{Rank: 1}, nil, rma.Mechanism(7))
			return err
		},
		"boom": func(rma.Process) error { panic("boom") },
	}
	for want, program := range cases {
		c := hosttest.NewCluster(t, "rhinet2", "mesh:2x1", 1)
		err := c.Run(func(p rma.Process) error {
			if p.Rank() == 1 {
				return nil
			}
			return program(p)
		})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "rank 0: ") {
			t.Errorf("got error %v; want one of rank 0 that says %q", err, want)
		}
	}
}

func TestRanksThatWaitForEverAreNamed(t *testing.T) {
	c := hosttest.NewCluster(t, "rhinet2", "mesh:2x1", 1)
	err := c.Run(func(p rma.Process) error {
		if p.Rank() == 0 {
			return nil
		}
		return p.WaitUntil(func() bool { return false })
	})
	if err == nil || !strings.Contains(err.Error(), "rank 1 in WaitUntil") {
		t.Errorf("got error %v; want one that names rank 1", err)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	c := hosttest.NewCluster(t, "loggp", "", 100)
	err := c.Run(func(p rma.Process) error {
		if p.Rank() == 50 {
			return errors.New("enough")
		}
		return p.WaitUntil(func() bool { return false })
	})
	if err == nil || err.Error() != "rank 50: enough" {
		t.Errorf("got error %v", err)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// deadlockProne builds a cluster with a cyclic routing, one virtual channel and
// buffers of two packets.
func deadlockProne(t *testing.T) *host.Cluster {
	t.Helper()
	c := hosttest.NewCluster(t, "iqrouter", "torus:4x4", 1, "switch.engine", "packet", "switch.buffer", "256B")
	minimal, err := routing.Lookup("minimal")
	if err != nil {
		t.Fatal(err)
	}
	c.Config.Routes, err = minimal.Build(c.Config.Net, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = host.New(c.Config); err != nil {
		t.Fatal(err)
	}
	return c
}

// uniform draws any destination but the source.
func uniform(src, n int, draw func(int) int) int { return (src + 1 + draw(n-1)) % n }

// pushMany starts pushes to random ranks.
func pushMany(p rma.Process) (ops []rma.Op) {
	segment := p.Expose(make([]byte, 128))
	rng := rand.New(rand.NewPCG(5, uint64(p.Rank())))
	for range 3000 {
		op, _ := p.Push(rma.Address{Rank: uniform(p.Rank(), p.Size(), rng.IntN), Segment: segment}, make([]byte, 128), rma.DMA)
		ops = append(ops, op)
	}
	return ops
}

func TestDeadlockIsFound(t *testing.T) {
	for name, run := range map[string]func(c *host.Cluster) error{
		"open-loop traffic": func(c *host.Cluster) error {
			_, err := c.RunTraffic(host.Traffic{Destination: uniform, Flits: 16, Load: 0.9, Warmup: 0, Measure: 100 * units.Microsecond})
			return err
		},
		"a program that waits": func(c *host.Cluster) error {
			return c.Run(func(p rma.Process) error {
				for _, op := range pushMany(p) {
					if err := p.Wait(op); err != nil {
						return err
					}
				}
				return nil
			})
		},
		"a program that does not wait": func(c *host.Cluster) error {
			return c.Run(func(p rma.Process) error {
				pushMany(p)
				return nil
			})
		},
	} {
		c := deadlockProne(t)
		err := run(c)
		var deadlock *fabric.Deadlock
		if !errors.As(err, &deadlock) || len(deadlock.Cycle) < 3 {
			t.Fatalf("%s: got error %v; want a deadlock with its cycle", name, err)
		}
		for i, h := range deadlock.Cycle {
			next := deadlock.Cycle[(i+1)%len(deadlock.Cycle)]
			if c.Net.To(h.Channel).Switch != c.Net.From(next.Channel).Switch {
				t.Errorf("%s: cycle %v does not join at %d", name, deadlock.Cycle, i)
			}
		}
	}
}

// BenchmarkWaitingRanks reports what a rank that waits costs.
func BenchmarkWaitingRanks(b *testing.B) {
	const ranks = 65536
	for b.Loop() {
		c := hosttest.NewCluster(b, "loggp", "", ranks)
		var peak runtime.MemStats
		err := c.Run(func(p rma.Process) error {
			flag := make([]byte, 8)
			segment := p.Expose(flag)
			if p.Rank() < ranks-1 {
				if err := p.WaitUntil(func() bool { return flag[0] == 1 }); err != nil {
					return err
				}
			} else {
				runtime.ReadMemStats(&peak)
			}
			if p.Rank() == 0 {
				return nil
			}
			op, err := p.Push(rma.Address{Rank: p.Rank() - 1, Segment: segment}, []byte{1}, rma.DMA)
			return errors.Join(err, p.Wait(op))
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(peak.HeapInuse+peak.StackInuse)/ranks, "bytes/rank")
	}
}
