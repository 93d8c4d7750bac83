package routing

import (
	"fmt"

	"musubi/topology"
)

// buildECube is dimension-order routing (Dally, Seitz: "Deadlock-Free Message
// Routing in Multiprocessor Interconnection Networks", IEEE Trans. Computers
// 1987): a packet corrects its first coordinate entirely, then the second, and
// so on. In a dimension with wrap-around links it uses virtual channel 0 before
// the wrap-around link and 1 from there on.
func buildECube(net *topology.Network, opt Options) (*Routes, error) {
	dims, err := newDimensions(net)
	if err != nil {
		return nil, err
	}
	p := &plan{name: "ecube", net: net, opt: opt, guide: dims.guide(opt.DestinationOnly)}
	need := 1
	if dims.dateline() {
		need = 2
		p.assign = dims.crossDatelines
	}
	if err := p.spareLanes(need); err != nil {
		return nil, err
	}
	return p.build()
}

// dimensions says how the links of a regular network lie.
type dimensions struct {
	net  *topology.Network
	dim  []int8 // per channel: the coordinate that it changes
	wrap []bool // per channel: it is a wrap-around link that needs a dateline
}

func newDimensions(net *topology.Network) (*dimensions, error) {
	if net.Shape == nil {
		return nil, fmt.Errorf("ecube needs a mesh, torus or hypercube; network %q has no coordinates", net.Name)
	}
	d := &dimensions{net: net, dim: make([]int8, net.Channels()), wrap: make([]bool, net.Channels())}
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
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		length, distance := d.net.Shape.Dims[i], max(a[i]-b[i], b[i]-a[i])
		wraps := d.net.Shape.Wrap[i] && distance == length-1
		if dim >= 0 || distance != 1 && !wraps {
			return fmt.Errorf("ecube cannot use the link between switches %s and %s of %q: they are not neighbours in one dimension",
				d.net.SwitchName(d.net.From(c).Switch), d.net.SwitchName(d.net.To(c).Switch), d.net.Name)
		}
		dim = i
		// Shortest paths in a ring of two or three switches have one hop, which
		// closes no cycle.
		d.wrap[c] = wraps && length > 3
	}
	d.dim[c] = int8(dim)
	return nil
}

// guide allows shortest paths whose dimensions never decrease.
func (d *dimensions) guide(destinationOnly bool) guide {
	n := len(d.net.Shape.Dims)
	if destinationOnly {
		return &destinationGuide{net: d.net, goal: label(n), join: func(c int32, next label) (label, bool) {
			return label(d.dim[c]), label(d.dim[c]) <= next
		}}
	}
	return classAutomaton(d.net, n, func(class int, c int32) int {
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

// crossDatelines sets the virtual channels of a path.
func (d *dimensions) crossDatelines(p Path) error {
	vc := 0
	for i, h := range p {
		c := h.Channel()
		if i > 0 && d.dim[p[i-1].Channel()] != d.dim[c] {
			vc = 0
		}
		if d.wrap[c] {
			vc = 1
		}
		p[i] = MakeHop(c, vc)
	}
	return nil
}
