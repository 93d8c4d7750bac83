package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// WithHosts returns a copy of a network with that many more hosts on every
// switch, or every one of Leaves, on new ports above those it has. It fails if the result would be too
// large.
func (n *Network) WithHosts(hosts int) (*Network, error) {
	if hosts < 0 || hosts > MaxParameter {
		return nil, fmt.Errorf("%d hosts per switch; expected 0 to %d", hosts, MaxParameter)
	}
	if err := CheckSize(0, float64(len(n.Links)), float64(hosts)*float64(len(n.Switches))); err != nil {
		return nil, err
	}
	c := *n
	c.Switches = slices.Clone(n.Switches)
	c.Adapters = slices.Clone(n.Adapters)
	c.EndPoints = slices.Clone(n.EndPoints)
	prefix := "h"
	for c.hasPrefix(prefix) {
		prefix += "h"
	}
	for s := range c.Switches {
		if n.Leaves == nil || n.Leaves[s] {
			c.AddHosts(prefix, s, hosts)
		}
	}
	return New(c)
}

// hasPrefix reports whether the ID of a node begins with prefix.
func (n *Network) hasPrefix(prefix string) bool {
	return slices.ContainsFunc(n.Switches, func(s Switch) bool { return strings.HasPrefix(s.ID, prefix) }) ||
		slices.ContainsFunc(n.Adapters, func(a Adapter) bool { return strings.HasPrefix(a.ID, prefix) })
}

// AddHosts attaches adapters with one port each, named after their numbers, to
// new ports of a switch. It is for networks that New has yet to check.
func (n *Network) AddHosts(prefix string, sw, hosts int) {
	for range hosts {
		n.Switches[sw].Ports++
		a := len(n.Adapters)
		n.Adapters = append(n.Adapters, Adapter{ID: prefix + strconv.Itoa(a), Ports: 1})
		n.EndPoints = append(n.EndPoints, EndPoint{Adapter: a, AdapterPort: 1, At: Port{sw, n.Switches[sw].Ports}})
	}
}
