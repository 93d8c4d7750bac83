// Package topology describes networks as graphs: switches with numbered ports,
// bidirectional links between them, and end points. It makes regular and random
// networks, and reads and writes the files in which fabrics are described.
//
// It knows nothing about routing or time.
//
// # Making a network
//
// Open takes the name of a generator or a file:
//
//	n, err := topology.Open("torus:4x4x4", 0)
//	n, err := topology.Open("fabric.ibnetdiscover", 0)
//
// Generators lists the generators, Formats the formats. Programs that build
// networks themselves fill in a Network and pass it to New, which checks it,
// puts links and end points in their canonical order and indexes them.
//
// # Ports
//
// Ports count from 1. In generated networks the low ports of a switch belong to
// its links and the ones after to its hosts, so that links keep their ports
// whatever the number of hosts:
//
//   - mesh, torus, ring, tofu: port 2d+1 leads down and 2d+2 up in dimension d;
//     where there is no link the port is unused. A dimension of size 2 has one
//     link in a torus too.
//   - hypercube: port d+1 leads across dimension d.
//   - fattree, tree: ports to the level below, then to the level above.
//   - dragonfly: the other switches of the group, then the global links.
//   - fullmesh, random: ordered by the number of the switch at the other end.
//
// Files without port numbers get them in the order of their lines. Hosts that
// are added to a file go to new ports above all others.
//
// # Files
//
// All readers accept what the tools print and say what is wrong in one line
// with file and line. A cable may be described from either end or from both; two
// descriptions must agree on the ports. Adapters must be on switches: two
// adapters back to back are refused.
package topology
