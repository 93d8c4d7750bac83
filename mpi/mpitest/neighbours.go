package mpitest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/mpi"
)

var neighbourChecks = group{"persistent neighbourhood operations", []check{
	{name: "in grids", program: persistentGrids},
	{name: "along random graphs", program: persistentGraphs},
	{name: "what one has is gathered by all neighbours", ranks: 3, program: persistentGather},
	{name: "columns of neighbours", ranks: 4, program: persistentColumns},
	{name: "of different lengths", ranks: 2, program: differentLengths},
	{name: "wait for all neighbours", ranks: 2, program: lateNeighbour},
	{name: "in many rounds", ranks: 2, program: manyRounds},
	{name: "refuse wrong options", ranks: 1, program: wrongOptions},
}}

// protocols are the options that a rank may choose whatever others do.
var protocols = []mpi.ExchangeOptions{
	{}, {Protocol: mpi.PRDMA}, {Protocol: mpi.FAST}, {Protocol: mpi.MRC}, {Protocol: mpi.Shared, Queues: 2}, {Queues: 1}, {Protocol: mpi.Eager},
}

func persistentGrids(c *mpi.Comm) error {
	for i, dims := range [][]int{{1}, {2}, {4}, {1, 2}, {2, 2}, {}} {
		for _, periodic := range []bool{false, true} {
			grid, err := c.Cart(dims, slices.Repeat([]bool{periodic}, len(dims)), false)
			if err != nil {
				return err
			}
			if grid == nil {
				continue
			}
			err = around(grid, func(t mpi.Topology, in, out [][]int) error {
				p, err := mpi.NeighbourAllToAllInit(t, in, out, protocols[i])
				if err != nil {
					return err
				}
				return rounds(p, out, 3)
			})
			if err := first(err, grid.Free()); err != nil {
				return fmt.Errorf("grid %v, periodic %v: %w", dims, periodic, err)
			}
		}
	}
	return nil
}

// rounds does an operation again and again, which begins with the same each time.
func rounds(p *mpi.Persistent, out [][]int, n int) error {
	begin := make([][]int, len(out))
	for i := range out {
		begin[i] = slices.Clone(out[i])
	}
	for range n {
		for i := range out {
			copy(out[i], begin[i])
		}
		if err := p.Start(); err != nil {
			return err
		}
		if _, err := p.Wait(); err != nil {
			return err
		}
	}
	return p.Free()
}

// exchanged is a persistent operation along the edges of a graph, in which each element
// tells which round, edge and place it belongs to.
type exchanged struct {
	p                     *mpi.Persistent
	graph                 *mpi.Graph
	number, round         int
	lengths               func(from, to, which int) int
	in, out               [][]uint32
	sources, destinations []int // which edge between the two ranks each is
}

// which returns for each of some ranks how many times it has been there before.
func which(ranks []int) []int {
	seen := map[int]int{}
	list := make([]int, len(ranks))
	for i, r := range ranks {
		list[i] = seen[r]
		seen[r]++
	}
	return list
}

func newExchanged(g *mpi.Graph, number int, o mpi.ExchangeOptions) (*exchanged, error) {
	x := &exchanged{graph: g, number: number, sources: which(g.Sources()), destinations: which(g.Destinations())}
	x.lengths = func(from, to, which int) int {
		return []int{0, 1, 5, 900, 1, 7000}[(from+3*to+2*which+number)%6]
	}
	for i, from := range g.Sources() {
		x.out = append(x.out, make([]uint32, x.lengths(from, g.Rank(), x.sources[i])))
	}
	for i, to := range g.Destinations() {
		x.in = append(x.in, make([]uint32, x.lengths(g.Rank(), to, x.destinations[i])))
	}
	var err error
	x.p, err = mpi.NeighbourAllToAllInit(g, x.in, x.out, o)
	return x, err
}

func (x *exchanged) mark(from, to, which, i int) uint32 {
	return uint32(((((x.number*17+x.round)*17+from)*17+to)*17+which)*10_007 + i)
}

func (x *exchanged) start() error {
	x.round++
	for e, to := range x.graph.Destinations() {
		for i := range x.in[e] {
			x.in[e][i] = x.mark(x.graph.Rank(), to, x.destinations[e], i)
		}
	}
	return x.p.Start()
}

