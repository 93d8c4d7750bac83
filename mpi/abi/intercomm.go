package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/elements"
)

// What the groups of an intercommunicator tell each other when they make others: by their first
// ranks, in messages of its bridge that no receive of a program takes.

// member is a rank of an intercommunicator as Comm_split and Comm_create see it.
type member struct{ Color, Key, Process int32 }

// exchangeMembers returns what the ranks of both groups give.
func (c *call) exchangeMembers(m *comm, color, key int) (mine, theirs []member, err error) {
	if mine, err = gatherAll(c, m, []member{{int32(color), int32(key), int32(c.engine.Rank)}}); err != nil {
		return nil, nil, err
	}
	theirs = make([]member, len(m.remote))
	return mine, theirs, m.between().SwapLeaders(c.function.name, elements.Memory(mine), elements.Memory(theirs))
}

// splitInter makes an intercommunicator for each color that both groups have.
func (c *call) splitInter(m *comm, color, key int) error {
	n, err := c.splitBetween(m, color, key)
	if err != nil {
		return err
	}
	c.putWord(c.a[3], n)
	return nil
}

func (c *call) splitBetween(m *comm, color, key int) (int64, error) {
	_, theirs, err := c.exchangeMembers(m, color, key)
	if err != nil {
		return 0, err
	}
	local, err := m.c.Split(c.function.name, color, key)
	if err != nil || local == nil {
		return standard.CommNull, err
	}
	first := member{Process: -1}
	for _, x := range theirs { // the first rank of the other group: the least key, then the least rank
		if x.Color == int32(color) && (first.Process < 0 || x.Key < first.Key) {
			first = x
		}
	}
	if first.Process < 0 {
		return standard.CommNull, local.Free(c.function.name)
	}
	tag := 1<<25 + (color%(1<<12))<<12 + int(m.point.Point)%(1<<12)
	own, bridge, remote, err := local.Bridge(c.function.name, 0, c.world, int(first.Process), tag)
	if err != nil {
		return 0, err
	}
	n := c.newComm(own, m)
	n.point, n.remote = bridge, remote
	return n.handle, local.Free(c.function.name)
}

// createInter makes an intercommunicator of the groups that the ranks of each side give.
func (c *call) createInter(m *comm, g *group) error {
	color, key := standard.Undefined, g.rankOf(int32(c.engine.Rank))
	if key >= 0 {
		color = 0
	}
	n, err := c.splitBetween(m, color, key)
	if err != nil {
		return err
	}
	c.putWord(c.a[2], n)
	return nil
}
