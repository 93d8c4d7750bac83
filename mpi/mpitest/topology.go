package mpitest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/mpi"
)

var topologyChecks = group{"topologies", []check{
	{name: "neighbours in grids", program: grids},
	{name: "rows of a grid", ranks: 4, program: rows},
	{name: "random graphs", program: graphs},
	{name: "more edges than a note tells of", ranks: 2, program: manyEdges},
	{name: "columns of neighbours", ranks: 4, program: halo},
}}

// Each rank of a grid sends something to each neighbour. What one sends to the rank
// after it along a dimension, that one gets from the rank before, also where both are
// the same rank.
func grids(c *mpi.Comm) error {
	for _, dims := range [][]int{{1}, {2}, {4}, {1, 2}, {2, 2}, {2, 1, 2}, {}} {
		for _, periodic := range []bool{false, true} {
			grid, err := c.Cart(dims, slices.Repeat([]bool{periodic}, len(dims)), false)
			if err != nil {
				return err
			}
			if grid == nil {
				continue
			}
			for _, exchange := range []func(mpi.Topology, [][]int, [][]int) error{mpi.NeighbourAllToAll[int], startedExchange} {
				if err := around(grid, exchange); err != nil {
					return fmt.Errorf("grid %v, periodic %v: %w", dims, periodic, err)
				}
			}
			if err := grid.Free(); err != nil {
				return err
			}
		}
	}
	return nil
}

func startedExchange(t mpi.Topology, in, out [][]int) error {
	r, err := mpi.INeighbourAllToAll(t, in, out)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

func around(grid *mpi.Cart, exchange func(mpi.Topology, [][]int, [][]int) error) error {
	n := 2 * len(grid.Dims())
	in, out := make([][]int, n), make([][]int, n)
	for i := range in {
		in[i], out[i] = []int{grid.Rank(), i}, []int{mpi.None, i ^ 1}
	}
	if err := exchange(grid, in, out); err != nil {
		return err
	}
	for i, got := range out {
		from, _, err := grid.Shift(i/2, 1-2*(i%2))
		if want := []int{from, i ^ 1}; err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("neighbour %d: %v (%v); expected %v", i, got, err, want)
		}
	}
	return nil
}

func rows(c *mpi.Comm) error {
	grid, err := c.Cart([]int{2, 2}, []bool{true, false}, false)
	if err != nil {
		return err
	}
	at, err := grid.Coordinates(c.Rank())
	if err != nil {
		return err
	}
	row, err := grid.Sub([]bool{false, true})
	if err != nil {
		return err
	}
	sum := []int{at[0]}
	if err := mpi.AllReduce(row.Comm, sum, sum, mpi.Sum[int]()); err != nil {
		return err
	}
	if sum[0] != 2*at[0] || row.Rank() != at[1] {
		return fmt.Errorf("rank %d of a row, whose first coordinates add up to %d; expected %d and %d", row.Rank(), sum[0], at[1], 2*at[0])
	}
	return nil
}

// Random graphs, with edges that are repeated, from a rank to itself, and ranks
// without any: edges between the same ranks carry their data in their order.
func graphs(c *mpi.Comm) error {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 0))
		sources, destinations := make([][]int, c.Size()), make([][]int, c.Size())
		for range rng.IntN(60) {
			from, to := rng.IntN(c.Size()-1), rng.IntN(c.Size()-1) // the last one has none
			sources[to] = append(sources[to], from)
			destinations[from] = append(destinations[from], to)
		}
		graph, err := c.Graph(sources[c.Rank()], destinations[c.Rank()])
		if err != nil {
			return err
		}
		for _, times := range []int{1, 40, 60, 150, 1000} { // short data, more than one note has room for, and long data
			if err := alongEdges(graph, times); err != nil {
				return fmt.Errorf("seed %d, %d times: %w", seed, times, err)
			}
		}
		if err := graph.Free(); err != nil {
			return err
		}
	}
	return nil
}

