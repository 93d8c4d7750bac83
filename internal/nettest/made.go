package nettest

import (
	"testing"

	"musubi/topology"
	"musubi/topology/generate"
)

// Generate makes the network that a name such as "torus:4x4" describes; see generate.Network.
func Generate(t testing.TB, name string, hosts int) *topology.Network {
	t.Helper()
	n, err := generate.Network(name, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
