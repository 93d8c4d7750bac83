package topology

import (
	"fmt"
	"strings"
)

// Nodes returns the hosts of each node where nodes have several interfaces, each of which is a host of the
// network: in the order of nodes by their first interface, and of interfaces by their numbers. So the
// position in a node is the rail.
//
// Names tell which interfaces are of a node if they all have two words, such as "node3 mlx5_5" in dumps of
// InfiniBand fabrics: the first is the node. Else nodes have consecutive hosts. It fails if by its
// name a node has another number of interfaces.
func (n *Network) Nodes(interfaces int) ([][]int, error) {
	if nodes := n.namedNodes(); nodes != nil {
		for _, hosts := range nodes {
			if len(hosts) != interfaces {
				name, _, _ := strings.Cut(n.EndPointName(hosts[0]), " ")
				return nil, fmt.Errorf("node %s of %s has interfaces: %d; expected %d", name, n.Name, len(hosts), interfaces)
			}
		}
		return nodes, nil
	}
	var nodes [][]int
	for h := range n.hosts {
		if h%interfaces == 0 {
			nodes = append(nodes, nil)
		}
		nodes[h/interfaces] = append(nodes[h/interfaces], h)
	}
	return nodes, nil
}

// namedNodes returns the nodes by names of hosts; nil if these do not tell, or each has one interface.
func (n *Network) namedNodes() (nodes [][]int) {
	of := map[string]int{}
	for h := range n.hosts {
		node, _, two := strings.Cut(n.EndPointName(h), " ")
		if !two {
			return nil
		}
		i, known := of[node]
		if !known {
			i = len(nodes)
			of[node] = i
			nodes = append(nodes, nil)
		}
		nodes[i] = append(nodes[i], h)
	}
	if len(nodes) == n.hosts {
		return nil
	}
	return nodes
}