// manyEdges: a rank has thousands of edges to another one, and so more than fit into 16 KiB by 8 bytes each.
func manyEdges(c *mpi.Comm) error {
	const edges = 2100
	sources, destinations := []int{}, []int{}
	if c.Rank() == 0 {
		destinations = slices.Repeat([]int{1}, edges)
	} else {
		sources = make([]int, edges)
	}
	graph, err := c.Graph(sources, destinations)
	if err != nil {
		return err
	}
	in, out := make([][]int, len(destinations)), make([][]int, len(sources))
	for i := range in {
		in[i] = []int{i}
	}
	for i := range out {
		out[i] = []int{-1}
	}
	if err := mpi.NeighbourAllToAll(graph, in, out); err != nil {
		return err
	}
	for i := range out {
		if out[i][0] != i {
			return fmt.Errorf("edge %d carries %d; expected its number", i, out[i][0])
		}
	}
	return graph.Free()
}

// alongEdges sends along each edge which one it is of all edges between two ranks,
// as many times as that, and all of it several times.
func alongEdges(g *mpi.Graph, times int) error {
	numbered := func(other []int, element func(rank, number int) []int) (list [][]int) {
		count := map[int]int{}
		for _, rank := range other {
			count[rank]++
			list = append(list, slices.Repeat(element(rank, count[rank]), count[rank]*times))
		}
		return list
	}
	in := numbered(g.Destinations(), func(to, number int) []int { return []int{g.Rank(), to, number} })
	want := numbered(g.Sources(), func(from, number int) []int { return []int{from, g.Rank(), number} })
	out := numbered(g.Sources(), func(int, int) []int { return []int{0, 0, 0} })
	if err := mpi.NeighbourAllToAll(g, in, out); err != nil {
		return err
	}
	if !slices.EqualFunc(out, want, slices.Equal) {
		return fmt.Errorf("got %v; expected %v", out, want)
	}
	ranks := slices.Clone(g.Sources())
	for i := range out {
		out[i] = ranks[i : i+1]
		ranks[i] = -1
	}
	if err := mpi.NeighbourAllGather(g, []int{g.Rank()}, out); err != nil {
		return err
	}
	if !slices.Equal(ranks, g.Sources()) {
		return fmt.Errorf("sources gave their ranks as %v; expected %v", ranks, g.Sources())
	}
	return nil
}

// halo: neighbours in a grid exchange the outer columns of their matrices, which
// become the borders of the others'.
func halo(c *mpi.Comm) error {
	const height, width = 5, 7
	grid, err := c.Cart([]int{4}, []bool{false}, false)
	if err != nil {
		return err
	}
	matrix := make([]int, height*width)
	for i := range matrix {
		matrix[i] = 1000*grid.Rank() + i
	}
	column := func(x int) mpi.Layout {
		var blocks []mpi.Block
		for y := range height {
			blocks = append(blocks, mpi.Block{At: y*width + x, Count: 1})
		}
		return mpi.Indexed(blocks...)
	}
	inner, outer := []mpi.Layout{column(1), column(width - 2)}, []mpi.Layout{column(0), column(width - 1)}
	want := slices.Clone(matrix)
	for y := range height {
		if r := grid.Rank(); r > 0 {
			want[y*width] = 1000*(r-1) + y*width + width - 2
		}
		if r := grid.Rank(); r < 3 {
			want[y*width+width-1] = 1000*(r+1) + y*width + 1
		}
	}
	again := slices.Clone(matrix)
	r, err := mpi.INeighbourAllToAllW(grid, again, inner, again, outer)
	if err != nil {
		return err
	}
	if err := mpi.NeighbourAllToAllW(grid, matrix, inner, matrix, outer); err != nil {
		return err
	}
	if _, err := r.Wait(); err != nil {
		return err
	}
	return first(same("matrix", matrix, want), same("matrix, started", again, want))
}
