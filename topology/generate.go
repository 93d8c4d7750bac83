package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits on what a generator makes, so that a typing error does not exhaust
// memory.
const (
	maxParameter = 1 << 20 // of any one number in a name
	maxSwitches  = 1 << 18
	maxHosts     = 1 << 18 // routes are between all pairs of them
	maxCables    = 1 << 21 // links and hosts together
)

// Generator describes a family of networks that Generate can make.
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
	{"fattree", "fattree:k=8", "folded Clos of k-port switches; levels=3 if not given", fatTree},
	{"tree", "tree:arity=4,levels=3", "tree of switches with arity branches each, hosts on those of the lowest of its levels", arityTree},
	{"dragonfly", "dragonfly:a=4,h=2,p=2", "a switches per group, h global links and p hosts per switch; g=a*h+1 groups if not given", dragonfly},
	{"fullmesh", "fullmesh:8", "every switch linked to every other, number of switches", fullMesh},
	{"random", "random:switches=16,degree=4,seed=1", "random connected regular graph", random},
	{"tofu", "tofu:2x2x2x2x3x2", "six-dimensional mesh/torus, size of X, Y, Z, A, B and C", tofu},
}

// Generators lists the networks that Generate can make.
func Generators() []Generator { return slices.Clone(generators) }

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

// Generate makes the network that a name such as "torus:4x4" describes, with
// the given number of hosts per switch. 0 means the usual number: k/2 on every
// edge switch of a fat tree, arity on every leaf of a tree, p on every switch of a
// dragonfly, else 1. In a fat tree only edge switches have hosts, in a tree only
// leaves.
//
// The low ports of a switch are kept for its links, in the order that the
// comment of each generator gives; those of its hosts follow. Switches are called
// s0, s1, ..., hosts h0, h1, ... in the order of their switches.
//
// The error names the part of the name that is wrong and what was expected.
func Generate(name string, hosts int) (*Network, error) {
	n, err := generate(name, hosts)
	if err != nil {
		return nil, fmt.Errorf("topology %q: %w", name, err)
	}
	return n, nil
}

func generate(name string, hosts int) (*Network, error) {
	family, args, _ := strings.Cut(name, ":")
	i := slices.IndexFunc(generators, func(g Generator) bool { return g.Name == family })
	if i < 0 {
		return nil, fmt.Errorf("no such topology; known are %s", generatorNames())
	}
	if hosts < 0 || hosts > maxParameter {
		return nil, fmt.Errorf("%d hosts per switch; expected 0 (the usual number) to %d", hosts, maxParameter)
	}
	p, err := generators[i].plan(args, hosts)
	if err != nil {
		return nil, fmt.Errorf("%w (example: %s)", err, generators[i].Example)
	}
	return p.network(name)
}

func generatorNames() string {
	var names []string
	for _, g := range generators {
		names = append(names, g.Name)
	}
	return strings.Join(names, ", ")
}

// plan is what a generator decides on. Ports 1 to linkPorts(s) of switch s are
// kept for links, used or not.
type plan struct {
	switches  int
	linkPorts func(sw int) int
	hosts     func(sw int) int
	links     []Link
	shape     *Shape
}

// constant returns a function for plans that is the same for every switch.
func constant(v int) func(int) int { return func(int) int { return v } }

func (p plan) network(name string) (*Network, error) {
	n := Network{Name: name, Shape: p.shape, Links: p.links, Switches: make([]Switch, p.switches)}
	for s := range n.Switches {
		n.Switches[s] = Switch{ID: "s" + strconv.Itoa(s), Ports: p.linkPorts(s)}
		n.addHosts("h", s, p.hosts(s))
	}
	return New(n)
}

// addHosts attaches adapters with one port each, named after their numbers, to
// new ports of a switch.
func (n *Network) addHosts(prefix string, sw, hosts int) {
	for range hosts {
		n.Switches[sw].Ports++
		a := len(n.Adapters)
		n.Adapters = append(n.Adapters, Adapter{ID: prefix + strconv.Itoa(a), Ports: 1})
		n.EndPoints = append(n.EndPoints, EndPoint{Adapter: a, AdapterPort: 1, At: Port{sw, n.Switches[sw].Ports}})
	}
}

// checkSize refuses networks over the limits. It takes floating-point numbers
// because a product of parameters may overflow an integer.
func checkSize(switches, links, hosts float64) error {
	if switches > maxSwitches {
		return fmt.Errorf("%.0f switches; at most %d can be made", switches, maxSwitches)
	}
	if hosts > maxHosts {
		return fmt.Errorf("%.0f hosts; at most %d can be made", hosts, maxHosts)
	}
	if links+hosts > maxCables {
		return fmt.Errorf("%.0f links and %.0f hosts; at most %d cables can be made", links, hosts, maxCables)
	}
	return nil
}
