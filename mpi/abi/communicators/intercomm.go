package communicators

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/elements"
)

// What the groups of an intercommunicator tell each other when they make others: by their first
// ranks, in messages of its bridge that no receive of a program takes.

// member is a rank of an intercommunicator as Comm_split and Comm_create see it.
type member struct{ Color, Key, Process int32 }

// exchangeMembers returns what the ranks of both groups give.
func exchangeMembers(c *abi.Call, m *abi.Comm, color, key int) (mine, theirs []member, err error) {
	if mine, err = abi.GatherAll(c, m, []member{{int32(color), int32(key), int32(c.Engine.Rank)}}); err != nil {
		return nil, nil, err
	}
	theirs = make([]member, len(m.Remote))
	return mine, theirs, m.Between().SwapLeaders(c.Function.Name, elements.Memory(mine), elements.Memory(theirs))
}

// splitInter makes an intercommunicator for each color that both groups have.
func splitInter(c *abi.Call, m *abi.Comm, color, key, result int) error {
	n, err := splitBetween(c, m, color, key)
	if err != nil {
		return err
	}
	c.PutWord(c.Words[result], n)
	return nil
}

func splitBetween(c *abi.Call, m *abi.Comm, color, key int) (int64, error) {
	_, theirs, err := exchangeMembers(c, m, color, key)
	if err != nil {
		return 0, err
	}
	local, err := m.Inner.Split(c.Function.Name, color, key)
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
		return standard.CommNull, local.Free(c.Function.Name)
	}
	tag := 1<<25 + (color%(1<<12))<<12 + int(m.Point.Point)%(1<<12)
	own, bridge, remote, err := local.Bridge(c.Function.Name, 0, c.World, int(first.Process), tag)
	if err != nil {
		return 0, err
	}
	n := c.NewComm(own, m)
	n.Point, n.Remote = bridge, remote
	return n.Handle, local.Free(c.Function.Name)
}

// createInter makes an intercommunicator of the groups that the ranks of each side give.
func createInter(c *abi.Call, m *abi.Comm, g *abi.Group) error {
	color, key := standard.Undefined, g.RankOf(int32(c.Engine.Rank))
	if key >= 0 {
		color = 0
	}
	n, err := splitBetween(c, m, color, key)
	if err != nil {
		return err
	}
	c.PutWord(c.Words[2], n)
	return nil
}
