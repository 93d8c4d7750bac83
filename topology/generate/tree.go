package generate

import (
	"fmt"
	"math"

	"musubi/topology"
)

// arityTree makes a tree of switches: those at the lowest level, the leaves, have hosts, and each
// switch above them has arity branches. There is one path between two switches, so the load of a
// method of communication on the links of each level can be computed by counting. There are
// arity^levels hosts.
//
// Switches are numbered level by level, leaves first; switch i of a level is below
// switch i/arity of the next. On every switch the ports to the level below come first,
// then the one to the level above.
func arityTree(args string, hosts int) (plan, error) {
	arity := parameter{key: "arity", low: 2}
	levels := parameter{key: "levels", low: 1}
	if err := assignments(args, &arity, &levels); err != nil {
		return plan{}, err
	}
	k, l := arity.value, levels.value
	if l > maxLevels {
		return plan{}, fmt.Errorf("levels is %d; expected 1 to %d", l, maxLevels)
	}
	if hosts == 0 {
		hosts = k
	}
	leaves := math.Pow(float64(k), float64(l-1))
	switches := (leaves*float64(k) - 1) / float64(k-1)
	if err := topology.CheckSize(switches, switches-1, leaves*float64(hosts)); err != nil {
		return plan{}, err
	}
	return branches{arity: k, leaves: int(leaves), switches: int(switches)}.plan(hosts), nil
}

// branches is a tree of switches, the root of which is the last.
type branches struct{ arity, leaves, switches int }

func (t branches) plan(hosts int) plan {
	p := plan{switches: t.switches}
	p.hosts = func(sw int) int {
		if sw < t.leaves {
			return hosts
		}
		return 0
	}
	p.linkPorts = func(sw int) int { return t.down(sw) + t.up(sw) }
	first := 0 // switch of the level
	for width := t.leaves; width > 1; width /= t.arity {
		for i := range width {
			sw, above := first+i, first+width+i/t.arity
			p.links = append(p.links, topology.Link{A: topology.Port{Switch: sw, Number: t.down(sw) + 1}, B: topology.Port{Switch: above, Number: i%t.arity + 1}})
		}
		first += width
	}
	return p
}

// down returns the number of ports of a switch to the level below.
func (t branches) down(sw int) int {
	if sw < t.leaves {
		return 0
	}
	return t.arity
}

// up returns the number of ports of a switch to the level above.
func (t branches) up(sw int) int {
	if sw == t.switches-1 {
		return 0
	}
	return 1
}
