package routing

import (
	"fmt"
	"slices"

	"musubi/topology"
)

// usualAdapterLanes is how many virtual lanes for data most adapters of InfiniBand have.
const usualAdapterLanes = 8

// Advice says what speaks against these routes, made with opt, as sentences without a full stop; none if nothing
// does that is known here.
func (a *Algorithm) Advice(r *Routes, opt Options) []string {
	var list []string
	top := topSwitches(r.Net)
	several := fmt.Sprintf("the network has %d top switches", len(top))
	switch {
	case len(top) < 2:
	case a.onTree:
		list = append(list, several+", and packets go along one spanning tree, so they use hardly more than one; updown uses all")
	case a.Name == upDownRouting.Name && len(opt.MoreRoots) == 0 && slices.Contains(top, opt.Root):
		list = append(list, several+", and with one of them as the only root packets use no other; a root among the switches with hosts, or all top switches as roots, spreads them")
	}
	if r.VCs > usualAdapterLanes {
		list = append(list, fmt.Sprintf("it takes %d virtual channels, and most adapters of InfiniBand have %d; layered keeps to what --vcs gives", r.VCs, usualAdapterLanes))
	}
	return list
}

// topSwitches returns the switches of the highest level if the network is in levels, as fat trees are: each link
// leads one level up from the switches with hosts. It returns none for other networks.
func topSwitches(net *topology.Network) []int {
	levels := net.SwitchLevels()
	highest := 0
	for _, l := range levels {
		highest = max(highest, l)
	}
	for _, l := range net.Links {
		if d := levels[l.A.Switch] - levels[l.B.Switch]; d != 1 && d != -1 {
			return nil
		}
	}
	if highest == 0 {
		return nil
	}
	var top []int
	for s, l := range levels {
		if l == highest {
			top = append(top, s)
		}
	}
	return top
}
