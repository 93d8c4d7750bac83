package abi

import (
	"musubi/mpi/abi/standard"
	"slices"
)

// Group is some processes in an order.
type Group struct{ Processes []int32 }

var emptyGroup = &Group{}

// NewGroup makes a group of processes and returns its handle.
func (p *Process) NewGroup(processes []int32) int64 {
	if len(processes) == 0 {
		return standard.GroupEmpty
	}
	return p.Groups.Add(&Group{processes})
}

// Group returns the group at a word, and GroupAt that of a handle.
func (c *Call) Group(i int) (*Group, error) { return c.GroupAt(c.Words[i]) }

// GroupAt returns the group of a handle.
func (c *Call) GroupAt(h int64) (*Group, error) {
	if h == standard.GroupEmpty {
		return emptyGroup, nil
	}
	if g := c.Groups.Get(h); g != nil {
		return g, nil
	}
	return nil, Wrong(standard.ErrGroup, "%#x is no group", h)
}

// RankOf returns the rank of a process of the world, -1 if it is no member.
func (g *Group) RankOf(process int32) int { return slices.Index(g.Processes, process) }

// Those returns the members that are wanted.
func (g *Group) Those(want func(process int32) bool) (list []int32) {
	for _, x := range g.Processes {
		if want(x) {
			list = append(list, x)
		}
	}
	return list
}
