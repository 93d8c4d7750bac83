package hosttest_test

import (
	"fmt"
	"slices"
	"testing"

	"musubi/internal/check"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// onOneHost builds a cluster of a machine whose ranks share a host.
func onOneHost(t *testing.T, name string, ranks int, set ...string) *host.Cluster {
	t.Helper()
	cfg := hosttest.NewCluster(t, name, "mesh:2x1", 1, set...).Config
	cfg.Hosts = make([]int, ranks)
	c, err := host.New(cfg)
	check.Must(t, err)
	return c
}

// Ranks that outnumber the processors take turns: together they have all of them, and no
// processor runs two.
func TestRanksTakeTurns(t *testing.T) {
	const quantum, work = 10 * units.Microsecond, 95 * units.Microsecond
	for cores := 1; cores <= 5; cores++ {
		for ranks := 1; ranks <= 7; ranks++ {
			ends := make([]units.Time, ranks)
			c := onOneHost(t, "ndr", ranks, "host.cores", fmt.Sprint(cores), "host.quantum", quantum.String())
			hosttest.Run(t, c, func(p rma.Process) error {
				p.Compute(work)
				ends[p.Rank()] = p.Now()
				return nil
			})
			for core := range min(cores, ranks) {
				var turns []units.Time
				for r := core; r < ranks; r += cores {
					turns = append(turns, ends[r])
				}
				// Nine whole quanta each, and then the first one has half of one.
				n := units.Time(len(turns))
				for i, end := range turns {
					want := n*90*units.Microsecond + units.Time(i)*quantum + 5*units.Microsecond
					if n == 1 {
						want = work
					}
					if end != want {
						t.Errorf("%d ranks on %d cores: rank %d of core %d has worked at %v; expected %v", ranks, cores, i, core, end, want)
					}
				}
			}
		}
	}
}

// More ranks than processors are refused where they do not take turns.
func TestMoreRanksThanProcessors(t *testing.T) {
	cfg := hosttest.NewCluster(t, "ndr", "mesh:2x1", 1, "host.cores", "3").Config
	cfg.Hosts = make([]int, 4)
	_, err := host.New(cfg)
	check.Error(t, err, "4 ranks are placed on host 0; a host of machine ndr runs 3")
}

// Copies of many ranks share what the memory of their host gives; those of few are as fast as one.
func TestCopiesShareTheMemory(t *testing.T) {
	const bytes = 1 << 20
	for _, test := range []struct{ ranks, slower int }{{1, 1}, {2, 1}, {4, 2}, {8, 4}} {
		var last units.Time
		c := onOneHost(t, "ndr", test.ranks, "host.copy", "10GB/s", "host.memory", "20GB/s")
		hosttest.Run(t, c, func(p rma.Process) error {
			segment := p.Expose(make([]byte, bytes))
			err := p.Load(segment, 0, rma.Layout{}, make([]byte, bytes), rma.Cached)
			last = max(last, p.Now())
			return err
		})
		want := c.Machine.Host.Copy.Transfer(bytes) * units.Time(test.slower)
		if late := last - want; late < 0 || late > want/50 {
			t.Errorf("%d ranks have copied %d bytes each after %v; expected %v", test.ranks, bytes, last, want)
		}
	}
}

// A message that finds no room in a ring waits, and what its sender pushes behind it; what others
// send goes past it.
func TestFullRingInSharedMemory(t *testing.T) {
	const messages, size = 40, 1000
	c := onOneHost(t, "ndr", 3)
	hosttest.Run(t, c, func(p rma.Process) error {
		word := make([]byte, 1)
		segment := p.Expose(word)
		if err := p.Rings(rma.RingForEach(8<<10, rma.PerMessage)); err != nil {
			return err
		}
		if p.Rank() == 2 {
			p.Compute(50 * units.Microsecond)
			return hosttest.Send(p, 0, []byte{2})
		}
		if p.Rank() == 1 {
			for i := range messages {
				if _, err := p.IPush(0, slices.Repeat([]byte{byte(100 + i)}, size), rma.DMA); err != nil {
					return err
				}
			}
			op, err := p.Push(rma.Address{Segment: segment}, []byte{1}, rma.DMA)
			if err != nil {
				return err
			}
			return p.Wait(op)
		}
		p.Compute(100 * units.Microsecond)
		if word[0] != 0 {
			t.Error("a push has overtaken messages that wait for room")
		}
		var got []byte
		for range messages + 1 {
			data, err := hosttest.Receive(p)
			if err != nil {
				return err
			}
			got = append(got, data[0])
		}
		other := slices.Index(got, 2)
		if other < 0 || other > 10 || word[0] != 1 {
			t.Errorf("the message of another rank is arrival %d, and the word %d; expected one of the first and 1", other, word[0])
		}
		if got = slices.Delete(got, other, other+1); !slices.IsSorted(got) {
			t.Errorf("messages arrive as %v", got)
		}
		return nil
	})
	if use := c.Report().Rings; use.Stalls == 0 {
		t.Error("no message has waited")
	}
}
