package dma

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// inGroup runs a program on all ranks, as members of a group in the order of their ranks.
func inGroup(c *host.Cluster, program func(p rma.Collector, g rma.Group) error) error {
	parts := make([]uint64, len(c.Ranks))
	return c.Run(func(p rma.Process) error {
		collector := p.(rma.Collector)
		g := collector.NewGroup()
		parts[p.Rank()] = g.Part()
		p.Compute(units.Microsecond) // until all have told their parts
		ranks := make([]int, len(parts))
		for i := range ranks {
			ranks[i] = i
		}
		if err := g.Join(ranks, parts); err != nil {
			return err
		}
		return program(collector, g)
	})
}

// take waits for a result.
func take(p rma.Process, g rma.Group) (int64, error) {
	if err := p.WaitUntil(g.HasResult); err != nil {
		return 0, err
	}
	word, _, err := g.Result()
	return word, err
}

// A barrier is the sum of what its steps take at whoever is the last at each. Where ranks
// are no power of two, two packets may come over a link at the same time.
func TestBarrierIsTheSumOfItsSteps(t *testing.T) {
	for ranks := 1; ranks <= 16; ranks++ {
		spec, hosts := cycle(ranks)
		if ranks == 1 {
			spec = "tofu:2x1x1x1x1x1"
		}
		c := newTofu(t, spec, hosts)
		took := make([]units.Time, ranks)
		err := inGroup(c, func(p rma.Collector, g rma.Group) error {
			begin := p.Now()
			if err := g.Start(rma.NoOp, 0); err != nil {
				return err
			}
			_, err := take(p, g)
			took[p.Rank()] = p.Now() - begin
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		most := units.Time(0)
		if ranks&(ranks-1) != 0 {
			most = 2 * c.Machine.Link.Rate.Transfer(units.Bytes(c.Machine.Packet.Reply)*c.Machine.Link.Flit)
		}
		for rank, want := range stepsOf(c.Machine, ranks) {
			if got := took[rank]; got < want || got > want+most {
				t.Errorf("rank %d of %d takes %v; the steps take %v, and packets wait up to %v", rank, ranks, got, want, most)
			}
		}
	}
}

// stepsOf adds up the steps of a barrier of ranks on a ring, when all start at once.
func stepsOf(m *machine.Machine, ranks int) []units.Time {
	gate := sectionOf(m).Barrier.Gate
	way := func(a, b int) units.Time {
		hops := min((a-b+ranks)%ranks, (b-a+ranks)%ranks)
		wire := m.Link.Rate.Transfer(units.Bytes(m.Packet.Reply) * m.Link.Flit)
		return units.Time(hops+1)*m.Switch.Latency + units.Time(hops)*m.Link.Cable + wire
	}
	power := 1
	for power*2 <= ranks {
		power *= 2
	}
	// When a member has passed all gates so far.
	at := make([]units.Time, ranks)
	for i := range at {
		at[i] = m.Host.Post + gate
	}
	for i := power; i < ranks; i++ {
		at[i-power] = max(at[i-power], at[i]+way(i, i-power)) + gate
	}
	for d := 1; d < power; d *= 2 {
		before := slices.Clone(at)
		for i := range power {
			at[i] = max(before[i], before[i^d]+way(i, i^d)) + gate
		}
	}
	for i := power; i < ranks; i++ {
		at[i] = max(at[i], at[i-power]+way(i, i-power)) + gate
	}
	for i := range at {
		at[i] += m.NIC.Complete + 2*m.Host.Poll
	}
	return at
}

// The processor has nothing to do with it: the result is there when it looks.
func TestBarrierRunsWhileProcessorsCompute(t *testing.T) {
	spec, hosts := cycle(12)
	c := newTofu(t, spec, hosts)
	err := inGroup(c, func(p rma.Collector, g rma.Group) error {
		if err := g.Start(rma.Sum, int64(p.Rank())); err != nil {
			return err
		}
		p.Compute(10 * units.Microsecond)
		begin := p.Now()
		sum, ok, err := g.Result()
		if err != nil || !ok || sum != 66 || p.Now()-begin != c.Machine.Host.Poll {
			return fmt.Errorf("sum %d, there: %v, after %v, %v", sum, ok, p.Now()-begin, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Ranks of a node share its interface, and packets of groups share the network with puts.
func TestGroupsBesideOtherTraffic(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var hosts []int
		for len(hosts) < 8 {
			if h := rng.IntN(12); count(hosts, h) < 2 {
				hosts = append(hosts, h)
			}
		}
		c := newTofu(t, "tofu:1x1x1x2x3x2", hosts, "barrier.channels", "2")
		err := inGroup(c, func(p rma.Collector, g rma.Group) error {
			own := rand.New(rand.NewPCG(seed, uint64(p.Rank())))
			p.Expose(make([]byte, 1<<16))
			p.Compute(units.Microsecond)
			for i := range 20 {
				if err := g.Start(rma.Sum, int64(i+p.Rank())); err != nil {
					return err
				}
				op, err := p.Push(rma.Address{Rank: own.IntN(8)}, make([]byte, own.IntN(1<<16)), rma.DMA)
				if err != nil {
					return err
				}
				if sum, err := take(p, g); err != nil || sum != int64(8*i+28) {
					return fmt.Errorf("sum %d is %d, %v", i, sum, err)
				}
				if err := p.Wait(op); err != nil {
					return err
				}
			}
			g.Leave()
			return nil
		})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

func count(list []int, what int) (n int) {
	for _, x := range list {
		if x == what {
			n++
		}
	}
	return n
}

// A node has so many channels, for all of its ranks; one that is given back can be used
// again, by whoever comes.
func TestChannelsOfANode(t *testing.T) {
	c := newTofu(t, "tofu:2x1x1x1x1x1", []int{0, 0}, "barrier.channels", "3")
	err := c.Run(func(p rma.Process) error {
		collector := p.(rma.Collector)
		if p.Rank() == 1 {
			p.Compute(units.Microsecond)
			g := collector.NewGroup()
			if g == nil || g.Part() != 1 || collector.NewGroup() != nil {
				return fmt.Errorf("group %v of what the other rank gave back", g)
			}
			return nil
		}
		var list []rma.Group
		for g := collector.NewGroup(); g != nil; g = collector.NewGroup() {
			list = append(list, g)
		}
		if len(list) != 3 {
			return fmt.Errorf("%d groups of 3", len(list))
		}
		list[1].Leave()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A run that ends before an operation does names who has not started it.
func TestBarrierThatOneDoesNotStart(t *testing.T) {
	for _, waits := range []bool{true, false} {
		spec, hosts := cycle(6)
		err := inGroup(newTofu(t, spec, hosts), func(p rma.Collector, g rma.Group) error {
			for range 2 {
				if p.Rank() == 4 && g.(*membership).started == 1 {
					return nil
				}
				if err := g.Start(rma.Max, 1); err != nil {
					return err
				}
				if g.(*membership).started == 2 && !waits {
					return nil
				}
				if _, err := take(p, g); err != nil {
					return err
				}
			}
			return nil
		})
		for _, part := range []string{"the network interface of rank 0 does operation 2 (max) of a group of 6 ranks, which rank 4 has not started", "and 1 more"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("waits: %v: error %v; expected %q", waits, err, part)
			}
		}
	}
}
