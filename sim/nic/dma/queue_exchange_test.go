package dma

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"musubi/rma"
	"musubi/routing"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/topology/generate"
	"musubi/units"
)

// newTofu builds a Tofu2 whose ranks run on hosts that are listed.
func newTofu(t testing.TB, spec string, hosts []int, set ...string) *host.Cluster {
	t.Helper()
	m, err := machine.Load("tofu2")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(set); i += 2 {
		if err := m.Set(set[i], set[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	cfg := host.Config{Machine: m, Seed: 1, Hosts: hosts}
	if cfg.Net, err = generate.Network(spec, 1); err != nil {
		t.Fatal(err)
	}
	alg, err := routing.Lookup("tofu")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Routes, err = alg.Build(cfg.Net, routing.Options{}); err != nil {
		t.Fatal(err)
	}
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cycle lists adjacent nodes of a ring.
func cycle(n int) (spec string, hosts []int) {
	for h := range n {
		hosts = append(hosts, h)
	}
	return fmt.Sprintf("tofu:%dx1x1x1x1x1", n), hosts
}

// adjacent is one side of an exchange by FAST: what this process keeps for one of its two
// neighbours.
type adjacent struct {
	rank  int
	q     rma.Queue
	out   []byte
	in    []byte // segment 0 or 1
	sync  []byte // segment 2 or 3: the round whose data has come
	round []byte // what EOD writes
}

// exchange is the persistent exchange of a process with the two beside it in a cycle, by
// FAST (Hatanaka et al., 2016): a queue for each, which holds RTR, SD and EOD per round.
type exchange struct {
	p    rma.Commander
	at   [2]adjacent
	done uint64
}

func newExchange(p rma.Commander, bytes int) (*exchange, error) {
	x := &exchange{p: p}
	for i := range x.at {
		n := &x.at[i]
		n.rank = (p.Rank() + 2*i - 1 + p.Size()) % p.Size()
		n.out, n.in, n.sync, n.round = make([]byte, bytes), make([]byte, bytes), make([]byte, 8), make([]byte, 8)
		p.Expose(n.in)
	}
	for i := range x.at {
		p.Expose(x.at[i].sync)
	}
	for i := range x.at {
		var err error
		if x.at[i].q, err = p.OpenQueue(rma.QueueConfig{Session: true, Lead: 1, Engine: rma.Any}); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// start posts a round: to the neighbour on the one side, whose queue and memory for this
// process are those of its other side.
func (x *exchange) start() error {
	x.done++
	for i := range x.at {
		n, other := &x.at[i], 1-i
		for k := range n.out {
			n.out[k] = byte(int(x.done) + x.p.Rank() + k + i)
		}
		binary.LittleEndian.PutUint64(n.round, x.done)
		taker := rma.QueueAddress{Rank: n.rank, Queue: x.at[other].q.Number()}
		err := n.q.Post(
			rma.Command{Put: true, TargetQueue: taker, Advance: 3},
			rma.Command{Put: true, TargetQueue: taker, To: rma.Address{Rank: n.rank, Segment: other}, Data: n.out},
			rma.Command{Put: true, TargetQueue: taker, To: rma.Address{Rank: n.rank, Segment: 2 + other}, Data: n.round},
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// wait ends a round.
func (x *exchange) wait() error {
	for i := range x.at {
		n := &x.at[i]
		for k := 0; k < 3; {
			done, err := n.q.Completion()
			if err != nil {
				return err
			}
			if done {
				k++
			} else if err := x.p.WaitUntil(n.q.HasEvent); err != nil {
				return err
			}
		}
		if err := x.p.WaitUntil(func() bool { return binary.LittleEndian.Uint64(n.sync) == x.done }); err != nil {
			return err
		}
		for k := range n.in {
			if want := byte(int(x.done) + n.rank + k + 1 - i); n.in[k] != want {
				return fmt.Errorf("byte %d from rank %d in round %d is %d, want %d", k, n.rank, x.done, n.in[k], want)
			}
		}
	}
	return nil
}

// exchangeTime is how long a round takes, on average.
func exchangeTime(t testing.TB, ranks, bytes int) units.Time {
	t.Helper()
	const rounds = 20
	spec, hosts := cycle(ranks)
	var begin, end units.Time
	err := newTofu(t, spec, hosts).Run(func(p rma.Process) error {
		x, err := newExchange(p.(rma.Commander), bytes)
		for round := 0; err == nil && round < 1+rounds; round++ {
			if p.Rank() == 0 && round == 1 {
				begin = p.Now()
			}
			if err = x.start(); err == nil {
				err = x.wait()
			}
		}
		if p.Rank() == 0 {
			end = p.Now()
		}
		if err != nil {
			return err
		}
		// The RTRs of a next round are released already, but there is none.
		for i := range x.at {
			if err := x.at[i].q.Close(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return (end - begin) / rounds
}

// The machine is calibrated on these, and on an exchange in package mpi.

func TestTofu2SmallPut(t *testing.T) {
	spec, hosts := cycle(4)
	var took units.Time
	err := newTofu(t, spec, hosts[:2]).Run(func(p rma.Process) error {
		inbox := make([]byte, 8)
		p.Expose(inbox)
		if p.Rank() == 1 {
			err := p.WaitUntil(func() bool { return inbox[7] == 1 })
			took = p.Now() - took
			return err
		}
		q, err := p.(rma.Commander).OpenQueue(rma.QueueConfig{Engine: rma.Any})
		if err != nil {
			return err
		}
		took = p.Now()
		to := rma.Address{Rank: 1}
		return q.Post(rma.Command{Put: true, To: to, Data: []byte{7: 1}, TargetQueue: rma.QueueAddress{Rank: 1}})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", took)
	within(t, "a small put to an adjacent node", took, 710*units.Nanosecond, 0.01)
}

func TestTofu2Stream(t *testing.T) {
	const puts, bytes = 50, 64 << 10
	spec, hosts := cycle(4)
	var took units.Time
	err := newTofu(t, spec, hosts[:2]).Run(func(p rma.Process) error {
		p.Expose(make([]byte, bytes))
		if p.Rank() == 1 {
			return nil
		}
		q, err := p.(rma.Commander).OpenQueue(rma.QueueConfig{Engine: rma.Any})
		data := make([]byte, bytes)
		for i := 0; err == nil && i < puts; i++ {
			err = q.Post(rma.Command{Put: true, To: rma.Address{Rank: 1}, Data: data, TargetQueue: rma.QueueAddress{Rank: 1}})
		}
		for done := 0; err == nil && done < puts; {
			var one bool
			if one, err = q.Completion(); one {
				done++
				took = p.Now()
			} else if err == nil {
				err = p.WaitUntil(q.HasEvent)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rate := float64(puts*bytes) / took.Seconds() / 1e9
	t.Logf("%.2f GB/s", rate)
	if math.Abs(rate-10) > 0.5 {
		t.Errorf("a stream of puts of %d bytes carries %.2f GB/s, want about 10", bytes, rate)
	}
}

// An exchange by hand: the data is right in every round, and of long messages it takes as
// long as the engines need for the data, or a link that both neighbours are behind.
func TestFast(t *testing.T) {
	for ranks, want := range map[int]float64{2: 12.5 * 60 / 62 / 2, 3: 10, 8: 10} {
		short, long := exchangeTime(t, ranks, 16<<10), exchangeTime(t, ranks, 64<<10)
		if rate := float64(48<<10) / (long - short).Seconds() / 1e9; math.Abs(rate-want) > 0.05*want {
			t.Errorf("%d ranks: 48 KiB more take %v, %.2f GB/s; want %.2f", ranks, long-short, rate, want)
		}
	}
}

func within(t *testing.T, what string, got, want units.Time, part float64) {
	t.Helper()
	if off := float64(got-want) / float64(want); off < -part || off > part {
		t.Errorf("%s takes %v, want %v to %g %%", what, got, want, 100*part)
	}
}
