package main

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"

	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/networks"
)

// candidate is a network that is audited.
type candidate struct {
	name   string
	failed int // links
	shape  *topology.Shape
	intact *topology.Network // before the links failed, with GUIDs
	net    *topology.Network
}

// newCandidate opens a network and lets links fail, chosen at random, without which it still hangs together; nil if there are none.
func newCandidate(name string, failed int) (*candidate, error) {
	net, err := networks.Open(name, 0)
	if err != nil {
		return nil, err
	}
	net = net.WithGUIDs()
	c := &candidate{name: filepath.Base(name), failed: failed, shape: net.Shape, intact: net, net: net}
	const tries = 100
	random := rand.New(rand.NewPCG(uint64(failed), 1))
	for range tries {
		loss := topology.NewLoss()
		for len(loss.Links) < min(failed, len(net.Links)) {
			loss.Links[random.IntN(len(net.Links))] = true
		}
		if c.net, _, err = net.Without(loss); err != nil {
			return nil, err
		}
		if connected(c.net) && len(loss.Links) == failed {
			return c, nil
		}
	}
	return nil, nil
}

func connected(net *topology.Network) bool {
	for _, d := range net.Distances(0) {
		if d < 0 {
			return false
		}
	}
	return true
}

// netFile is the network for ibsim.
func (c *candidate) netFile() ([]byte, error) {
	ibsim, err := format.Named("ibsim")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = ibsim.Write(&b, c.net)
	return b.Bytes(), err
}
