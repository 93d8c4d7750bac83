package communicators

import (
	"slices"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/dims"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Cart_create":  cartCreate,
		"MPI_Cart_sub":     cartSub,
		"MPI_Cart_get":     cartGet,
		"MPI_Cart_coords":  cartCoords,
		"MPI_Cart_rank":    cartRank,
		"MPI_Cart_shift":   cartShift,
		"MPI_Cart_map":     cartMap,
		"MPI_Cartdim_get":  cartDims,
		"MPI_Dims_create":  dimsCreate,
		"MPI_Topo_test":    topoTest,
		"MPI_Graph_create": graphCreate,
		"MPI_Graph_get": func(c *abi.Call) error {
			t, err := graph(c)
			if err == nil {
				c.PutInts(c.Words[3], t.Index[:min(c.At(1), len(t.Index))], false)
				c.PutInts(c.Words[4], t.Edges[:min(c.At(2), len(t.Edges))], false)
			}
			return err
		},
		"MPI_Graphdims_get": func(c *abi.Call) error {
			t, err := graph(c)
			if err == nil {
				c.PutInt(c.Words[1], len(t.Index))
				c.PutInt(c.Words[2], len(t.Edges))
			}
			return err
		},
		"MPI_Graph_map":                  graphMap,
		"MPI_Graph_neighbors_count":      graphCount,
		"MPI_Graph_neighbors":            graphNeighbours,
		"MPI_Dist_graph_create_adjacent": distGraphAdjacent,
		"MPI_Dist_graph_create":          distGraph,
		"MPI_Dist_graph_neighbors_count": distGraphCount,
		"MPI_Dist_graph_neighbors":       distGraphNeighbours,
	})
}

// grid reads the dimensions of a grid from words i on: how many, their sizes, which are periodic.
func grid(c *abi.Call, m *abi.Comm, i int) (*abi.Topology, int, error) {
	n := c.At(i)
	if n < 0 {
		return nil, 0, abi.Wrong(standard.ErrDims, "%d dimensions; expected at least 0", n)
	}
	t := &abi.Topology{Kind: standard.Cart, Dims: c.Ints(c.Words[i+1], n, false)}
	size := 1
	for _, p := range c.Ints(c.Words[i+2], n, false) {
		t.Periodic = append(t.Periodic, p != 0)
	}
	for _, d := range t.Dims {
		if d <= 0 {
			return nil, 0, abi.Wrong(standard.ErrDims, "dimensions %v; expected at least 1 each", t.Dims)
		}
		size *= d
	}
	if size > m.Inner.Size() {
		return nil, 0, abi.Wrong(standard.ErrDims, "a grid of %v; there are %d ranks", t.Dims, m.Inner.Size())
	}
	return t, size, nil
}

// first makes a communicator of the first ranks with a topology.
func first(c *abi.Call, m *abi.Comm, n int, t *abi.Topology, result int) error {
	made, err := m.Inner.First(c.Function.Name, n)
	if err != nil {
		return err
	}
	if made == nil {
		c.PutWord(c.Words[result], standard.CommNull)
		return nil
	}
	g := c.NewComm(made, m)
	g.Topology = t
	c.PutWord(c.Words[result], g.Handle)
	return nil
}

func cartCreate(c *abi.Call) error {
	m, err := c.Intra(0)
	if err != nil {
		return err
	}
	t, size, err := grid(c, m, 1)
	if err != nil {
		c.PutWord(c.Words[5], standard.CommNull)
		return err
	}
	return first(c, m, size, t, 5)
}

func cart(c *abi.Call) (*abi.Comm, *abi.Topology, error) {
	m, err := c.Intra(0)
	if err == nil && (m.Topology == nil || m.Topology.Kind != standard.Cart) {
		err = abi.Wrong(standard.ErrTopology, "a communicator without a grid")
	}
	if err != nil {
		return nil, nil, err
	}
	return m, m.Topology, nil
}

