package routing

import (
	"fmt"
	"slices"
	"strings"

	"musubi/internal/memory"
	"musubi/routing/internal/tree"
	"musubi/topology"
	"musubi/topology/generate"
)

// Selection is the policy by which an algorithm that allows several paths
// becomes deterministic.
type Selection string

// Path selections. LowPort and Spread come from the RHiNET-2 paper, section "Routing in the
// switch".
const (
	// LowPort takes the allowed path through the lowest output port at each
	// switch.
	LowPort Selection = "low-port"
	// Spread gives different hosts of a switch different paths, round-robin in
	// host order: source hosts in general, destination hosts under
	// Options.DestinationOnly.
	Spread Selection = "spread"
	// Balanced keeps the load of the most used channel low, by repeated shortest
	// paths weighted with the load so far. Different destination hosts of a switch
	// may get different paths.
	Balanced Selection = "balanced"
	// Regular follows from the coordinates of source and destination: of two ways round a ring
	// that are equally long, one half of the sources goes up and the other down. It loads the
	// channels of a regular network nearly as evenly as Balanced. For algorithms with coordinates.
	Regular Selection = "regular"
)

// Selections lists all path selections.
func Selections() []Selection { return []Selection{LowPort, Spread, Balanced, Regular} }

// SelectionNames lists the names of all path selections.
func SelectionNames() []string {
	var names []string
	for _, s := range Selections() {
		names = append(names, string(s))
	}
	return names
}

// Options are the options of an algorithm. The zero value selects its defaults.
type Options struct {
	// VCs is the number of virtual channels that may be used; 0 lets the algorithm decide (the
	// fewest that it needs; DL: two). DL makes a layer of each. LASH and the structured buffer
	// pools leave virtual channels that they do not need unused. The other algorithms distribute
	// them among the sources: end point number e uses virtual channel e modulo VCs throughout, or
	// set number e modulo VCs/2 of two where e-cube needs two.
	VCs int
	// Root of the spanning tree, for the algorithms that have one. With MoreRoots, for Up*/Down* and
	// what builds on it, up is towards the nearest root.
	Root      int
	MoreRoots []int
	// Selection defaults to Balanced; on networks of more than 1,024 switches to Regular, if
	// that leaves no need for tables.
	Selection Selection
	// DestinationOnly restricts the paths to those of a fabric that forwards by
	// destination alone: at every switch all packets to one end point leave by one
	// port, wherever they came from.
	DestinationOnly bool

	// algorithm is the name of the one that runs.
	algorithm string
	// trees keeps the paths as trees, see trees.
	trees bool
	// shift makes the sources of Spread take the path of their shift-th successor.
	shift int
}

// Algorithm is a routing algorithm.
type Algorithm struct {
	Name string
	// Summary is one line for lists.
	Summary string
	// Source is the paper that describes it.
	Source string
	// Minimal algorithms yield shortest paths only.
	Minimal bool
	// Unsafe algorithms do not avoid deadlock and exist for comparison. UnsafeOnRings are
	// those that avoid it on all networks but rings.
	Unsafe, UnsafeOnRings bool

	// keepsVC: packets stay on one virtual channel, and no cycle of dependencies closes.
	keepsVC bool
	// onTree: packets go along one spanning tree, perhaps with shortcuts.
	onTree bool

	// Coordinates are what the algorithm needs the switches of a network to have
	// (topology.Network.Shape).
	Coordinates bool
	// Kind is the only kind of networks with coordinates that the algorithm is for
	// (topology.Shape.Kind); empty: it is for any network.
	Kind string

	build func(net *topology.Network, opt Options) (*Routes, error)
	// compute does the same without tables. It is nil for algorithms that need them, and returns
	// nil for networks and options that do.
	compute func(net *topology.Network, opt Options) (*Routes, error)
}

// tableSwitches is the largest number of switches for which paths are balanced, and so kept in
// tables, where nobody asks for it and they can be computed instead.
const tableSwitches = 1024

// Build runs the algorithm on a connected network. It fails if the algorithm
// cannot route this network within the options, or if the paths take more memory
// than is free. It does not prove the result: see Verify.
func (a *Algorithm) Build(net *topology.Network, opt Options) (*Routes, error) {
	usual := opt.Selection == ""
	if usual {
		opt.Selection = Balanced
	}
	if !slices.Contains(Selections(), opt.Selection) {
		return nil, fmt.Errorf("unknown path selection %q; known: %s", opt.Selection, strings.Join(SelectionNames(), ", "))
	}
	for _, root := range opt.roots() {
		if root < 0 || root >= len(net.Switches) {
			return nil, fmt.Errorf("root switch %d does not exist; the network has switches 0 to %d", root, len(net.Switches)-1)
		}
	}
	if opt.VCs < 0 || opt.VCs > MaxVCs {
		return nil, fmt.Errorf("%d virtual channels; expected 1 to %d", opt.VCs, MaxVCs)
	}
	if err := checkSize(net); err != nil {
		return nil, err
	}
	if err := checkConnected(net); err != nil {
		return nil, err
	}
	opt.algorithm = a.Name
	if r, err := a.without(net, opt, usual); r != nil || err != nil {
		return r, err
	}
	check := checkMemory
	if opt.trees = a.keepsVC && keepsTrees(net, opt); opt.trees {
		check = checkTrees
	}
	if err := check(net, memory.Free); err != nil {
		return nil, err
	}
	if err := a.Suits(net); err != nil {
		return nil, err
	}
	return a.build(net, opt)
}

