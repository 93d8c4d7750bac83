package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// Whatever happens first, and whatever protocols ranks choose, each round of exchanges
// brings the data of that round, memory changes between Start and Wait only, and the
// queues are given back. Some ranks have too few queues, or too short ones.
func TestExchangesInAnyOrderOfEvents(t *testing.T) {
	for seed := range uint64(runs(300)) {
		rng := rand.New(rand.NewPCG(seed, 0))
		w := &shuffled{rng: rng, engines: 1 + rng.IntN(3), perProcess: rng.IntN(8), entries: 3 + rng.IntN(40)}
		all := []mpi.ExchangeOptions{{}, {Protocol: mpi.PRDMA}, {Protocol: mpi.FAST}, {Protocol: mpi.MRC}, {Protocol: mpi.Shared, Queues: 2}, {Queues: 1}, {Protocol: mpi.Eager}}
		if err := w.exchange(seed, all, false); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// Agents serve the ranks of some hosts, beside ranks of others that choose for themselves, and with
// too few queues, or too short ones.
func TestExchangesByAgentsInAnyOrderOfEvents(t *testing.T) {
	agents := 0
	for seed := range uint64(runs(100)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		w := &shuffled{rng: rng, engines: 1 + rng.IntN(3), perProcess: rng.IntN(6), entries: 3 + rng.IntN(60), perHost: 1 + rng.IntN(4)}
		all := []mpi.ExchangeOptions{{}, {Protocol: mpi.PRDMA}, {Protocol: mpi.FAST}, {Protocol: mpi.MRC}, {Protocol: mpi.Eager}}
		if err := w.exchange(seed, all, false); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		agents += w.agents
	}
	if agents == 0 {
		t.Error("no rank had an agent")
	}
}

// Exchanges by agents need no call either, once all ranks have started.
func TestExchangesByAgentsNeedNoCall(t *testing.T) {
	for seed := range uint64(runs(100)) {
		rng := rand.New(rand.NewPCG(seed, 6))
		w := &shuffled{rng: rng, engines: 1 + rng.IntN(4), perProcess: 100, entries: 200, perHost: 1 + rng.IntN(4)}
		if err := w.exchange(seed, []mpi.ExchangeOptions{{Protocol: mpi.FAST}, {Protocol: mpi.MRC}}, true); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// With command queues an exchange that has been started is done without any call: after
// the first round, programs look at their memory only until all is there.
func TestExchangesOnQueuesNeedNoCall(t *testing.T) {
	for seed := range uint64(runs(300)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := &shuffled{rng: rng, engines: 1 + rng.IntN(4), perProcess: 100, entries: 100}
		offloaded := []mpi.ExchangeOptions{{Protocol: mpi.FAST}, {Protocol: mpi.MRC}, {Protocol: mpi.Shared, Queues: 2}}
		if err := w.exchange(seed, offloaded, true); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// runs is how many random programs are run: a third of n, three times n with -long, and a tenth with the
// race detector.
func runs(n int) int {
	switch {
	case *long:
		return scaled(3 * n)
	case underRace:
		return scaled(n)
	}
	return n / 3
}

// exchange runs a random program. If alone is set, ranks do not call anything until
// their data has come.
func (w *shuffled) exchange(seed uint64, options []mpi.ExchangeOptions, alone bool) error {
	alike := func() *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }
	n := 1 + alike().IntN(4)
	err := w.run(n, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			s := stencil{w: w, c: c, alike: alike(), own: rand.New(rand.NewPCG(seed, uint64(3+c.Rank()))), alone: alone}
			return s.run(options)
		})
	})
	if err != nil {
		return err
	}
	for _, r := range w.ranks {
		if free := r.FreeQueues(); free != w.perProcess {
			return fmt.Errorf("rank %d has %d free queues at the end; expected %d", r.number, free, w.perProcess)
		}
	}
	return nil
}

// stencil is a rank of a random program.
type stencil struct {
	w          *shuffled
	c          *mpi.Comm
	alike, own *rand.Rand // alike at all ranks, and of this one
	alone      bool
	edges      [][2]int // from, to
	lengths    []int
	list       []*halo
	round      int
}

// halo is an exchange along the edges of a stencil.
type halo struct {
	p       *mpi.Persistent
	in, out [][]uint32
}

func (s *stencil) run(options []mpi.ExchangeOptions) error {
	s.alike.IntN(4) // that chose the number of ranks
	for range s.alike.IntN(9) {
		s.edges = append(s.edges, [2]int{s.alike.IntN(s.c.Size()), s.alike.IntN(s.c.Size())})
		s.lengths = append(s.lengths, s.alike.IntN(4)*s.alike.IntN(4))
	}
	var sources, destinations []int
	for _, e := range s.edges {
		if e[1] == s.c.Rank() {
			sources = append(sources, e[0])
		}
		if e[0] == s.c.Rank() {
			destinations = append(destinations, e[1])
		}
	}
	graph, err := s.c.Graph(sources, destinations)
	if err != nil {
		return err
	}
	for range 1 + s.alike.IntN(3) {
		h := &halo{}
		for i, e := range s.edges {
			if e[1] == s.c.Rank() {
				h.out = append(h.out, make([]uint32, s.lengths[i]))
			}
			if e[0] == s.c.Rank() {
				h.in = append(h.in, make([]uint32, s.lengths[i]))
			}
		}
		if h.p, err = mpi.NeighbourAllToAllInit(graph, h.in, h.out, s.choose(options)); err != nil {
			return err
		}
		s.list = append(s.list, h)
	}
	for s.round = 1; s.round <= 5; s.round++ {
		if err := s.exchange(); err != nil {
			return fmt.Errorf("round %d: %w", s.round, err)
		}
	}
	return graph.Free()
}

// choose chooses the options of an exchange: an agent for all ranks of a host, or what this rank
// likes.
func (s *stencil) choose(options []mpi.ExchangeOptions) mpi.ExchangeOptions {
	if s.w.perHost > 0 {
		hosts, queues := s.alike.IntN(1<<4), s.alike.IntN(4)
		if hosts>>s.w.hostOf(s.c.Rank())&1 == 1 {
			return mpi.ExchangeOptions{Protocol: mpi.Agent, Queues: queues}
		}
	}
	return options[s.own.IntN(len(options))]
}

// fill returns what the edges to or from this rank carry in a round.
func (s *stencil) fill(number, end int, put func(edge int, data []uint32)) {
	edge := 0
	for i, e := range s.edges {
		if e[end] != s.c.Rank() {
			continue
		}
		data := make([]uint32, s.lengths[i])
		for j := range data {
			data[j] = uint32(((s.round*100+number)*100+i)*100 + j)
		}
		put(edge, data)
		edge++
	}
}

func (s *stencil) exchange() error {
	order := s.own.Perm(len(s.list))
	for _, number := range order {
		h := s.list[number]
		s.fill(number, 0, func(edge int, data []uint32) { copy(h.in[edge], data) })
		if err := h.p.Start(); err != nil {
			return err
		}
		s.linger()
	}
	if s.alone && s.round > 1 {
		if err := s.look(); err != nil {
			return err
		}
	}
	s.own.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, number := range order {
		if _, err := s.list[number].p.Wait(); err != nil {
			return err
		}
		s.linger()
	}
	// What comes next waits for Start.
	for number := range s.list {
		if s.list[number].p.Plan().Protocol == mpi.Agent {
			s.w.agents++
		}
		if err := s.compare(number); err != nil {
			return err
		}
	}
	for _, h := range s.list {
		for _, in := range h.in {
			for i := range in {
				in[i] = 0xdeadbeef // nobody reads that
			}
		}
	}
	return nil
}

// linger lets others go on for some time.
func (s *stencil) linger() {
	for range s.own.IntN(30) {
		s.c.Process().Compute(0)
	}
}

// look waits without calls until all data is there.
func (s *stencil) look() error {
	for range 100_000 {
		var err error
		for number := range s.list {
			if err = s.compare(number); err != nil {
				break
			}
		}
		if err == nil {
			return nil
		}
		s.c.Process().Compute(0)
	}
	return fmt.Errorf("data does not come without calls")
}

func (s *stencil) compare(number int) error {
	h := s.list[number]
	var failed error
	s.fill(number, 1, func(edge int, want []uint32) {
		if got := h.out[edge]; failed == nil && !slices.Equal(got, want) {
			failed = fmt.Errorf("exchange %d, %v, edge %d: %v; expected %v", number, h.p.Plan(), edge, got, want)
		}
	})
	return failed
}

// With too few queues, or too short ones, an exchange does with less, and says why.
func TestExchangesDoWithLess(t *testing.T) {
	for _, x := range []struct {
		name                string
		perProcess, entries int
		options             mpi.ExchangeOptions
		protocol            mpi.Protocol
		queues              int
		says                string
	}{
		{"enough", 4, 100, mpi.ExchangeOptions{Protocol: mpi.FAST}, mpi.FAST, 4, "the program asks for FAST"},
		{"a queue for each is too much", 3, 100, mpi.ExchangeOptions{Protocol: mpi.FAST}, mpi.Shared, 3, "needs 4 of the command queues, and 3 are free"},
		{"one is left", 1, 100, mpi.ExchangeOptions{Protocol: mpi.FAST}, mpi.MRC, 1, "needs 4 of the command queues, and 1 are free"},
		{"none is left", 0, 100, mpi.ExchangeOptions{Protocol: mpi.MRC}, mpi.PRDMA, 0, "needs 1 of the command queues, and 0 are free"},
		{"they are too short", 4, 3, mpi.ExchangeOptions{Protocol: mpi.FAST}, mpi.PRDMA, 0, "a queue of 4 entries; there are 3"},
		{"too many", 100, 100, mpi.ExchangeOptions{Protocol: mpi.Shared, Queues: 9}, mpi.FAST, 4, "there are 4 neighbours"},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := &shuffled{rng: rand.New(rand.NewPCG(1, 4)), engines: 4, perProcess: x.perProcess, entries: x.entries}
			err := w.run(4, func(p rma.Process) error {
				return mpi.Run(p, func(c *mpi.Comm) error {
					grid, err := c.Cart([]int{2, 2}, []bool{true, true}, false)
					if err != nil {
						return err
					}
					p, err := mpi.NeighbourAllToAllInit(grid, parts(4, 10), parts(4, 10), x.options)
					if err != nil {
						return err
					}
					if err := p.Start(); err != nil {
						return err
					}
					if _, err := p.Wait(); err != nil {
						return err
					}
					if got := p.Plan(); got.Protocol != x.protocol || got.Queues != x.queues || len(got.Engines) != x.queues || !strings.Contains(got.Reason, x.says) {
						return fmt.Errorf("plan %+v; expected %v on %d queues, because %q", got, x.protocol, x.queues, x.says)
					}
					return p.Free()
				})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
