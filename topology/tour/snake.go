package tour

import (
	"fmt"

	"musubi/topology"
)

// Snake returns all switches of a network with coordinates in boustrophedon order: along the first
// dimension, one step along the second, back along the first, and so on. Each is adjacent to the
// next.
func Snake(net *topology.Network) ([]int, error) {
	if net.Shape == nil {
		return nil, fmt.Errorf("%s has no coordinates; expected a mesh, torus, ring, hypercube, hyperx or tofu", net.Name)
	}
	return snake(dimensions(net.Shape)), nil
}
