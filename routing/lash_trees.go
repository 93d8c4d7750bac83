package routing

import (
	"math/rand/v2"

	"musubi/topology"
)

const (
	// fewTrees is how many orders of destinations are tried for trees that fit into fewer layers.
	fewTrees = 16
	// mostFitted is up to how many switches with end points they are tried: beyond, they were not seen to help.
	mostFitted = 64
)

// fitTrees looks for shortest paths that fit into at most so many layers, for fabrics that forward by
// destination alone: paths that are chosen first, and assigned to layers afterwards, need more there, as
// a path cannot be exchanged without its tree. So each switch of a tree takes a way that fits. It returns
// nil if it finds none.
func fitTrees(net *topology.Network, opt Options, most int) (*Routes, error) {
	order := inTurn(len(endSwitches(net)))
	for layers := min(usualLayers, most); layers <= most; layers++ {
		for try := range uint64(fewTrees) {
			if try > 0 {
				rng := rand.New(rand.NewPCG(try, uint64(layers)))
				rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			}
			fits, done, err := newLaneGrower(net, opt, layers, 0).routes(order)
			if err != nil {
				return nil, err
			}
			if done {
				return fits, nil
			}
		}
	}
	return nil, nil
}
