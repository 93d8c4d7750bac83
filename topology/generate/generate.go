package generate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/topology"
)

// Generator makes the networks of one family.
type Generator struct {
	Name    string
	Example string // a complete name
	About   string // one line

	plan func(args string, hosts int) (plan, error)
}

var generators = []Generator{
	{"mesh", "mesh:4x4", "k-ary n-mesh, size of each dimension", mesh},
	{"torus", "torus:4x4x4", "k-ary n-cube, size of each dimension", torus},
	{"ring", "ring:16", "one-dimensional torus, number of switches", ring},
	{"hypercube", "hypercube:6", "binary n-cube, number of dimensions", hypercube},
	{"fattree", "fattree:k=8", "folded Clos of k-port switches; levels=3 and over=1, times as many hosts as uplinks of an edge switch, if not given", fatTree},
	{"rail", "rail:nodes=16,rails=8", "rail-optimised Clos: interface i of each node on leaf i; pod=32 nodes per leaf, over=1 hosts per uplink and the number of spines if not given", railClos},
	{"tree", "tree:arity=4,levels=3", "tree of switches with arity branches each, hosts on those of the lowest of its levels", arityTree},
	{"dragonfly", "dragonfly:a=4,h=2,p=2", "a switches per group, h global links and p hosts per switch; g=a*h+1 groups if not given; absolute=1: links between groups as in BookSim2", dragonfly},
	{"hyperx", "hyperx:4x4,t=4", "switches with coordinates, all in a line linked: size of each dimension; t=1 hosts per switch, and k=1 links between two, or one number for each dimension such as k=2x1, if not given", hyperX},
	{"slimfly", "slimfly:q=5", "diameter 2 (McKay-Miller-Siran graph): 2q^2 switches for a prime power q from 3; p hosts per switch, half its links if not given", slimFly},
	{"polarfly", "polarfly:q=7", "diameter 2 (polarity graph): q^2+q+1 switches for a prime power q; p=(q+1)/2 hosts per switch if not given", polarFly},
	{"xgft", "xgft:m=4x4x8,w=1x2x2", "extended generalised fat tree: m branches below, and w switches above, of each level from the hosts on", extended},
	{"fullmesh", "fullmesh:8", "every switch linked to every other, number of switches", fullMesh},
	{"random", "random:switches=16,degree=4,seed=1", "random connected regular graph; links=18: a graph with as many links, and switches of up to degree", random},
	{"tofu", "tofu:2x2x2x2x3x2", "six-dimensional mesh/torus, size of X, Y, Z, A, B and C", tofu},
}

// All lists the families of networks.
func All() []Generator { return slices.Clone(generators) }

// ExampleOf returns a name for a kind of network that can be made, and kind itself if no
// generator is called so.
func ExampleOf(kind string) string {
	for _, g := range generators {
		if g.Name == kind {
			return g.Example
		}
	}
	return kind
}

// Network makes the network that a name such as "torus:4x4" describes, with
// the given number of hosts per switch. 0 means the usual number: k/2 on every
// edge switch of a fat tree, times what is its oversubscription, arity on every leaf of a tree, the first m on those of an
// extended generalised fat tree, p on every switch of a dragonfly, Slim Fly or PolarFly, t on every one of a HyperX,
// one for each node of a pod on every leaf of a rail-optimised Clos, else 1. In a fat tree only edge switches have hosts,
// in a tree only leaves.
//
// The low ports of a switch are kept for its links, in the order that the
// comment of each generator gives; those of its hosts follow. Switches are called
// s0, s1, ..., hosts h0, h1, ... in the order of their switches.
//
// The error names the part of the name that is wrong and what was expected.
func Network(name string, hosts int) (*topology.Network, error) {
	n, err := parse(name, hosts)
	if err != nil {
		return nil, fmt.Errorf("topology %q: %w", name, err)
	}
	return n, nil
}

func parse(name string, hosts int) (*topology.Network, error) {
	family, args, _ := strings.Cut(name, ":")
	i := slices.IndexFunc(generators, func(g Generator) bool { return g.Name == family })
	if i < 0 {
		return nil, fmt.Errorf("no such topology; known are %s", strings.Join(Names(), ", "))
	}
	if hosts < 0 || hosts > topology.MaxParameter {
		return nil, fmt.Errorf("%d hosts per switch; expected 0 (the usual number) to %d", hosts, topology.MaxParameter)
	}
	p, err := generators[i].plan(args, hosts)
	if err != nil {
		return nil, fmt.Errorf("%w (example: %s)", err, generators[i].Example)
	}
	return p.network(name)
}

// Names lists the names of the families.
func Names() []string {
	var names []string
	for _, g := range generators {
		names = append(names, g.Name)
	}
	return names
}

// plan is what a generator decides on. Ports 1 to linkPorts(s) of switch s are
// kept for links, used or not.
type plan struct {
	switches  int
	linkPorts func(sw int) int
	hosts     func(sw int) int
	hostName  func(sw, i int) string // of host i of a switch; nil: they are called by their IDs
	links     []topology.Link
	shape     *topology.Shape
	groups    []int32
	racks     []int32
}

// constant returns a function for plans that is the same for every switch.
func constant(v int) func(int) int { return func(int) int { return v } }

func (p plan) network(name string) (*topology.Network, error) {
	n := topology.Network{Name: name, Shape: p.shape, Groups: p.groups, Racks: p.racks, Links: p.links, Switches: make([]topology.Switch, p.switches)}
	for s := range n.Switches {
		n.Switches[s] = topology.Switch{ID: "s" + strconv.Itoa(s), Ports: p.linkPorts(s)}
		first := len(n.Adapters)
		n.AddHosts("h", s, p.hosts(s))
		for i := range n.Adapters[first:] {
			if p.hostName != nil {
				n.Adapters[first+i].Name = p.hostName(s, i)
			}
		}
	}
	return topology.New(n)
}
