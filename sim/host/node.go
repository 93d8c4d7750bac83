package host

import (
	"fmt"
	"slices"

	"musubi/sim/domain"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/units"
)

// Node is what machine files say about nodes with several accelerators and interfaces, and about the
// scale-up network between accelerators: parameters for the section of a model, and for its Traits. A rank
// runs on each accelerator.
type Node struct {
	Accelerators int        `param:"node.accelerators" zero:"a host is a node by itself"` // each runs a rank
	Interfaces   int        `param:"node.interfaces" zero:"one"`                          // network interfaces: hosts of the network, one for each rail
	Domain       int        `param:"domain.size" zero:"there is no scale-up network"`     // accelerators of a scale-up domain: those of consecutive nodes
	Rate         units.Rate `param:"domain.rate" zero:"there is no scale-up network"`     // of an accelerator's port, in each direction
	Combined     units.Rate `param:"domain.combined" zero:"its switches do not combine"`  // of the same port for data that switches combine or copy
	Latency      units.Time `param:"domain.latency" zero:"none"`                          // from a byte leaving an accelerator until it is in the memory of another
	Post         units.Time `param:"domain.post" zero:"takes no time"`                    // an accelerator begins a transfer
	Tree         bool       `param:"switch.combines" zero:"they do not"`                  // the switches of the network combine long messages (SHARP); simulated by flows
}

// Check fails if values do not fit together.
func (n *Node) Check(*machine.Machine) error {
	switch {
	case n.Accelerators == 0 && (n.Interfaces > 0 || n.Domain > 0):
		return fmt.Errorf("node.accelerators of 0 collides with node.interfaces of %d and domain.size of %d: there are no nodes", n.Interfaces, n.Domain)
	case n.Accelerators == 0:
		return nil
	case n.Accelerators%max(n.Interfaces, 1) != 0:
		return fmt.Errorf("node.accelerators of %d collides with node.interfaces of %d: each interface serves as many accelerators", n.Accelerators, n.Interfaces)
	case n.Domain%n.Accelerators != 0:
		return fmt.Errorf("domain.size of %d collides with node.accelerators of %d: a domain has whole nodes", n.Domain, n.Accelerators)
	case n.Domain > 0 && n.Rate == 0:
		return fmt.Errorf("domain.size of %d collides with domain.rate of 0: accelerators need a rate", n.Domain)
	}
	return nil
}

// perInterface returns how many accelerators an interface serves, 0 if there are no nodes.
func (n *Node) perInterface() int { return n.Accelerators / max(n.Interfaces, 1) }

// DomainsOf returns the scale-up domain of each end point of a network, -1 where it is in none; nil if the
// machine has no nodes of several accelerators.
func (t *Traits) DomainsOf(net *topology.Network) ([]int32, error) {
	n := t.Node
	if n == nil || n.Accelerators == 0 {
		return nil, nil
	}
	nodes, err := net.Nodes(max(n.Interfaces, 1))
	if err != nil {
		return nil, err
	}
	of := make([]int32, len(net.EndPoints))
	for i := range of {
		of[i] = -1
	}
	if n.Domain == 0 {
		return of, nil
	}
	for i, hosts := range nodes {
		for _, h := range hosts {
			of[h] = int32(i / (n.Domain / n.Accelerators))
		}
	}
	return of, nil
}

// placeNodes notes in which scale-up domain each rank is.
func (c *Env) placeNodes() error {
	of, err := c.Traits.DomainsOf(c.Net)
	if of == nil || err != nil {
		return err
	}
	c.domainOf = make([]int32, len(c.Ranks))
	for r, h := range c.Hosts {
		c.domainOf[r] = of[h]
	}
	return nil
}

// inDomain reports whether two ranks are in one scale-up domain.
func (c *Env) inDomain(a, b int32) bool {
	return c.domainOf != nil && c.domainOf[a] >= 0 && c.domainOf[a] == c.domainOf[b]
}

// allInDomain reports whether ranks are in one scale-up domain.
func (c *Env) allInDomain(ranks []int) bool {
	return !slices.ContainsFunc(ranks, func(r int) bool { return !c.inDomain(int32(r), int32(ranks[0])) })
}

// newDomain returns the scale-up network of a machine; nil if it has none.
func newDomain(c *Env) *domain.Network {
	n := c.Traits.Node
	if n == nil || n.Domain == 0 {
		return nil
	}
	return domain.New(domain.Config{Rate: n.Rate, Combined: n.Combined, Latency: n.Latency, Share: evDomainShare, End: evDomainEnd, Arrived: evDomainArrived}, c.Clock)
}
