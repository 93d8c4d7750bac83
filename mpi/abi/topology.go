package abi

import (
	"slices"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/dims"
)

// topology is the neighbours of the ranks of a communicator.
type topology struct {
	kind int // cCart, cGraph or cDistGraph

	dims     []int // of a grid
	periodic []bool

	index, edges []int // of a graph that all ranks know

	sources, destinations             []int // of this rank in a distributed one
	sourceWeights, destinationWeights []int
	weighted                          bool
}

// neighbours returns those of this rank.
func (t *topology) neighbours(m *comm) *algorithm.Neighbours {
	rank := m.c.Rank()
	switch t.kind {
	case standard.Cart:
		n := &algorithm.Neighbours{Mirrored: true}
		for d := range t.dims {
			for _, step := range []int{-1, 1} {
				n.Sources = append(n.Sources, t.moved(rank, d, step))
			}
		}
		n.Destinations = n.Sources
		return n
	case standard.Graph:
		list := t.of(rank)
		return &algorithm.Neighbours{Sources: list, Destinations: list}
	}
	return &algorithm.Neighbours{Sources: t.sources, Destinations: t.destinations}
}

// of returns the neighbours of a rank in a graph.
func (t *topology) of(rank int) []int {
	first := 0
	if rank > 0 {
		first = t.index[rank-1]
	}
	return t.edges[first:t.index[rank]]
}

func (t *topology) coordinates(rank int) []int {
	at := make([]int, len(t.dims))
	for d := len(t.dims) - 1; d >= 0; d-- {
		at[d] = rank % t.dims[d]
		rank /= t.dims[d]
	}
	return at
}

// rankAt returns the rank at a point, false if the grid has none.
func (t *topology) rankAt(at []int) (int, bool) {
	rank := 0
	for d, x := range at {
		if x < 0 || x >= t.dims[d] {
			if !t.periodic[d] {
				return 0, false
			}
			x = (x%t.dims[d] + t.dims[d]) % t.dims[d]
		}
		rank = rank*t.dims[d] + x
	}
	return rank, true
}

func (t *topology) moved(rank, dim, steps int) int {
	at := t.coordinates(rank)
	at[dim] += steps
	if r, ok := t.rankAt(at); ok {
		return r
	}
	return core.None
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Cart_create":  (*call).cartCreate,
		"MPI_Cart_sub":     (*call).cartSub,
		"MPI_Cart_get":     (*call).cartGet,
		"MPI_Cart_coords":  (*call).cartCoords,
		"MPI_Cart_rank":    (*call).cartRank,
		"MPI_Cart_shift":   (*call).cartShift,
		"MPI_Cart_map":     (*call).cartMap,
		"MPI_Cartdim_get":  (*call).cartDims,
		"MPI_Dims_create":  (*call).dimsCreate,
		"MPI_Topo_test":    (*call).topoTest,
		"MPI_Graph_create": (*call).graphCreate,
		"MPI_Graph_get": func(c *call) error {
			t, err := c.graph()
			if err == nil {
				c.putInts(c.a[3], t.index[:min(c.at(1), len(t.index))], false)
				c.putInts(c.a[4], t.edges[:min(c.at(2), len(t.edges))], false)
			}
			return err
		},
		"MPI_Graphdims_get": func(c *call) error {
			t, err := c.graph()
			if err == nil {
				c.putInt(c.a[1], len(t.index))
				c.putInt(c.a[2], len(t.edges))
			}
			return err
		},
		"MPI_Graph_map":                  (*call).graphMap,
		"MPI_Graph_neighbors_count":      (*call).graphCount,
		"MPI_Graph_neighbors":            (*call).graphNeighbours,
		"MPI_Dist_graph_create_adjacent": (*call).distGraphAdjacent,
		"MPI_Dist_graph_create":          (*call).distGraph,
		"MPI_Dist_graph_neighbors_count": (*call).distGraphCount,
		"MPI_Dist_graph_neighbors":       (*call).distGraphNeighbours,
	})
}