// without returns routes without tables, nil if these are needed. usual says that the selection is
// nobody's wish.
func (a *Algorithm) without(net *topology.Network, opt Options, usual bool) (*Routes, error) {
	if opt.Selection == Regular && a.compute == nil {
		return nil, fmt.Errorf("%s has no path selection %s, which is for routings with coordinates", a.Name, Regular)
	}
	if a.compute == nil || a.Suits(net) != nil {
		return nil, nil
	}
	if usual && len(net.Switches) > tableSwitches {
		regular := opt
		regular.Selection = Regular
		if r, err := a.compute(net, regular); r != nil || err != nil {
			return r, err
		}
	}
	r, err := a.compute(net, opt)
	if r == nil && err == nil && opt.Selection == Regular {
		return nil, fmt.Errorf("%s with path selection %s: %q: %w", a.Name, Regular, net.Name, errIrregular)
	}
	return r, err
}

// Suits fails if the algorithm is not for a network, as that has not the coordinates it needs.
func (a *Algorithm) Suits(net *topology.Network) error {
	switch {
	case a.Kind != "" && (net.Shape == nil || net.Shape.Kind != a.Kind):
		return fmt.Errorf("%s needs a network such as %s; %q is not one", a.Name, generate.ExampleOf(a.Kind), net.Name)
	case a.Coordinates && net.Shape == nil:
		return fmt.Errorf("%s needs a mesh, torus, hypercube or HyperX; network %q has no coordinates", a.Name, net.Name)
	}
	return nil
}

// checkConnected fails if not all switches that have end points can reach each
// other.
func checkConnected(net *topology.Network) error {
	for sw := range net.Switches {
		if len(net.EndPointsAt(sw)) > 0 {
			return checkReach(tree.New(net, sw))
		}
	}
	return nil
}

// checkReach fails if the root of a tree does not reach every switch that has
// end points.
func checkReach(t *tree.Tree) error {
	for sw := range t.Net.Switches {
		if len(t.Net.EndPointsAt(sw)) > 0 && t.Level[sw] < 0 {
			return fmt.Errorf("the network is not connected: switches %s and %s cannot reach each other",
				t.Net.SwitchName(t.Root), t.Net.SwitchName(sw))
		}
	}
	return nil
}

// spanningTree returns the tree that the options ask for.
func spanningTree(net *topology.Network, opt Options) (*tree.Tree, error) {
	if len(opt.MoreRoots) > 0 {
		return nil, fmt.Errorf("%s has a spanning tree of one root; expected one, not %d", opt.algorithm, 1+len(opt.MoreRoots))
	}
	return rootedTree(net, opt)
}

// rootedTree returns the tree that the options ask for, or a forest of several roots in which all
// switches with end points have a way up and then down to each other.
func rootedTree(net *topology.Network, opt Options) (*tree.Tree, error) {
	t := tree.New(net, opt.Root, opt.MoreRoots...)
	if err := checkReach(t); err != nil {
		return nil, fmt.Errorf("no spanning tree from root switch %d: %w", opt.Root, err)
	}
	if len(opt.MoreRoots) > 0 {
		return t, checkForest(t)
	}
	return t, nil
}

// Alternates builds n sets of routes. Each uses selection Spread, and from one set to the next a
// source moves on to its next path. A network whose packets choose a set at random thus uses all
// paths with equal probability (oblivious routing). The sets must be proved free of deadlock
// together: see Verify.
func (a *Algorithm) Alternates(net *topology.Network, opt Options, n int) ([]*Routes, error) {
	opt.Selection, opt.DestinationOnly = Spread, false
	sets := make([]*Routes, n)
	for opt.shift = range n {
		var err error
		if sets[opt.shift], err = a.Build(net, opt); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// Lookup finds an algorithm by name.
func Lookup(name string) (*Algorithm, error) {
	i := slices.IndexFunc(algorithms, func(a Algorithm) bool { return a.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown routing %q; known: %s", name, strings.Join(Names(), ", "))
	}
	return &algorithms[i], nil
}

// Names lists the names of all algorithms in the order of the documentation.
func Names() []string {
	var names []string
	for i := range algorithms {
		names = append(names, algorithms[i].Name)
	}
	return names
}

// Algorithms lists all algorithms in the order of the documentation.
func Algorithms() []Algorithm { return slices.Clone(algorithms) }
