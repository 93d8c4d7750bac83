package generate

import (
	"cmp"
	"fmt"

	"musubi/topology"
)

// railClos makes a rail-optimised Clos: nodes have an interface for each rail, and interfaces of the same
// rail are on the same leaf switch, for as many nodes as a pod has. Spine switches join all leaves. So
// ranks with the same number in their nodes are two links apart. The design is that of reference
// architectures for accelerators (such as NVIDIA's HGX AI Factory); "over" is how many hosts of a leaf
// share an uplink, and is 1 where the network does not block.
//
// Leaves come first, pod by pod and rail by rail, and then the spines. Uplink u of a leaf leads to spine
// u mod spines. On leaves the ports to spines come first, then those of the nodes, in their order. Unless
// a number of spines is given, there are as few as divide the uplinks evenly and have at most twice as
// many ports as a leaf has nodes, or else one for each uplink.
//
// Hosts are called after node and rail, such as "node3 rail5"; see topology.Network.Nodes.
func railClos(args string, hosts int) (plan, error) {
	nodes := parameter{key: "nodes", low: 1}
	rails := parameter{key: "rails", low: 1, value: 8, optional: true}
	pod := parameter{key: "pod", low: 1, optional: true}
	over := parameter{key: "over", low: 1, value: 1, optional: true}
	spines := parameter{key: "spines", low: 1, optional: true}
	if err := assignments(args, &nodes, &rails, &pod, &over, &spines); err != nil {
		return plan{}, err
	}
	if !pod.given {
		pod.value = cmp.Or(hosts, min(nodes.value, 32))
	}
	r := railed{nodes: nodes.value, rails: rails.value, pod: pod.value}
	switch {
	case hosts != 0 && hosts != r.pod:
		return plan{}, fmt.Errorf("%d hosts per switch collide with pod of %d: a leaf has one for each node", hosts, r.pod)
	case r.pod%over.value != 0:
		return plan{}, fmt.Errorf("over is %d; expected a divisor of the %d nodes of a pod", over.value, r.pod)
	}
	r.up = r.pod / over.value
	leaves := float64(r.pods()) * float64(r.rails)
	r.spines = r.usualSpines()
	if spines.given {
		r.spines = spines.value
	}
	if r.up%r.spines != 0 {
		return plan{}, fmt.Errorf("spines is %d; expected a divisor of the %d uplinks of a leaf", r.spines, r.up)
	}
	if err := topology.CheckSize(leaves+float64(r.spines), leaves*float64(r.up), float64(r.nodes)*float64(r.rails)); err != nil {
		return plan{}, err
	}
	return r.plan(), nil
}

// railed is a rail-optimised Clos. A leaf has up uplinks.
type railed struct{ nodes, rails, pod, up, spines int }

func (r railed) pods() int   { return (r.nodes + r.pod - 1) / r.pod }
func (r railed) leaves() int { return r.pods() * r.rails }

func (r railed) plan() plan {
	p := plan{switches: r.leaves() + r.spines}
	p.hosts = func(sw int) int {
		if sw < r.leaves() {
			return min(r.pod, r.nodes-sw/r.rails*r.pod) // the last pod may have fewer
		}
		return 0
	}
	p.hostName = func(sw, i int) string {
		return fmt.Sprintf("node%d rail%d", sw/r.rails*r.pod+i, sw%r.rails)
	}
	p.linkPorts = func(sw int) int {
		if sw < r.leaves() {
			return r.up
		}
		return r.leaves() * r.up / r.spines
	}
	for i := range r.leaves() * r.up {
		p.links = append(p.links, topology.Link{
			A: topology.Port{Switch: i / r.up, Number: i%r.up + 1},
			B: topology.Port{Switch: r.leaves() + i%r.up%r.spines, Number: i/r.spines + 1},
		})
	}
	return p
}

// usualSpines returns the number of spines if none is given.
func (r railed) usualSpines() int {
	for n := 1; n < r.up; n++ {
		if r.up%n == 0 && r.leaves()*r.up <= n*2*r.pod {
			return n
		}
	}
	return r.up
}
