package generate

import (
	"fmt"
	"strings"

	"musubi/topology"
)

// hyperX makes the network of Ahn, Binkert, Davis, McLaren and Schreiber (HyperX: Topology, Routing, and
// Packaging of Efficient Large-Scale Networks, SC 2009): switches with coordinates, of which all that
// differ in one coordinate only are linked, by k links. With one dimension it is a full mesh, with
// dimensions of size 2 a hypercube, with two a flattened butterfly.
//
// Ports are ordered by dimension, then by the coordinate of the other end; the k links of two switches
// lie beside each other.
func hyperX(args string, hosts int) (plan, error) {
	first, rest, more := strings.Cut(args, ",")
	dims, err := sizes(first)
	if err != nil {
		return plan{}, err
	}
	t := parameter{key: "t", low: 1, value: 1, optional: true}
	k := parameter{key: "k", low: 1, several: true, optional: true}
	if more {
		if err := assignments(rest, &t, &k); err != nil {
			return plan{}, err
		}
	}
	h := hamming{dims: dims, width: k.list}
	switch {
	case len(k.list) <= 1:
		h.width = make([]int, len(dims))
		for i := range h.width {
			h.width[i] = max(1, k.value)
		}
	case len(k.list) != len(dims):
		return plan{}, fmt.Errorf("k has %d numbers of links; expected one, or one for each of the %d dimensions", len(k.list), len(dims))
	}
	if hosts == 0 {
		hosts = t.value
	}
	switches, degree := 1.0, 0.0
	for i, d := range dims {
		switches *= float64(d)
		degree += float64(d-1) * float64(h.width[i])
	}
	if err := topology.CheckSize(switches, switches*degree/2, switches*float64(hosts)); err != nil {
		return plan{}, err
	}
	return plan{
		switches:  int(switches),
		linkPorts: constant(int(degree)),
		hosts:     constant(hosts),
		links:     h.links(int(switches)),
		shape:     &topology.Shape{Kind: "hyperx", Dims: dims, Wrap: make([]bool, len(dims)), Full: true},
	}, nil
}

// hamming is a HyperX: sizes, and links between two switches, by dimension.
type hamming struct{ dims, width []int }

func (h hamming) links(switches int) []topology.Link {
	var links []topology.Link
	stride, before := 1, 0 // ports of the dimensions before
	for d, size := range h.dims {
		for sw := range switches {
			at := sw / stride % size
			for to := at + 1; to < size; to++ {
				for i := range h.width[d] {
					links = append(links, topology.Link{
						A: topology.Port{Switch: sw, Number: before + (to-1)*h.width[d] + i + 1},
						B: topology.Port{Switch: sw + (to-at)*stride, Number: before + at*h.width[d] + i + 1},
					})
				}
			}
		}
		stride *= size
		before += (size - 1) * h.width[d]
	}
	return links
}
