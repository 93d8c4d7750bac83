package routing

import (
	"fmt"
	"math/bits"
	"slices"

	"musubi/topology"
)

const numKinds = int(topology.Router) + 1

// Class is a class of traffic: the packets that end points of one kind send to
// those of another.
type Class struct{ From, To topology.Kind }

func (c Class) String() string { return fmt.Sprintf("%v-to-%v", c.From, c.To) }

// classSet has bit From*numKinds+To set for each of its classes.
type classSet uint16

const (
	hostToHost classSet = 1
	allClasses classSet = 1<<(numKinds*numKinds) - 1
)

func (s classSet) list() []Class {
	var cs []Class
	for ; s != 0; s &= s - 1 {
		b := bits.TrailingZeros16(uint16(s))
		cs = append(cs, Class{topology.Kind(b / numKinds), topology.Kind(b % numKinds)})
	}
	return cs
}

// subsets returns all non-empty subsets of s, small ones first; those of one
// size come in the order of the kinds.
func (s classSet) subsets() []classSet {
	var all []classSet
	for sub := s; sub != 0; sub = (sub - 1) & s {
		all = append(all, sub)
	}
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b classSet) int {
		return bits.OnesCount16(uint16(a)) - bits.OnesCount16(uint16(b))
	})
	return all
}

// kindSet has bit k set for each kind k in it.
type kindSet uint8

// pairClasses returns the classes of traffic between two sets of kinds.
func pairClasses(from, to kindSet) classSet {
	var s classSet
	for k := range numKinds {
		if from>>k&1 != 0 {
			s |= classSet(to) << (k * numKinds)
		}
	}
	return s
}
