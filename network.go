package musubi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"musubi/routing"
	"musubi/routing/tables"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/topology/networks"
)

// OpenNetwork makes or reads the network of a scenario: the one that it names, or else the one
// of machine m. A random network that names no seed gets that of the scenario. The number of
// hosts per switch that the machine says is not for files that describe hosts. The error is an
// *InputError.
func (s *Scenario) OpenNetwork(m *machine.Machine) (*topology.Network, error) {
	spec := cmp.Or(s.Topology, m.Network.Topology)
	if strings.HasPrefix(spec, "random:") && !strings.Contains(spec, "seed=") {
		spec = fmt.Sprintf("%s,seed=%d", spec, s.Seed)
	}
	net, err := networks.OpenWith(spec, networks.Options{Hosts: s.Hosts, Usual: m.Network.Hosts, Part: s.Part})
	if err != nil {
		own := s.Topology
		if s.Hosts != 0 {
			own = spec // with hosts of the scenario
		}
		return nil, wrong("topology", s.machines("topology", own, m, err))
	}
	return net, nil
}

// machines says of an error about a value of the network that it is the machine's, unless the scenario
// has one: what is wrong is then to be looked for in the machine's file.
func (s *Scenario) machines(name, own string, m *machine.Machine, err error) error {
	parameter := "network." + name
	if _, given := s.Set[parameter]; given || own != "" {
		return err
	}
	return fmt.Errorf("machine %s: %s: %w", m.Name, parameter, err)
}

// RoutingOptions returns what a scenario asks of routings of a network, and machine m where
// the scenario is silent. The error is an *InputError.
func (s *Scenario) RoutingOptions(net *topology.Network, m *machine.Machine) (routing.Options, error) {
	if s.VCs < 0 || s.VCs > routing.MaxVCs {
		return routing.Options{}, wrong("vcs", fmt.Errorf("vcs %d; expected 1 to %d, or 0 for as many as needed", s.VCs, routing.MaxVCs))
	}
	form := tables.FormNamed(m.Network.Form) // nil: the switches take any paths
	opt := routing.Options{
		VCs:             cmp.Or(s.VCs, m.Network.VCs),
		Selection:       s.selection(m),
		DestinationOnly: form != nil && form.ByDestination,
	}
	if opt.Selection != "" && !slices.Contains(routing.Selections(), opt.Selection) {
		return routing.Options{}, wrong("routing", s.machines("selection", s.Selection, m, fmt.Errorf("unknown path selection %q; known: %s", opt.Selection, strings.Join(routing.SelectionNames(), ", "))))
	}
	roots, err := s.roots(net, opt)
	if err != nil {
		return routing.Options{}, wrong("root", fmt.Errorf("root: %w", err))
	}
	opt.Root, opt.MoreRoots = roots[0], roots[1:]
	return opt, nil
}

// AutoRoot is the Scenario.Root that asks for the switch from which Up*/Down* costs least.
const AutoRoot = "auto"

// guidFile begins a Scenario.Root that names a file of roots, as OpenSM's updn reads it.
const guidFile = "guids:"

// roots returns the roots of spanning trees.
func (s *Scenario) roots(net *topology.Network, opt routing.Options) ([]int, error) {
	if file, ok := strings.CutPrefix(s.Root, guidFile); ok {
		return networks.ReadGUIDFile(file, net)
	}
	if s.Root == AutoRoot {
		costs, err := routing.RootCosts(net, opt)
		if err != nil {
			return nil, err
		}
		return []int{costs[0].Root}, nil
	}
	if sw, err := net.FindSwitch(cmp.Or(s.Root, "0")); err == nil || !strings.Contains(s.Root, "+") {
		return []int{sw}, err
	}
	var roots []int
	for name := range strings.SplitSeq(s.Root, "+") {
		sw, err := net.FindSwitch(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(roots, sw) {
			return nil, fmt.Errorf("switch %s twice; expected each root once", name)
		}
		roots = append(roots, sw)
	}
	return roots, nil
}

// selection returns the path selection that is asked for. Where a machine says no more than
// balanced, that is left to the routing, which computes paths on large regular networks.
func (s *Scenario) selection(m *machine.Machine) routing.Selection {
	_, given := s.Set["network.selection"]
	if own := routing.Selection(m.Network.Selection); s.Selection == "" && (given || own != routing.Balanced) {
		return own
	}
	return routing.Selection(s.Selection)
}