func cartSub(c *abi.Call) error {
	m, t, err := cart(c)
	if err != nil {
		return err
	}
	sub := &abi.Topology{Kind: standard.Cart}
	color, key := 0, 0
	at := t.Coordinates(m.Inner.Rank())
	for d, keep := range c.Ints(c.Words[1], len(t.Dims), false) {
		if keep != 0 {
			sub.Dims, sub.Periodic = append(sub.Dims, t.Dims[d]), append(sub.Periodic, t.Periodic[d])
			key = key*t.Dims[d] + at[d]
		} else {
			color = color*t.Dims[d] + at[d]
		}
	}
	s, err := m.Inner.Split(c.Function.Name, color, key)
	if err != nil {
		return err
	}
	n := c.NewComm(s, m)
	n.Topology = sub
	c.PutWord(c.Words[2], n.Handle)
	return nil
}

func cartGet(c *abi.Call) error {
	m, t, err := cart(c)
	if err != nil {
		return err
	}
	n := min(c.At(1), len(t.Dims))
	periodic := make([]int, len(t.Dims))
	for d, p := range t.Periodic {
		if p {
			periodic[d] = 1
		}
	}
	c.PutInts(c.Words[2], t.Dims[:n], false)
	c.PutInts(c.Words[3], periodic[:n], false)
	c.PutInts(c.Words[4], t.Coordinates(m.Inner.Rank())[:n], false)
	return nil
}

func cartCoords(c *abi.Call) error {
	m, t, err := cart(c)
	if err != nil {
		return err
	}
	if r := c.At(1); r < 0 || r >= m.Inner.Size() {
		return abi.Wrong(standard.ErrRank, "rank %d; there are ranks 0 to %d", r, m.Inner.Size()-1)
	}
	if c.At(2) < len(t.Dims) {
		return abi.Wrong(standard.ErrArg, "room for %d coordinates; expected %d", c.At(2), len(t.Dims))
	}
	c.PutInts(c.Words[3], t.Coordinates(c.At(1)), false)
	return nil
}

func cartRank(c *abi.Call) error {
	_, t, err := cart(c)
	if err != nil {
		return err
	}
	at := c.Ints(c.Words[1], len(t.Dims), false)
	rank, ok := t.RankAt(at)
	if !ok {
		return abi.Wrong(standard.ErrArg, "coordinates %v in a grid of %v", at, t.Dims)
	}
	c.PutInt(c.Words[2], rank)
	return nil
}

func cartShift(c *abi.Call) error {
	m, t, err := cart(c)
	if err != nil {
		return err
	}
	d := c.At(1)
	if d < 0 || d >= len(t.Dims) {
		return abi.Wrong(standard.ErrDims, "dimension %d; expected 0 to %d", d, len(t.Dims)-1)
	}
	for i, steps := range []int{-c.At(2), c.At(2)} {
		r := t.Moved(m.Inner.Rank(), d, steps)
		if r == core.None {
			r = standard.ProcNull
		}
		c.PutInt(c.Words[3+i], r)
	}
	return nil
}

func cartMap(c *abi.Call) error {
	m, err := c.Intra(0)
	if err != nil {
		return err
	}
	_, size, err := grid(c, m, 1)
	if err == nil {
		putMapped(c, c.Words[4], m.Inner.Rank(), size)
	}
	return err
}

// putMapped writes the rank in a topology of some ranks.
func putMapped(c *abi.Call, at int64, rank, size int) {
	if rank >= size {
		rank = standard.Undefined
	}
	c.PutInt(at, rank)
}

func cartDims(c *abi.Call) error {
	_, t, err := cart(c)
	if err == nil {
		c.PutInt(c.Words[1], len(t.Dims))
	}
	return err
}

func dimsCreate(c *abi.Call) error {
	if n := c.At(1); n < 0 {
		return abi.Wrong(standard.ErrDims, "%d dimensions; expected at least 0", n)
	}
	all, err := dims.Divide(c.At(0), c.Ints(c.Words[2], c.At(1), false))
	if err != nil {
		return abi.Wrong(standard.ErrDims, "%v", err)
	}
	c.PutInts(c.Words[2], all, false)
	return nil
}

