package open

import (
	"errors"
	"fmt"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/internal/spelling"
	"musubi/routing"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/topology/generate"
	"musubi/topology/networks"
	"musubi/workload/programs"
)

// Network opens the network of a scenario, or else of a machine.
func Network(s musubi.Scenario, m *machine.Machine) (*topology.Network, error) {
	net, err := s.OpenNetwork(m)
	return net, HintTopology(s, err)
}

// nearTopology returns a hint if a name that was taken for a file looks like a
// misspelt kind of network.
func nearTopology(spec string) string {
	var families []string
	for _, g := range generate.All() {
		families = append(families, g.Name)
	}
	for _, n := range networks.All() {
		families = append(families, n.Name)
	}
	family, _, _ := strings.Cut(spec, ":")
	return spelling.DidYouMean(family, families)
}

// HintTopology adds a hint to an error about a network whose name is misspelt.
func HintTopology(s musubi.Scenario, err error) error {
	var input *musubi.InputError
	if !errors.As(err, &input) || input.Key != "topology" {
		return err
	}
	return fmt.Errorf("%w%s", err, nearTopology(s.Topology))
}

// CheckSelection refuses an unknown path selection.
func CheckSelection(s musubi.Scenario) error {
	if s.Selection != "" {
		if err := cli.Choose("path selection", s.Selection, routing.SelectionNames()); err != nil {
			return &musubi.InputError{Key: "selection", Err: err}
		}
	}
	return nil
}

// Machine finds what --on names.
func Machine(name string) (*machine.Machine, error) {
	if !strings.HasSuffix(name, ".toml") {
		if err := cli.Choose("machine", name, machine.Names()); err != nil {
			return nil, fmt.Errorf("%w, or the path of a .toml file", err)
		}
	}
	return machine.Load(name)
}

// CheckNames refuses unknown names, with a hint at what may have been meant.
func CheckNames(s musubi.Scenario) error {
	if s.Jobs != "" {
		if s.Workload != "" {
			return fmt.Errorf("workload %s and jobs %s; expected one of them", s.Workload, s.Jobs)
		}
		return CheckMachine(s)
	}
	if s.Workload == "" {
		return fmt.Errorf("no workload given; known are %s", strings.Join(programs.Names(), ", "))
	}
	if err := cli.Choose("workload", s.Workload, programs.Names()); err != nil && s.Machine != "" {
		return &musubi.InputError{Key: "workload", Err: err}
	}
	return CheckMachine(s)
}

// CheckMachine checks the names in a scenario that are not of its workload.
func CheckMachine(s musubi.Scenario) error {
	if s.Machine == "" {
		return fmt.Errorf("no machine given; expected --on with one of %s, %s, or a .toml file", strings.Join(machine.Names(), ", "), musubi.Live)
	}
	if s.Machine != musubi.Live {
		if _, err := Machine(s.Machine); err != nil {
			return &musubi.InputError{Key: "on", Err: err}
		}
	}
	if s.Routing != "" {
		if err := cli.Choose("routing", s.Routing, musubi.RoutingNames()); err != nil {
			return &musubi.InputError{Key: "routing", Err: err}
		}
	}
	return CheckSelection(s)
}
