// Package generate makes networks from names such as "torus:4x4": regular ones,
// whose ports and coordinates follow from the name, and random ones with a seed.
//
// Ports count from 1. The low ports of a switch belong to its links and the ones
// after to its hosts, so that links keep their ports whatever the number of hosts:
//
//   - mesh, torus, ring, tofu: port 2d+1 leads down and 2d+2 up in dimension d;
//     where there is no link the port is unused. A dimension of size 2 has one
//     link in a torus too.
//   - hypercube: port d+1 leads across dimension d.
//   - hyperx: by dimension, then by the coordinate of the other end.
//   - fattree, tree, xgft: ports to the level below, then to the level above.
//   - rail: on leaves the ports to spines; on spines those to leaves, by their number.
//   - dragonfly: the other switches of the group, then the global links.
//   - fullmesh, random, slimfly, polarfly: ordered by the number of the switch at the other end.
package generate