func (x *exchanged) check() error {
	for e, from := range x.graph.Sources() {
		for i, got := range x.out[e] {
			if want := x.mark(from, x.graph.Rank(), x.sources[e], i); got != want {
				return fmt.Errorf("operation %d (%v), round %d: element %d of %d from rank %d is %d; expected %d",
					x.number, x.p.Plan(), x.round, i, len(x.out[e]), from, got, want)
			}
		}
	}
	return nil
}

// persistentGraphs does several operations at once along random graphs, with edges that
// are repeated, from a rank to itself, and ranks without any. Each rank chooses its own
// protocols, starts in its own order, and does other things meanwhile.
func persistentGraphs(c *mpi.Comm) error {
	for seed := range uint64(4) {
		alike, own := rand.New(rand.NewPCG(seed, 10)), rand.New(rand.NewPCG(seed, uint64(11+c.Rank())))
		graph, err := randomGraph(c, alike)
		if err != nil {
			return err
		}
		var list []*exchanged
		for number := range 3 {
			x, err := newExchanged(graph, number, protocols[own.IntN(len(protocols))])
			if err != nil {
				return err
			}
			list = append(list, x)
		}
		for range 6 {
			if err := someRound(c, list, alike, own); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		if own.IntN(2) == 0 { // or let the communicator do that
			for _, x := range list {
				if err := x.p.Free(); err != nil {
					return err
				}
			}
		}
		if err := graph.Free(); err != nil {
			return err
		}
	}
	return nil
}

func randomGraph(c *mpi.Comm, rng *rand.Rand) (*mpi.Graph, error) {
	sources, destinations := make([][]int, c.Size()), make([][]int, c.Size())
	for range rng.IntN(14) {
		from, to := rng.IntN(c.Size()-1), rng.IntN(c.Size()-1) // the last one has none
		sources[to] = append(sources[to], from)
		destinations[from] = append(destinations[from], to)
	}
	return c.Graph(sources[c.Rank()], destinations[c.Rank()])
}

// someRound starts some of the operations, and checks them when all are complete.
func someRound(c *mpi.Comm, list []*exchanged, alike, own *rand.Rand) error {
	chosen := alike.Perm(len(list))[:1+alike.IntN(len(list))]
	beside := draw(c, mpi.Operations()[alike.IntN(len(mpi.Operations()))], alike).collectiveCall()
	own.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	var requests []*mpi.Request
	for _, i := range chosen {
		if err := list[i].start(); err != nil {
			return err
		}
		requests = append(requests, list[i].p.Request())
	}
	if err := first(beside.call(), beside.check(), completeAll(requests, own)); err != nil {
		return err
	}
	for _, i := range chosen {
		if err := list[i].check(); err != nil {
			return err
		}
	}
	return nil
}

func persistentGather(c *mpi.Comm) error {
	var others []int
	for rank := range c.Size() {
		others = append(others, rank)
	}
	graph, err := c.Graph(others, others)
	if err != nil {
		return err
	}
	for _, o := range protocols {
		in, out := make([]int, 3), make([][]int, len(others))
		for i := range out {
			out[i] = make([]int, 3)
		}
		p, err := mpi.NeighbourAllGatherInit(graph, in, out, o)
		if err != nil {
			return err
		}
		for round := range 3 {
			in[0], in[2] = round, c.Rank()
			if err := p.Start(); err != nil {
				return err
			}
			if _, err := p.Wait(); err != nil {
				return err
			}
			for rank, got := range out {
				if want := []int{round, 0, rank}; !slices.Equal(got, want) {
					return fmt.Errorf("%v, round %d: %v from rank %d; expected %v", o.Protocol, round, got, rank, want)
				}
			}
		}
	}
	return graph.Free()
}

// persistentColumns is halo with a persistent operation.
func persistentColumns(c *mpi.Comm) error {
	const height, width = 5, 7
	grid, err := c.Cart([]int{c.Size()}, []bool{true}, false)
	if err != nil {
		return err
	}
	before, after, err := grid.Shift(0, 1)
	if err != nil {
		return err
	}
	column := func(x int) mpi.Layout { return mpi.Indexed(blocksOf(height, width, x)...) }
	for _, o := range protocols {
		matrix := make([]int, height*width)
		p, err := mpi.NeighbourAllToAllWInit(grid, matrix, []mpi.Layout{column(1), column(width - 2)}, matrix, []mpi.Layout{column(0), column(width - 1)}, o)
		if err != nil {
			return err
		}
		value := func(rank, round, at int) int { return 10_000*rank + 100*round + at }
		for round := range 4 {
			for i := range matrix {
				matrix[i] = value(c.Rank(), round, i)
			}
			if err := p.Start(); err != nil {
				return err
			}
			if _, err := p.Wait(); err != nil {
				return err
			}
			for y := range height {
				row := y * width
				if matrix[row] != value(before, round, row+width-2) || matrix[row+width-1] != value(after, round, row+1) {
					return fmt.Errorf("%v, round %d, row %d: %v", o.Protocol, round, y, matrix[row:][:width])
				}
			}
		}
	}
	return grid.Free()
}

func blocksOf(height, width, x int) (blocks []mpi.Block) {
	for y := range height {
		blocks = append(blocks, mpi.Block{At: y*width + x, Count: 1})
	}
	return blocks
}

// Whoever gets another length than it expects is told, in each round; others are not
// held up.
func differentLengths(c *mpi.Comm) error {
	graph, err := c.Graph([]int{1 - c.Rank()}, []int{1 - c.Rank()})
	if err != nil {
		return err
	}
	want := []error{mpi.ErrCount, mpi.ErrTruncate}[c.Rank()]
	for _, o := range protocols {
		in, out := [][]int{make([]int, 4+c.Rank())}, [][]int{make([]int, 6-2*c.Rank())}
		in[0][0] = 7
		if c.Rank() == 1 {
			out[0] = out[0][:3]
		}
		p, err := mpi.NeighbourAllToAllInit(graph, in, out, o)
		if err != nil {
			return err
		}
		for range 2 {
			out[0][0] = 0
			if err := p.Start(); err != nil {
				return err
			}
			if _, err := p.Wait(); !errors.Is(err, want) {
				return fmt.Errorf("%v: %d elements out: error %v; expected %v", o.Protocol, len(out[0]), err, want)
			}
			if out[0][0] != 7 {
				return fmt.Errorf("%v: the beginning is %d; expected 7", o.Protocol, out[0][0])
			}
		}
	}
	return graph.Free()
}

// An operation is not complete before the neighbour has started it, and meanwhile is
// neither started nor freed.
func lateNeighbour(c *mpi.Comm) error {
	graph, err := c.Graph([]int{1 - c.Rank()}, []int{1 - c.Rank()})
	if err != nil {
		return err
	}
	in, out := [][]int{{c.Rank()}}, [][]int{{-1}}
	p, err := mpi.NeighbourAllToAllInit(graph, in, out)
	if err != nil {
		return err
	}
	for range 3 {
		out[0][0] = -1
		if c.Rank() == 1 {
			if err := awaitSignal(c, 0); err != nil {
				return err
			}
		}
		if err := p.Start(); err != nil {
			return err
		}
		if c.Rank() == 0 {
			for range 20 {
				if _, complete, err := p.Test(); complete || err != nil {
					return fmt.Errorf("it is complete before rank 1 has started it (%v)", err)
				}
			}
			if err := first(refused("Start", p.Start()), refused("Free", p.Free()), signal(c, 1)); err != nil {
				return err
			}
			if err := graph.Free(); !errors.Is(err, mpi.ErrRequest) {
				return fmt.Errorf("communicator freed with an exchange under way: error %v; expected ErrRequest", err)
			}
		}
		if _, err := p.Wait(); err != nil || out[0][0] != 1-c.Rank() {
			return fmt.Errorf("got %d (%v); expected %d", out[0][0], err, 1-c.Rank())
		}
	}
	if p.Plan().Protocol == mpi.Auto || p.Plan().Reason == "" {
		return fmt.Errorf("plan %+v; expected one", p.Plan())
	}
	return first(p.Free(), graph.Free())
}

func wrongOptions(c *mpi.Comm) error {
	graph, err := c.Graph(nil, nil)
	if err != nil {
		return err
	}
	for _, o := range []mpi.ExchangeOptions{{Queues: -1}, {Protocol: 99}} {
		if _, err := mpi.NeighbourAllToAllInit[int](graph, nil, nil, o); !errors.Is(err, mpi.ErrArgument) {
			return fmt.Errorf("options %+v: error %v; expected ErrArgument", o, err)
		}
	}
	if _, err := mpi.NeighbourAllToAllInit(graph, [][]int{{}}, nil); !errors.Is(err, mpi.ErrCount) {
		return fmt.Errorf("a slice for nobody: error %v; expected ErrCount", err)
	}
	return graph.Free()
}
