package generate

import (
	"fmt"

	"musubi/topology"
)

// extended makes the extended generalised fat tree XGFT(h; m1, ..., mh; w1, ..., wh) of Öhring, Ibel, Das and
// Kumar (On Generalized Fat Trees, IPPS 1995): a switch at level i has mi branches below it, and each
// of these wi switches above it. Hosts are the lowest level, so m1 is how many a switch at level 1 has,
// and w1 is 1, as a host has one port. There are m1*...*mh hosts. XGFT(3; k/2, k/2, k; 1, k/2, k/2) is
// the fat tree of k-port switches, XGFT(h; k, ..., k; 1, k, ..., k) the k-ary h-tree, and where mi is more than
// w(i+1) the tree is slimmed.
//
// Switches are numbered level by level, from the lowest. The label of one at level l has the digits
// y1, ..., yl, each below wi, and x(l+1), ..., xh, each below mi, the first of which varies fastest; those
// above it have a digit y(l+1) in place of x(l+1). On every switch the ports to the level below come
// first, then those to the level above, both ordered by the digit that differs.
func extended(args string, hosts int) (plan, error) {
	m := parameter{key: "m", low: 1, several: true}
	w := parameter{key: "w", low: 1, several: true}
	if err := assignments(args, &m, &w); err != nil {
		return plan{}, err
	}
	t := levels{below: m.list, above: w.list}
	switch h := len(m.list); {
	case len(w.list) != h:
		return plan{}, fmt.Errorf("m has %d levels and w %d; expected as many of both", h, len(w.list))
	case h > maxLevels:
		return plan{}, fmt.Errorf("%d levels; expected 1 to %d", h, maxLevels)
	case w.list[0] != 1:
		return plan{}, fmt.Errorf("w begins with %d; expected 1, as each host has one port", w.list[0])
	}
	if hosts == 0 {
		hosts = m.list[0]
	}
	var switches, links float64
	for l := range m.list {
		at := t.width(l)
		switches += at
		if l+1 < len(m.list) {
			links += at * float64(w.list[l+1])
		}
	}
	if err := topology.CheckSize(switches, links, t.width(0)*float64(hosts)); err != nil {
		return plan{}, err
	}
	return t.plan(hosts), nil
}

// levels is a tree with branches below and switches above, by level.
type levels struct{ below, above []int }

// width is the number of switches at level l+1.
func (t levels) width(l int) float64 {
	n := 1.0
	for i := range t.below {
		if i <= l {
			n *= float64(t.above[i])
		} else {
			n *= float64(t.below[i])
		}
	}
	return n
}

func (t levels) plan(hosts int) plan {
	var p plan
	var ports []int // by switch
	stride := 1     // of the digit that differs
	for l := range t.below {
		first, width, down, up := p.switches, int(t.width(l)), 0, 0
		if l > 0 {
			down = t.below[l]
		}
		if l+1 < len(t.below) {
			up = t.above[l+1]
		}
		p.switches += width
		for sw := range width {
			ports = append(ports, down+up)
			for y := range up {
				digit, rest := sw/stride%t.below[l+1], sw/stride/t.below[l+1]
				p.links = append(p.links, topology.Link{
					A: topology.Port{Switch: first + sw, Number: down + y + 1},
					B: topology.Port{Switch: p.switches + sw%stride + (y+rest*up)*stride, Number: digit + 1},
				})
			}
		}
		stride *= max(up, 1)
	}
	lowest := int(t.width(0))
	p.linkPorts = func(sw int) int { return ports[sw] }
	p.hosts = func(sw int) int {
		if sw < lowest {
			return hosts
		}
		return 0
	}
	return p
}
