package tables

import (
	"fmt"
	"maps"
	"slices"

	"musubi/topology"
)

// InfiniBand's LIDs (InfiniBand Architecture Specification, volume 1, section
// 4.1.3): unicast LIDs are 1 to 0xbfff.
const (
	maxLID = 0xbfff
	maxLMC = 7
)

// Addresses are the LIDs and GUIDs of an InfiniBand network.
type Addresses struct {
	net       *topology.Network // with GUIDs
	endPoints [][]uint16        // LIDs of each end point, ascending
	switches  [][]uint16
	owners    map[uint16]owner
}

// owner is the node that answers to a LID: an end point, or a switch by its port 0.
type owner struct {
	isSwitch bool
	index    int
}

// AssignLIDs returns the LIDs that the network knows, 2^LMC for each port. Ports and switches
// without a LID get the lowest free ones: end points first, then switches, each in their order.
// topology.Network.WithGUIDs provides the GUIDs that the network does not know.
//
// It fails if two ports claim a LID, or if the LIDs are exhausted.
func AssignLIDs(net *topology.Network) (*Addresses, error) {
	a := newAddresses(net)
	if err := a.claimKnown(); err != nil {
		return nil, err
	}
	next := 1
	for e := range net.EndPoints {
		if net.EndPoints[e].LID == 0 {
			if err := a.claimFree(&next, owner{false, e}, net.EndPoints[e].LMC); err != nil {
				return nil, err
			}
		}
	}
	for s := range net.Switches {
		if net.Switches[s].LID == 0 {
			if err := a.claimFree(&next, owner{true, s}, net.Switches[s].LMC); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

func newAddresses(net *topology.Network) *Addresses {
	return &Addresses{
		net:       net.WithGUIDs(),
		endPoints: make([][]uint16, len(net.EndPoints)),
		switches:  make([][]uint16, len(net.Switches)),
		owners:    make(map[uint16]owner),
	}
}

// claimKnown takes the LIDs that the network knows.
func (a *Addresses) claimKnown() error {
	for e := range a.net.EndPoints {
		p := &a.net.EndPoints[e]
		if err := a.claimBlock(int(p.LID), p.LMC, owner{false, e}); err != nil {
			return err
		}
	}
	for s := range a.net.Switches {
		p := &a.net.Switches[s]
		if err := a.claimBlock(int(p.LID), p.LMC, owner{true, s}); err != nil {
			return err
		}
	}
	return nil
}

// claimBlock gives 2^lmc LIDs to an owner; 0 is no LID.
func (a *Addresses) claimBlock(lid int, lmc uint8, o owner) error {
	if lid == 0 {
		return nil
	}
	if lmc > maxLMC || lid+1<<lmc-1 > maxLID {
		return fmt.Errorf("%s has LID %d and LMC %d; expected LIDs up to %d and an LMC up to %d", a.name(o), lid, lmc, maxLID, maxLMC)
	}
	for i := range 1 << lmc {
		if err := a.claim(uint16(lid+i), o); err != nil {
			return err
		}
	}
	return nil
}

// claim gives a LID to an owner.
func (a *Addresses) claim(lid uint16, o owner) error {
	if other, taken := a.owners[lid]; taken {
		if other == o {
			return nil
		}
		return fmt.Errorf("LID %d belongs to %s and to %s", lid, a.name(other), a.name(o))
	}
	a.owners[lid] = o
	lids := a.lids(o)
	i, _ := slices.BinarySearch(*lids, lid)
	*lids = slices.Insert(*lids, i, lid)
	return nil
}

// claimFree gives an owner the lowest free block from *next on.
func (a *Addresses) claimFree(next *int, o owner, lmc uint8) error {
	size := 1 << min(lmc, maxLMC)
	for lid := (*next + size - 1) / size * size; ; lid += size {
		if lid+size-1 > maxLID {
			return fmt.Errorf("no LID is left for %s; InfiniBand has %d", a.name(o), maxLID)
		}
		if a.free(lid, size) {
			*next = lid + size
			return a.claimBlock(lid, lmc, o)
		}
	}
}

func (a *Addresses) free(lid, size int) bool {
	for i := range size {
		if _, taken := a.owners[uint16(lid+i)]; taken {
			return false
		}
	}
	return true
}

func (a *Addresses) lids(o owner) *[]uint16 {
	if o.isSwitch {
		return &a.switches[o.index]
	}
	return &a.endPoints[o.index]
}

func (a *Addresses) name(o owner) string {
	if o.isSwitch {
		return "switch " + a.net.SwitchName(o.index)
	}
	return a.net.EndPointName(o.index)
}

func (a *Addresses) guid(o owner) uint64 {
	if o.isSwitch {
		return a.net.Switches[o.index].GUID
	}
	return a.net.EndPoints[o.index].GUID
}

// LIDs returns the LIDs of an end point, ascending; none if they are not known.
// The caller must not change them.
func (a *Addresses) LIDs(endPoint int) []uint16 { return a.endPoints[endPoint] }

// Network returns a copy of the network that knows these LIDs and GUIDs, for files that must agree
// with the tables. It has the first LID of ports with several.
func (a *Addresses) Network() *topology.Network {
	net := a.net.WithGUIDs()
	for e, lids := range a.endPoints {
		if len(lids) > 0 {
			net.EndPoints[e].LID = lids[0]
		}
	}
	for s, lids := range a.switches {
		if len(lids) > 0 {
			net.Switches[s].LID = lids[0]
		}
	}
	return net
}

// Owner returns the end point that answers to a LID, or the switch that does by its port 0. No node
// is -1.
func (a *Addresses) Owner(lid uint16) (endPoint, sw int) {
	o, ok := a.owners[lid]
	switch {
	case !ok:
		return -1, -1
	case o.isSwitch:
		return -1, o.index
	}
	return o.index, -1
}

// All returns every LID that has an owner, ascending.
func (a *Addresses) All() []uint16 {
	return slices.Sorted(maps.Keys(a.owners))
}

// planes returns the largest number of LIDs of an end point.
func (a *Addresses) planes() int {
	n := 1
	for _, lids := range a.endPoints {
		n = max(n, len(lids))
	}
	return n
}