func topoTest(c *abi.Call) error {
	m, err := c.Comm(0)
	if err != nil {
		return err
	}
	kind := standard.Undefined
	if m.Topology != nil {
		kind = m.Topology.Kind
	}
	c.PutInt(c.Words[1], kind)
	return nil
}

func readGraph(c *abi.Call, m *abi.Comm, i int) (*abi.Topology, error) {
	n := c.At(i)
	if n < 0 || n > m.Inner.Size() {
		return nil, abi.Wrong(standard.ErrArg, "a graph of %d nodes; there are %d ranks", n, m.Inner.Size())
	}
	t := &abi.Topology{Kind: standard.Graph, Index: c.Ints(c.Words[i+1], n, false)}
	if n > 0 {
		if t.Index[0] < 0 || !slices.IsSorted(t.Index) {
			return nil, abi.Wrong(standard.ErrArg, "index %v of a graph; expected numbers from 0 on that do not decrease", t.Index)
		}
		t.Edges = c.Ints(c.Words[i+2], t.Index[n-1], false)
	}
	for _, e := range t.Edges {
		if e < 0 || e >= n {
			return nil, abi.Wrong(standard.ErrTopology, "an edge to %d in a graph of %d", e, n)
		}
	}
	return t, nil
}

func graphCreate(c *abi.Call) error {
	m, err := c.Intra(0)
	if err != nil {
		return err
	}
	t, err := readGraph(c, m, 1)
	if err != nil {
		return err
	}
	return first(c, m, len(t.Index), t, 5)
}

func graphMap(c *abi.Call) error {
	m, err := c.Intra(0)
	if err == nil {
		putMapped(c, c.Words[4], m.Inner.Rank(), c.At(1))
	}
	return err
}

func graph(c *abi.Call) (*abi.Topology, error) {
	m, err := c.Intra(0)
	if err == nil && (m.Topology == nil || m.Topology.Kind != standard.Graph) {
		err = abi.Wrong(standard.ErrTopology, "a communicator without a graph")
	}
	if err != nil {
		return nil, err
	}
	return m.Topology, nil
}

func graphCount(c *abi.Call) error {
	t, err := graph(c)
	if err != nil {
		return err
	}
	if r := c.At(1); r < 0 || r >= len(t.Index) {
		return abi.Wrong(standard.ErrRank, "rank %d in a graph of %d", r, len(t.Index))
	}
	c.PutInt(c.Words[2], len(t.Of(c.At(1))))
	return nil
}

func graphNeighbours(c *abi.Call) error {
	t, err := graph(c)
	if err != nil {
		return err
	}
	if r := c.At(1); r < 0 || r >= len(t.Index) {
		return abi.Wrong(standard.ErrRank, "rank %d in a graph of %d", r, len(t.Index))
	}
	list := t.Of(c.At(1))
	c.PutInts(c.Words[3], list[:min(c.At(2), len(list))], false)
	return nil
}

// weights reads weights, which may be those of no edge or missing.
func weights(c *abi.Call, i, n int) []int {
	if c.Words[i] == standard.Unweighted || c.Words[i] == standard.WeightsEmpty {
		return make([]int, n)
	}
	return c.Ints(c.Words[i], n, false)
}

func putGraph(c *abi.Call, m *abi.Comm, t *abi.Topology, result int) error {
	for _, r := range slices.Concat(t.Sources, t.Destinations) {
		if r < 0 || r >= m.Inner.Size() {
			return abi.Wrong(standard.ErrRank, "rank %d; there are ranks 0 to %d", r, m.Inner.Size()-1)
		}
	}
	made, err := m.Inner.Dup(c.Function.Name)
	if err != nil {
		return err
	}
	n := c.NewComm(made, m)
	n.Topology = t
	c.PutWord(c.Words[result], n.Handle)
	return nil
}