// grid reads the dimensions of a grid from words i on: how many, their sizes, which are periodic.
func (c *call) grid(m *comm, i int) (*topology, int, error) {
	n := c.at(i)
	if n < 0 {
		return nil, 0, wrong(standard.ErrDims, "%d dimensions; expected at least 0", n)
	}
	t := &topology{kind: standard.Cart, dims: c.ints(c.a[i+1], n, false)}
	size := 1
	for _, p := range c.ints(c.a[i+2], n, false) {
		t.periodic = append(t.periodic, p != 0)
	}
	for _, d := range t.dims {
		if d <= 0 {
			return nil, 0, wrong(standard.ErrDims, "dimensions %v; expected at least 1 each", t.dims)
		}
		size *= d
	}
	if size > m.c.Size() {
		return nil, 0, wrong(standard.ErrDims, "a grid of %v; there are %d ranks", t.dims, m.c.Size())
	}
	return t, size, nil
}

// first makes a communicator of the first ranks with a topology.
func (c *call) first(m *comm, n int, t *topology, result int) error {
	made, err := m.c.First(c.function.name, n)
	if err != nil {
		return err
	}
	if made == nil {
		c.putWord(c.a[result], standard.CommNull)
		return nil
	}
	g := c.newComm(made, m)
	g.topology = t
	c.putWord(c.a[result], g.handle)
	return nil
}

func (c *call) cartCreate() error {
	m, err := c.intra(0)
	if err != nil {
		return err
	}
	t, size, err := c.grid(m, 1)
	if err != nil {
		c.putWord(c.a[5], standard.CommNull)
		return err
	}
	return c.first(m, size, t, 5)
}

func (c *call) cart() (*comm, *topology, error) {
	m, err := c.intra(0)
	if err == nil && (m.topology == nil || m.topology.kind != standard.Cart) {
		err = wrong(standard.ErrTopology, "a communicator without a grid")
	}
	if err != nil {
		return nil, nil, err
	}
	return m, m.topology, nil
}

func (c *call) cartSub() error {
	m, t, err := c.cart()
	if err != nil {
		return err
	}
	sub := &topology{kind: standard.Cart}
	color, key := 0, 0
	at := t.coordinates(m.c.Rank())
	for d, keep := range c.ints(c.a[1], len(t.dims), false) {
		if keep != 0 {
			sub.dims, sub.periodic = append(sub.dims, t.dims[d]), append(sub.periodic, t.periodic[d])
			key = key*t.dims[d] + at[d]
		} else {
			color = color*t.dims[d] + at[d]
		}
	}
	s, err := m.c.Split(c.function.name, color, key)
	if err != nil {
		return err
	}
	n := c.newComm(s, m)
	n.topology = sub
	c.putWord(c.a[2], n.handle)
	return nil
}

func (c *call) cartGet() error {
	m, t, err := c.cart()
	if err != nil {
		return err
	}
	n := min(c.at(1), len(t.dims))
	periodic := make([]int, len(t.dims))
	for d, p := range t.periodic {
		if p {
			periodic[d] = 1
		}
	}
	c.putInts(c.a[2], t.dims[:n], false)
	c.putInts(c.a[3], periodic[:n], false)
	c.putInts(c.a[4], t.coordinates(m.c.Rank())[:n], false)
	return nil
}

func (c *call) cartCoords() error {
	m, t, err := c.cart()
	if err != nil {
		return err
	}
	if r := c.at(1); r < 0 || r >= m.c.Size() {
		return wrong(standard.ErrRank, "rank %d; there are ranks 0 to %d", r, m.c.Size()-1)
	}
	if c.at(2) < len(t.dims) {
		return wrong(standard.ErrArg, "room for %d coordinates; expected %d", c.at(2), len(t.dims))
	}
	c.putInts(c.a[3], t.coordinates(c.at(1)), false)
	return nil
}

func (c *call) cartRank() error {
	_, t, err := c.cart()
	if err != nil {
		return err
	}
	at := c.ints(c.a[1], len(t.dims), false)
	rank, ok := t.rankAt(at)
	if !ok {
		return wrong(standard.ErrArg, "coordinates %v in a grid of %v", at, t.dims)
	}
	c.putInt(c.a[2], rank)
	return nil
}

