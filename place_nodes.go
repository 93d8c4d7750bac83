package musubi

import (
	"math/rand/v2"
	"slices"
)

// rail places consecutive ranks on the same rail of consecutive nodes, as many as the ranks fill.
func (p placement) rail() ([]int, error) {
	rails := len(p.nodes[0])
	nodes := p.nodes[:(p.ranks+rails*p.perHost-1)/(rails*p.perHost)]
	var slots []int
	for rail := range rails {
		for _, hosts := range nodes {
			if rail < len(hosts) {
				slots = append(slots, hosts[rail])
			}
		}
	}
	each := p
	each.nodes = [][]int{slots}
	return each.block()
}

// random fills nodes in random order.
func (p placement) random() ([]int, error) {
	shuffled := p
	shuffled.nodes = slices.Clone(p.nodes)
	p.rand().Shuffle(len(p.nodes), func(i, j int) {
		shuffled.nodes[i], shuffled.nodes[j] = shuffled.nodes[j], shuffled.nodes[i]
	})
	return shuffled.block()
}

// longestFragment is how many consecutive nodes a fragmented placement takes from one place at most.
const longestFragment = 8

// fragmented takes runs of consecutive nodes, of random lengths, from random places that are free.
func (p placement) fragmented() ([]int, error) {
	random, taken := p.rand(), make([]bool, len(p.nodes))
	part := p
	part.nodes = nil
	for len(part.nodes) < len(p.nodes) {
		at := random.IntN(len(p.nodes))
		for range 1 + random.IntN(longestFragment) {
			if at < len(p.nodes) && !taken[at] {
				taken[at] = true
				part.nodes = append(part.nodes, p.nodes[at])
			}
			at++
		}
	}
	return part.block()
}

// rand returns the random numbers of a placement.
func (p placement) rand() *rand.Rand { return rand.New(rand.NewPCG(p.seed, 0x6e6f646573)) }
