package routing

import (
	"math/rand/v2"

	"musubi/topology"
)

// fewTrees is how many orders of destinations are tried for trees that fit into fewer layers.
const fewTrees = 16

// fitTrees looks for shortest paths that fit into fewer layers than r has, for fabrics that forward by
// destination alone: paths that are chosen first, and assigned to layers afterwards, need more there, as
// a path cannot be exchanged without its tree. So each switch of a tree takes a way that fits. It returns
// r if it finds none.
func fitTrees(net *topology.Network, opt Options, r *Routes) (*Routes, error) {
	ends := endSwitches(net)
	order := inTurn(len(ends))
	for layers := usualLayers; layers < r.VCs; layers++ {
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
	return r, nil
}