func (c *call) cartShift() error {
	m, t, err := c.cart()
	if err != nil {
		return err
	}
	d := c.at(1)
	if d < 0 || d >= len(t.dims) {
		return wrong(standard.ErrDims, "dimension %d; expected 0 to %d", d, len(t.dims)-1)
	}
	for i, steps := range []int{-c.at(2), c.at(2)} {
		r := t.moved(m.c.Rank(), d, steps)
		if r == core.None {
			r = standard.ProcNull
		}
		c.putInt(c.a[3+i], r)
	}
	return nil
}

func (c *call) cartMap() error {
	m, err := c.intra(0)
	if err != nil {
		return err
	}
	_, size, err := c.grid(m, 1)
	if err == nil {
		c.putMapped(c.a[4], m.c.Rank(), size)
	}
	return err
}

// putMapped writes the rank in a topology of some ranks.
func (c *call) putMapped(at int64, rank, size int) {
	if rank >= size {
		rank = standard.Undefined
	}
	c.putInt(at, rank)
}

func (c *call) cartDims() error {
	_, t, err := c.cart()
	if err == nil {
		c.putInt(c.a[1], len(t.dims))
	}
	return err
}

func (c *call) dimsCreate() error {
	if n := c.at(1); n < 0 {
		return wrong(standard.ErrDims, "%d dimensions; expected at least 0", n)
	}
	all, err := dims.Divide(c.at(0), c.ints(c.a[2], c.at(1), false))
	if err != nil {
		return wrong(standard.ErrDims, "%v", err)
	}
	c.putInts(c.a[2], all, false)
	return nil
}

func (c *call) topoTest() error {
	m, err := c.comm(0)
	if err != nil {
		return err
	}
	kind := standard.Undefined
	if m.topology != nil {
		kind = m.topology.kind
	}
	c.putInt(c.a[1], kind)
	return nil
}

func (c *call) readGraph(m *comm, i int) (*topology, error) {
	n := c.at(i)
	if n < 0 || n > m.c.Size() {
		return nil, wrong(standard.ErrArg, "a graph of %d nodes; there are %d ranks", n, m.c.Size())
	}
	t := &topology{kind: standard.Graph, index: c.ints(c.a[i+1], n, false)}
	if n > 0 {
		t.edges = c.ints(c.a[i+2], t.index[n-1], false)
	}
	for _, e := range t.edges {
		if e < 0 || e >= n {
			return nil, wrong(standard.ErrTopology, "an edge to %d in a graph of %d", e, n)
		}
	}
	return t, nil
}

func (c *call) graphCreate() error {
	m, err := c.intra(0)
	if err != nil {
		return err
	}
	t, err := c.readGraph(m, 1)
	if err != nil {
		return err
	}
	return c.first(m, len(t.index), t, 5)
}

func (c *call) graphMap() error {
	m, err := c.intra(0)
	if err == nil {
		c.putMapped(c.a[4], m.c.Rank(), c.at(1))
	}
	return err
}

func (c *call) graph() (*topology, error) {
	m, err := c.intra(0)
	if err == nil && (m.topology == nil || m.topology.kind != standard.Graph) {
		err = wrong(standard.ErrTopology, "a communicator without a graph")
	}
	if err != nil {
		return nil, err
	}
	return m.topology, nil
}

func (c *call) graphCount() error {
	t, err := c.graph()
	if err != nil {
		return err
	}
	if r := c.at(1); r < 0 || r >= len(t.index) {
		return wrong(standard.ErrRank, "rank %d in a graph of %d", r, len(t.index))
	}
	c.putInt(c.a[2], len(t.of(c.at(1))))
	return nil
}

func (c *call) graphNeighbours() error {
	t, err := c.graph()
	if err != nil {
		return err
	}
	if r := c.at(1); r < 0 || r >= len(t.index) {
		return wrong(standard.ErrRank, "rank %d in a graph of %d", r, len(t.index))
	}
	list := t.of(c.at(1))
	c.putInts(c.a[3], list[:min(c.at(2), len(list))], false)
	return nil
}

// weights reads weights, which may be those of no edge or missing.
func (c *call) weights(i, n int) []int {
	if c.a[i] == standard.Unweighted || c.a[i] == standard.WeightsEmpty {
		return make([]int, n)
	}
	return c.ints(c.a[i], n, false)
}

