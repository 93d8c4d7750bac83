package tables

import (
	"slices"

	"musubi/topology"
)

// Clone copies forwarding tables and levels. The copy shares lanes with the original.
func (t *InfiniBand) Clone() *InfiniBand {
	c := *t
	c.Forward = make([][]uint8, len(t.Forward))
	for s, row := range t.Forward {
		c.Forward[s] = slices.Clone(row)
	}
	c.Levels = nil
	for _, levels := range t.Levels {
		c.Levels = append(c.Levels, levels.clone())
	}
	return &c
}

// Without returns the tables for what is left of the network after a loss. Ports keep their LIDs,
// levels and lanes. Entries that lead to what is gone stay, and lead nowhere.
func (t *InfiniBand) Without(loss topology.Loss) (*InfiniBand, error) {
	net, rest, err := t.Addresses.Network().Without(loss)
	if err != nil {
		return nil, err
	}
	c := &InfiniBand{Algorithm: t.Algorithm, Net: net, Addresses: newAddresses(net)}
	for i, s := range rest.Switches {
		c.Forward = append(c.Forward, slices.Clone(t.Forward[s]))
		if t.Lanes != nil {
			c.Lanes = append(c.Lanes, t.Lanes[s])
		}
		if err := c.Addresses.claimAll(t.Addresses.switches[s], owner{true, i}); err != nil {
			return nil, err
		}
	}
	for i, e := range rest.EndPoints {
		if err := c.Addresses.claimAll(t.Addresses.endPoints[e], owner{false, i}); err != nil {
			return nil, err
		}
	}
	for _, levels := range t.Levels {
		c.Levels = append(c.Levels, levels.only(rest.EndPoints))
	}
	return c, nil
}

func (a *Addresses) claimAll(lids []uint16, o owner) error {
	for _, lid := range lids {
		if err := a.claim(lid, o); err != nil {
			return err
		}
	}
	return nil
}

// only returns the table for some of the end points.
func (t PairTable) only(ends []int) PairTable {
	c := make(PairTable, 0, len(ends))
	for _, e := range ends {
		row := t[e]
		if len(row) > 1 {
			short := make([]uint8, 0, len(ends))
			for _, d := range ends {
				short = append(short, row[d])
			}
			row = short
		}
		c = append(c, row)
	}
	return c
}
