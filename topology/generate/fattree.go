package generate

import (
	"fmt"
	"math"

	"musubi/topology"
)

// maxLevels bounds the depth of a fat tree.
const maxLevels = 16

// fatTree makes a folded Clos network of k-port switches. With three levels it
// is that of Al-Fares, Loukissas and Vahdat (A Scalable, Commodity Data Center
// Network Architecture, SIGCOMM 2008): k pods and k^3/4 hosts; with two it is a
// leaf-spine network of k leaves and k/2 spines.
//
// Switches are numbered level by level, edge first. With m = k/2, the label of a
// switch below the top is a number of levels-1 digits, each below m but the
// last, the pod, below k; the first digit varies fastest. A switch at level i is
// linked to the m switches at level i+1 whose labels differ from its own in
// digit i only. At the top the last digit is below m and names one of the m
// switches that a switch at the level below reaches; each is linked to all pods.
//
// With "over" an edge switch has so many times as many hosts as uplinks, on ports beyond its k, so that
// they share these (oversubscription).
//
// On every switch the ports to the level below come first, then those to the
// level above, both ordered by the digit that differs.
func fatTree(args string, hosts int) (plan, error) {
	k := parameter{key: "k", low: 2}
	levels := parameter{key: "levels", low: 2, value: 3, optional: true}
	over := parameter{key: "over", low: 1, value: 1, optional: true}
	if err := assignments(args, &k, &levels, &over); err != nil {
		return plan{}, err
	}
	if k.value%2 != 0 {
		return plan{}, fmt.Errorf("k is %d; expected an even number", k.value)
	}
	if levels.value > maxLevels {
		return plan{}, fmt.Errorf("levels is %d; expected 2 to %d", levels.value, maxLevels)
	}
	m, l := k.value/2, levels.value
	if hosts == 0 {
		hosts = m * over.value
	}
	if over.given && hosts != m*over.value {
		return plan{}, fmt.Errorf("%d hosts per switch collide with over of %d: an edge switch with %d uplinks then has %d", hosts, over.value, m, m*over.value)
	}
	top := math.Pow(float64(m), float64(l-1))
	below := 2 * top // switches at each other level
	if err := topology.CheckSize(below*float64(l-1)+top, below*float64(m*(l-1)), below*float64(hosts)); err != nil {
		return plan{}, err
	}
	t := tree{m: m, levels: l, width: int(below)}
	return t.plan(hosts), nil
}

type tree struct {
	m, levels int
	width     int // switches at each level but the top
}

func (t tree) plan(hosts int) plan {
	p := plan{switches: t.width*(t.levels-1) + t.width/2}
	p.hosts = func(sw int) int {
		if sw < t.width {
			return hosts
		}
		return 0
	}
	p.linkPorts = func(sw int) int {
		if sw < t.width {
			return t.m
		}
		return 2 * t.m
	}
	stride := 1 // of digit i
	for i := range t.levels - 1 {
		down := t.m // ports to the level below
		if i == 0 {
			down = 0
		}
		for w := range t.width {
			digit := t.digit(i, w, stride)
			for u := range t.m {
				parent := t.parent(i, w, u, stride)
				p.links = append(p.links, topology.Link{
					A: topology.Port{Switch: i*t.width + w, Number: down + u + 1},
					B: topology.Port{Switch: (i+1)*t.width + parent, Number: digit + 1},
				})
			}
		}
		stride *= t.m
	}
	return p
}

// digit returns digit i of label w. The last one is not reduced: it is the pod.
func (t tree) digit(i, w, stride int) int {
	if i == t.levels-2 {
		return w / stride
	}
	return w / stride % t.m
}

// parent returns label w with digit i replaced by u.
func (t tree) parent(i, w, u, stride int) int {
	return w + (u-t.digit(i, w, stride))*stride
}