func distGraphAdjacent(c *abi.Call) error {
	m, err := c.Intra(0)
	if err != nil {
		return err
	}
	in, out := c.At(1), c.At(4)
	if in < 0 || out < 0 {
		return abi.Wrong(standard.ErrArg, "%d sources and %d destinations", in, out)
	}
	return putGraph(c, m, &abi.Topology{
		Kind: standard.DistGraph, Sources: c.Ints(c.Words[2], in, false), SourceWeights: weights(c, 3, in), Destinations: c.Ints(c.Words[5], out, false), DestinationWeights: weights(c, 6, out),
		Weighted: c.Words[3] != standard.Unweighted && c.Words[6] != standard.Unweighted,
	}, 9)
}

// edge is an edge of a graph that any rank may tell of.
type edge struct{ From, To, Weight int32 }

func distGraph(c *abi.Call) error {
	m, err := c.Intra(0)
	if err != nil {
		return err
	}
	n := c.At(1)
	if n < 0 {
		return abi.Wrong(standard.ErrArg, "%d sources", n)
	}
	sources, degrees := c.Ints(c.Words[2], n, false), c.Ints(c.Words[3], n, false)
	total := 0
	for _, d := range degrees {
		if d < 0 {
			return abi.Wrong(standard.ErrArg, "%d edges of a source", d)
		}
		total += d
	}
	to, weights := c.Ints(c.Words[4], total, false), weights(c, 5, total)
	var mine []edge
	for i, d := range degrees {
		for range d {
			mine = append(mine, edge{int32(sources[i]), int32(to[0]), int32(weights[0])})
			to, weights = to[1:], weights[1:]
		}
	}
	for _, e := range mine {
		if e.From < 0 || int(e.From) >= m.Inner.Size() || e.To < 0 || int(e.To) >= m.Inner.Size() {
			return abi.Wrong(standard.ErrRank, "an edge from %d to %d; there are ranks 0 to %d", e.From, e.To, m.Inner.Size()-1)
		}
	}
	all, err := abi.GatherAll(c, m, mine)
	if err != nil {
		return err
	}
	t := &abi.Topology{Kind: standard.DistGraph, Weighted: c.Words[5] != standard.Unweighted}
	for _, e := range all {
		if int(e.To) == m.Inner.Rank() {
			t.Sources, t.SourceWeights = append(t.Sources, int(e.From)), append(t.SourceWeights, int(e.Weight))
		}
		if int(e.From) == m.Inner.Rank() {
			t.Destinations, t.DestinationWeights = append(t.Destinations, int(e.To)), append(t.DestinationWeights, int(e.Weight))
		}
	}
	return putGraph(c, m, t, 8)
}

func distributed(c *abi.Call) (*abi.Topology, error) {
	m, err := c.Intra(0)
	if err == nil && (m.Topology == nil || m.Topology.Kind != standard.DistGraph) {
		err = abi.Wrong(standard.ErrTopology, "a communicator without a distributed graph")
	}
	if err != nil {
		return nil, err
	}
	return m.Topology, nil
}

func distGraphCount(c *abi.Call) error {
	t, err := distributed(c)
	if err == nil {
		c.PutInt(c.Words[1], len(t.Sources))
		c.PutInt(c.Words[2], len(t.Destinations))
		c.PutBool(c.Words[3], t.Weighted)
	}
	return err
}

func distGraphNeighbours(c *abi.Call) error {
	t, err := distributed(c)
	if err != nil {
		return err
	}
	in, out := min(c.At(1), len(t.Sources)), min(c.At(4), len(t.Destinations))
	c.PutInts(c.Words[2], t.Sources[:in], false)
	c.PutInts(c.Words[5], t.Destinations[:out], false)
	if t.Weighted {
		if c.Words[3] > standard.WeightsEmpty {
			c.PutInts(c.Words[3], t.SourceWeights[:in], false)
		}
		if c.Words[6] > standard.WeightsEmpty {
			c.PutInts(c.Words[6], t.DestinationWeights[:out], false)
		}
	}
	return nil
}
