package generate

import (
	"fmt"

	"musubi/topology"
)

// Networks whose switches have coordinates. Two ports are kept for each
// dimension d, counted from 0: port 2d+1 leads down and port 2d+2 up, whether the
// link exists or not. A hypercube keeps one per dimension, port d+1. A dimension of size 2 has no wrap-around link even in a
// torus: it would lie beside the one link that is there.

func mesh(args string, hosts int) (plan, error) {
	dims, err := sizes(args)
	if err != nil {
		return plan{}, err
	}
	return grid("mesh", dims, make([]bool, len(dims)), hosts)
}

func torus(args string, hosts int) (plan, error) {
	dims, err := sizes(args)
	if err != nil {
		return plan{}, err
	}
	wrap := make([]bool, len(dims))
	for i, d := range dims {
		wrap[i] = d > 2
	}
	return grid("torus", dims, wrap, hosts)
}

func ring(args string, hosts int) (plan, error) {
	n, err := number(args, "the number of switches", 1)
	if err != nil {
		return plan{}, err
	}
	return grid("torus", []int{n}, []bool{n > 2}, hosts)
}

// maxHypercube keeps 2^n within maxSwitches.
const maxHypercube = 18

func hypercube(args string, hosts int) (plan, error) {
	n, err := number(args, "the number of dimensions", 0)
	if err != nil {
		return plan{}, err
	}
	if n > maxHypercube {
		return plan{}, fmt.Errorf("%d dimensions; expected 0 to %d", n, maxHypercube)
	}
	dims := make([]int, n)
	for i := range dims {
		dims[i] = 2
	}
	p, err := grid("hypercube", dims, make([]bool, n), hosts)
	if err != nil {
		return plan{}, err
	}
	p.linkPorts = constant(n)
	for i := range p.links {
		l := &p.links[i]
		l.A.Number /= 2
		l.B.Number = l.A.Number
	}
	return p, nil
}

// tofu is the network of the K computer and its successors: X, Y, Z and B are
// tori, A and C have a single link and so are meshes of at most 2 (Ajima,
// Sumimoto, Shimizu: Tofu: A 6D Mesh/Torus Interconnect for Exascale Computers,
// IEEE Computer 42(11), 2009).
func tofu(args string, hosts int) (plan, error) {
	dims, err := sizes(args)
	if err != nil {
		return plan{}, err
	}
	if len(dims) != 6 {
		return plan{}, fmt.Errorf("%d dimensions; expected 6: X, Y, Z, A, B and C", len(dims))
	}
	wrap := make([]bool, 6)
	for i, d := range dims {
		if limit := [...]int{3: 2, 4: 3, 5: 2}[i]; limit > 0 && d > limit {
			return plan{}, fmt.Errorf("dimension %c has size %d; expected at most %d", "XYZABC"[i], d, limit)
		}
		wrap[i] = d > 2
	}
	return grid("tofu", dims, wrap, hosts)
}

func grid(kind string, dims []int, wrap []bool, hosts int) (plan, error) {
	hosts = max(hosts, 1)
	switches := 1.0
	for _, d := range dims {
		switches *= float64(d)
	}
	links := 0.0
	for i, d := range dims {
		links += switches
		if !wrap[i] {
			links -= switches / float64(d)
		}
	}
	if err := topology.CheckSize(switches, links, switches*float64(hosts)); err != nil {
		return plan{}, err
	}
	p := plan{
		switches:  int(switches),
		linkPorts: constant(2 * len(dims)),
		hosts:     constant(hosts),
		shape:     &topology.Shape{Kind: kind, Dims: dims, Wrap: wrap},
	}
	var at []int
	for s := range p.switches {
		at = p.shape.Coordinates(at[:0], s)
		stride := 1
		for d, size := range dims {
			if next, ok := up(at[d], size, wrap[d]); ok {
				t := s + (next-at[d])*stride
				p.links = append(p.links, topology.Link{A: topology.Port{Switch: s, Number: 2*d + 2}, B: topology.Port{Switch: t, Number: 2*d + 1}})
			}
			stride *= size
		}
	}
	return p, nil
}

// up returns the next coordinate, if there is one.
func up(x, size int, wrap bool) (int, bool) {
	if x+1 < size {
		return x + 1, true
	}
	return 0, wrap
}
