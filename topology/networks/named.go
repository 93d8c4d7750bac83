package networks

import (
	"embed"
	"fmt"
	"slices"

	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/generate"
)

// Named is a network that comes with the program and is opened by its name.
type Named struct {
	Name  string
	About string // one line
	Hosts int    // usual number per switch
}

var named = []Named{
	{"rhinet2-a", "irregular network A of RHiNET-2, a reconstruction: 16 switches, 18 links", 4},
	{"rhinet2-b", "irregular network B of RHiNET-2, a reconstruction: 16 switches, 20 links", 4},
}

//go:embed *.edges
var namedFiles embed.FS

// All lists the networks that come with the program.
func All() []Named { return slices.Clone(named) }

// Examples lists a name for each kind of network that can be made, and the networks that come
// with the program.
func Examples() []string {
	var examples []string
	for _, g := range generate.All() {
		examples = append(examples, g.Example)
	}
	return append(examples, included()...)
}

// openNamed returns a network that comes with the program, with the given number
// of hosts on every switch, the usual one if hosts is 0. It reports false if no
// network has that name.
func openNamed(name string, hosts int) (*topology.Network, bool, error) {
	i := slices.IndexFunc(named, func(n Named) bool { return n.Name == name })
	if i < 0 {
		return nil, false, nil
	}
	n, err := named[i].open(hosts)
	if err != nil {
		return nil, true, fmt.Errorf("topology %q: %w", name, err)
	}
	return n, true, nil
}

func (d *Named) open(hosts int) (*topology.Network, error) {
	file, err := namedFiles.Open(d.Name + ".edges")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	n, err := format.Read(file, d.Name+".edges")
	if err != nil {
		return nil, err
	}
	if hosts == 0 {
		hosts = d.Hosts
	}
	return n.WithHosts(hosts)
}

func included() []string {
	var all []string
	for _, n := range named {
		all = append(all, n.Name)
	}
	return all
}