func (c *call) putGraph(m *comm, t *topology, result int) error {
	for _, r := range slices.Concat(t.sources, t.destinations) {
		if r < 0 || r >= m.c.Size() {
			return wrong(standard.ErrRank, "rank %d; there are ranks 0 to %d", r, m.c.Size()-1)
		}
	}
	made, err := m.c.Dup(c.function.name)
	if err != nil {
		return err
	}
	n := c.newComm(made, m)
	n.topology = t
	c.putWord(c.a[result], n.handle)
	return nil
}

func (c *call) distGraphAdjacent() error {
	m, err := c.intra(0)
	if err != nil {
		return err
	}
	in, out := c.at(1), c.at(4)
	if in < 0 || out < 0 {
		return wrong(standard.ErrArg, "%d sources and %d destinations", in, out)
	}
	return c.putGraph(m, &topology{
		kind: standard.DistGraph, sources: c.ints(c.a[2], in, false), sourceWeights: c.weights(3, in), destinations: c.ints(c.a[5], out, false), destinationWeights: c.weights(6, out),
		weighted: c.a[3] != standard.Unweighted && c.a[6] != standard.Unweighted,
	}, 9)
}

// edge is an edge of a graph that any rank may tell of.
type edge struct{ From, To, Weight int32 }

func (c *call) distGraph() error {
	m, err := c.intra(0)
	if err != nil {
		return err
	}
	n := c.at(1)
	if n < 0 {
		return wrong(standard.ErrArg, "%d sources", n)
	}
	sources, degrees := c.ints(c.a[2], n, false), c.ints(c.a[3], n, false)
	total := 0
	for _, d := range degrees {
		if d < 0 {
			return wrong(standard.ErrArg, "%d edges of a source", d)
		}
		total += d
	}
	to, weights := c.ints(c.a[4], total, false), c.weights(5, total)
	var mine []edge
	for i, d := range degrees {
		for range d {
			mine = append(mine, edge{int32(sources[i]), int32(to[0]), int32(weights[0])})
			to, weights = to[1:], weights[1:]
		}
	}
	for _, e := range mine {
		if e.From < 0 || int(e.From) >= m.c.Size() || e.To < 0 || int(e.To) >= m.c.Size() {
			return wrong(standard.ErrRank, "an edge from %d to %d; there are ranks 0 to %d", e.From, e.To, m.c.Size()-1)
		}
	}
	all, err := gatherAll(c, m, mine)
	if err != nil {
		return err
	}
	t := &topology{kind: standard.DistGraph, weighted: c.a[5] != standard.Unweighted}
	for _, e := range all {
		if int(e.To) == m.c.Rank() {
			t.sources, t.sourceWeights = append(t.sources, int(e.From)), append(t.sourceWeights, int(e.Weight))
		}
		if int(e.From) == m.c.Rank() {
			t.destinations, t.destinationWeights = append(t.destinations, int(e.To)), append(t.destinationWeights, int(e.Weight))
		}
	}
	return c.putGraph(m, t, 8)
}

func (c *call) distributed() (*topology, error) {
	m, err := c.intra(0)
	if err == nil && (m.topology == nil || m.topology.kind != standard.DistGraph) {
		err = wrong(standard.ErrTopology, "a communicator without a distributed graph")
	}
	if err != nil {
		return nil, err
	}
	return m.topology, nil
}

func (c *call) distGraphCount() error {
	t, err := c.distributed()
	if err == nil {
		c.putInt(c.a[1], len(t.sources))
		c.putInt(c.a[2], len(t.destinations))
		c.putBool(c.a[3], t.weighted)
	}
	return err
}

func (c *call) distGraphNeighbours() error {
	t, err := c.distributed()
	if err != nil {
		return err
	}
	in, out := min(c.at(1), len(t.sources)), min(c.at(4), len(t.destinations))
	c.putInts(c.a[2], t.sources[:in], false)
	c.putInts(c.a[5], t.destinations[:out], false)
	if t.weighted {
		if c.a[3] > standard.WeightsEmpty {
			c.putInts(c.a[3], t.sourceWeights[:in], false)
		}
		if c.a[6] > standard.WeightsEmpty {
			c.putInts(c.a[6], t.destinationWeights[:out], false)
		}
	}
	return nil
}
