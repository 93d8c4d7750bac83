package routing

import (
	"fmt"
	"slices"

	"musubi/routing/internal/ways"
	"musubi/topology"
)

var eCubeRouting = Algorithm{
	Name:        "ecube",
	Summary:     "dimension order on a mesh, torus, hypercube or HyperX",
	Source:      "Dally, Seitz, IEEE Trans. Computers 1987",
	Minimal:     true,
	Coordinates: true,
	build:       buildECube,
	compute: func(net *topology.Network, opt Options) (*Routes, error) {
		return computeDimensionOrder(net, opt, axesOf(net))
	},
}

// buildECube is dimension-order routing (Dally, Seitz: "Deadlock-Free Message
// Routing in Multiprocessor Interconnection Networks", IEEE Trans. Computers
// 1987): a packet corrects its first coordinate entirely, then the second, and
// so on. In a dimension with wrap-around links, paths that take one use virtual
// channel 1 and the others 0, all the way through that dimension: that loads the
// two more evenly than to change over at the wrap-around link. No shortest path
// is longer than half a ring, and so those on virtual channel 1 do not close it. In a HyperX one hop
// corrects a coordinate.
func buildECube(net *topology.Network, opt Options) (*Routes, error) {
	return buildDimensionOrder(net, opt, axesOf(net))
}

// axesOf numbers the dimensions of a network.
func axesOf(net *topology.Network) []int {
	order := make([]int, len(net.Shape.Dims))
	for i := range order {
		order[i] = i
	}
	return order
}

// computeDimensionOrder is buildDimensionOrder without tables. It returns nil if a link is
// missing, or if there is something to balance.
func computeDimensionOrder(net *topology.Network, opt Options, order []int) (*Routes, error) {
	if net.Shape.Full {
		return computeLineOrder(net, opt, order)
	}
	d, err := newDimensionOrder(net, opt, order)
	if err != nil || opt.Selection == Balanced && slices.ContainsFunc(d.axes, axis.tied) {
		return nil, nil
	}
	p := &plan{net: net, opt: opt}
	if err := p.spareLanes(d.lanes()); err != nil {
		return nil, err
	}
	return newComputed(p, d), nil
}

// buildDimensionOrder builds dimension-order routes that correct the coordinates in a given order.
func buildDimensionOrder(net *topology.Network, opt Options, order []int) (*Routes, error) {
	dims, err := newDimensions(net, opt, order)
	if err != nil {
		return nil, err
	}
	p := &plan{net: net, opt: opt, guide: dims.guide(opt.DestinationOnly)}
	need := 1
	if dims.dateline() {
		need = 2
		p.assign = dims.separate
	}
	if err := p.spareLanes(need); err != nil {
		return nil, err
	}
	return p.build()
}

// dimensions is the position of each link of a regular network in its dimensions.
type dimensions struct {
	algorithm string // its name
	net       *topology.Network
	order     []int  // the coordinates, as packets correct them
	dim       []int8 // per channel: position in order of the coordinate that it changes
	wrap      []bool // per channel: it is a wrap-around link that needs a dateline
}

func newDimensions(net *topology.Network, opt Options, order []int) (*dimensions, error) {
	d := &dimensions{algorithm: opt.algorithm, net: net, order: order, dim: make([]int8, net.Channels()), wrap: make([]bool, net.Channels())}
	var a, b []int
	for sw := range net.Switches {
		a = net.Shape.Coordinates(a[:0], sw)
		for _, c := range net.Out(sw) {
			b = net.Shape.Coordinates(b[:0], net.To(int(c)).Switch)
			if err := d.place(int(c), a, b); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// place records the dimension of a channel between two coordinates.
func (d *dimensions) place(c int, a, b []int) error {
	dim := -1
	for position, i := range d.order {
		if a[i] == b[i] {
			continue
		}
		length, distance := d.net.Shape.Dims[i], max(a[i]-b[i], b[i]-a[i])
		wraps := d.net.Shape.Wrap[i] && distance == length-1
		if dim >= 0 || distance != 1 && !wraps && !d.net.Shape.Full {
			return fmt.Errorf("%s cannot use the link between switches %s and %s of %q: they are not neighbours in one dimension",
				d.algorithm, d.net.SwitchName(d.net.From(c).Switch), d.net.SwitchName(d.net.To(c).Switch), d.net.Name)
		}
		dim = position
		// Shortest paths in a ring of two or three switches have one hop, which
		// closes no cycle.
		d.wrap[c] = wraps && length > 3
	}
	d.dim[c] = int8(dim)
	return nil
}

// guide allows shortest paths whose dimensions never go back in their order.
func (d *dimensions) guide(destinationOnly bool) ways.Guide {
	n := len(d.net.Shape.Dims)
	if destinationOnly {
		return &ways.DestinationGuide{Net: d.net, Goal: ways.Label(n), Join: func(c int32, next ways.Label) (ways.Label, bool) {
			return ways.Label(d.dim[c]), ways.Label(d.dim[c]) <= next
		}}
	}
	return ways.ClassAutomaton(d.net, n, func(class int, c int32) int {
		if int(d.dim[c]) < class {
			return -1
		}
		return int(d.dim[c])
	})
}

// dateline reports whether any dimension needs two virtual channels.
func (d *dimensions) dateline() bool {
	for _, w := range d.wrap {
		if w {
			return true
		}
	}
	return false
}

// separate sets the virtual channels of a path, one dimension at a time.
func (d *dimensions) separate(p Path) error {
	for len(p) > 0 {
		dim := d.dim[p[0].Channel()]
		n, vc := 0, 0
		for ; n < len(p) && d.dim[p[n].Channel()] == dim; n++ {
			if d.wrap[p[n].Channel()] {
				vc = 1
			}
		}
		for i := range n {
			p[i] = MakeHop(p[i].Channel(), vc)
		}
		p = p[n:]
	}
	return nil
}
