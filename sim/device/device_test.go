package device

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/units"
)

// newCluster builds a cluster of a built-in machine with changed parameters, one
// rank on every host.
func newCluster(t testing.TB, name, spec string, hosts int, set ...string) *Cluster {
	t.Helper()
	m, err := machine.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(set); i += 2 {
		if err := m.Set(set[i], set[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	cfg := Config{Machine: m, Seed: 1}
	if m.Network.Model == "loggp" {
		cfg.Hosts = make([]int, hosts)
	} else {
		cfg.Net, err = topology.Generate(spec, hosts)
		if err != nil {
			t.Fatal(err)
		}
		alg, err := routing.Lookup("dl")
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Routes, err = alg.Build(cfg.Net, routing.Options{VCs: 1}); err != nil {
			t.Fatal(err)
		}
		for e := range cfg.Net.Hosts() {
			cfg.Hosts = append(cfg.Hosts, e)
		}
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pushPing measures a Push of n bytes from rank 0 to another rank, until it is
// complete and until the target has noticed.
func pushPing(t *testing.T, c *Cluster, to, n int, by rma.Mechanism) (complete, noticed units.Time) {
	t.Helper()
	err := c.Run(func(p rma.Process) error {
		memory := make([]byte, n)
		segment := p.Expose(memory)
		switch p.Rank() {
		case 0:
			data := bytes.Repeat([]byte{7}, n)
			op, err := p.Push(rma.Address{Rank: to, Segment: segment}, data, by)
			if err != nil {
				return err
			}
			err = p.Wait(op)
			complete = p.Now()
			return err
		case to:
			err := p.WaitUntil(func() bool { return memory[n-1] == 7 })
			noticed = p.Now()
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return complete, noticed
}

// TestPushIsTheSumOfItsStages compares with the list of stages in the package
// documentation.
func TestPushIsTheSumOfItsStages(t *testing.T) {
	for _, to := range []int{1, 4, 63} { // 1, 2 and 7 switches on the path
		for _, n := range []int{1, 8, 100, 1792} {
			c := newCluster(t, "rhinet2", "mesh:4x4", 4)
			m := c.m
			switches := units.Time(1)
			if path, _ := c.routes.Path(0, to); path != nil {
				switches += units.Time(len(path))
			}
			path := 2*m.Link.HostCable + (switches-1)*m.Link.Cable + switches*m.Switch.Latency
			serial := func(flits int) units.Time { return m.Link.Rate.Transfer(units.Bytes(flits) * m.Link.Flit) }
			bus := m.Bus.Setup + m.Bus.Rate.Transfer(units.Bytes(n))
			sent := m.Host.Post + m.NIC.Start + bus
			written := sent + path + m.NIC.Receive + max(bus, serial(m.PacketFlits(units.Bytes(n))))
			replied := written + m.NIC.Reply + path + serial(m.Packet.Reply) + m.NIC.Complete
			complete, noticed := pushPing(t, c, to, n, rma.DMA)
			if want := replied + m.Host.Poll; complete != want {
				t.Errorf("%d bytes to rank %d complete after %v, want %v", n, to, complete, want)
			}
			if want := written + m.Host.Poll; noticed != want {
				t.Errorf("%d bytes to rank %d noticed after %v, want %v", n, to, noticed, want)
			}
		}
	}
}

func TestLogGPClosedForm(t *testing.T) {
	for _, n := range []int{1, 8, 4096} {
		c := newCluster(t, "loggp", "", 2)
		l := c.m.LogGP
		_, noticed := pushPing(t, c, 1, n, rma.DMA)
		want := l.O + c.model.(*logGP).perByte(n) + l.L + l.O
		if noticed != want {
			t.Errorf("%d bytes noticed after %v, want o + (n-1)G + L + o = %v", n, noticed, want)
		}
	}
}

// TestLogGPServesMessagesInTurn lets all ranks push to one at once. Its interface
// takes one message after the other, in the order of arrival, at the cost of at
// most two events for each.
func TestLogGPServesMessagesInTurn(t *testing.T) {
	const ranks = 500
	c := newCluster(t, "loggp", "", ranks)
	var last units.Time
	err := c.Run(func(p rma.Process) error {
		inbox := make([]byte, ranks)
		segment := p.Expose(inbox)
		if p.Rank() > 0 {
			_, err := p.Push(rma.Address{Segment: segment, Offset: p.Rank()}, []byte{1}, rma.DMA)
			return err
		}
		arrived := 0
		err := p.WaitUntil(func() bool {
			for ; arrived+1 < ranks && inbox[arrived+1] == 1; arrived++ {
			}
			if i := bytes.LastIndexByte(inbox, 1); i > arrived {
				t.Errorf("the message of rank %d is written before that of rank %d", i, arrived+1)
			}
			return arrived == ranks-1
		})
		last = p.Now()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	l := c.m.LogGP
	if want := l.O + l.L + (ranks-2)*l.G + l.O; last != want {
		t.Errorf("the last of %d messages is noticed after %v, want o + L + (messages-1)g + o = %v", ranks-1, last, want)
	}
	if most := int64(8 * ranks); c.q.Handled() > most {
		t.Errorf("%d events; want at most %d", c.q.Handled(), most)
	}
}

// TestBytesReallyMove runs random pushes and pulls of random sizes between
// random ranks on every machine and compares the memories with a plain copy.
func TestBytesReallyMove(t *testing.T) {
	const size, slot = 1 << 16, 8192
	for _, name := range machine.Names() {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, name, "torus:3x3", 2)
			ranks := min(len(c.ranks), 6)
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
		c := newCluster(t, "rhinet2", "mesh:2x1", 1, "nic.in_flight", inFlight)
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
		c := newCluster(t, "rhinet2", "mesh:2x1", 1)
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
	c := newCluster(t, "rhinet2", "mesh:2x1", 1)
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
	c := newCluster(t, "loggp", "", 100)
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
func deadlockProne(t *testing.T) *Cluster {
	t.Helper()
	c := newCluster(t, "iqrouter", "torus:4x4", 1, "switch.engine", "packet", "switch.buffer", "256B")
	minimal, err := routing.Lookup("minimal")
	if err != nil {
		t.Fatal(err)
	}
	c.cfg.Routes, err = minimal.Build(c.cfg.Net, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = New(c.cfg); err != nil {
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
	for name, run := range map[string]func(c *Cluster) error{
		"open-loop traffic": func(c *Cluster) error {
			_, err := c.RunTraffic(Traffic{Destination: uniform, Flits: 16, Load: 0.9, Warmup: 0, Measure: 100 * units.Microsecond})
			return err
		},
		"a program that waits": func(c *Cluster) error {
			return c.Run(func(p rma.Process) error {
				for _, op := range pushMany(p) {
					if err := p.Wait(op); err != nil {
						return err
					}
				}
				return nil
			})
		},
		"a program that does not wait": func(c *Cluster) error {
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
			if c.net.To(h.Channel).Switch != c.net.From(next.Channel).Switch {
				t.Errorf("%s: cycle %v does not join at %d", name, deadlock.Cycle, i)
			}
		}
	}
}

// BenchmarkWaitingRanks reports what a rank that waits costs.
func BenchmarkWaitingRanks(b *testing.B) {
	const ranks = 65536
	for b.Loop() {
		c := newCluster(b, "loggp", "", ranks)
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
