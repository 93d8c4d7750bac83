// Package networks opens the network that a user names: by the name of a
// generator, of a network that comes with the program, or of a file.
//
//	n, err := networks.Open("torus:4x4x4", 0)
//	n, err := networks.Open("fabric.ibnetdiscover", 0)
package networks
