package host

import (
	"cmp"
	"errors"
	"fmt"

	"musubi/internal/sparse"
	"musubi/nic/ring"
	"musubi/rma"
)

// What a machine has if its description does not say.
const (
	usualArea    = 4 << 20
	usualRecords = 4096
)

// usualShare is the least that a private ring gets by default, in packets.
const usualShare = 4

// maxSenders is how many process ids a packet header can tell apart.
const MaxSenders = 1 << 16

// ringLimits bounds the receive rings of one rank.
var ringLimits = rma.Limits{Bytes: 1 << 30, Records: 1 << 24}

// packetData returns the data of the largest packet that goes into a receive ring, in
// bytes. No ring may be smaller than that.
func (c *Env) RingPacket() int { return c.Traits.RingPacket }

// UsualRings divides the machine's receive area: a private ring for every rank
// if each gets a fair share, else one ring for all.
func (c *Cluster) UsualRings() rma.Rings {
	area, packet := cmp.Or(int(c.Machine.Ring.Area), usualArea), c.RingPacket()
	if share := area / len(c.Ranks); share >= usualShare*packet {
		if rings := rma.RingForEach(share, rma.PerMessage); c.checkRings(rings) == nil {
			return rings
		}
	}
	return rma.SharedRing(max(area, packet))
}

// checkChosen fails if the rings that the user has chosen are not such as the ranks
// can have.
func (c *Cluster) checkChosen() error {
	if chosen := c.Config.Rings; chosen != nil && len(chosen) != len(c.Ranks) {
		return fmt.Errorf("receive rings are given for %d ranks; there are %d", len(chosen), len(c.Ranks))
	}
	for i, rings := range c.Config.Rings {
		if err := c.checkRings(rings); err != nil {
			return fmt.Errorf("receive rings of rank %d: %w", i, err)
		}
	}
	return nil
}

// checkRings fails if a rank cannot have such rings.
func (c *Cluster) checkRings(rings rma.Rings) error {
	_, err := c.layout(&rings)
	return err
}

// receiverLayout is what receive rings are in the network interface.
type receiverLayout struct {
	*ring.Layout
	ringOf []int // of each sender, -1 if none
}

// uniform is what tells apart rings that do not name senders.
type uniform struct {
	each, other           int // bytes
	eachTells, otherTells rma.Status
	records               int
}

// layout returns the layout of rings, or fails if a rank cannot have such. Ranks share a layout
// that is the same for all, as layouts of large jobs take much memory.
func (c *Cluster) layout(rings *rma.Rings) (*receiverLayout, error) {
	if len(rings.Private) > 0 {
		return c.newLayout(rings)
	}
	key := uniform{rings.Each.Bytes, rings.Other.Bytes, rings.Each.Status, rings.Other.Status, rings.Records}
	if l := c.layouts[key]; l != nil {
		return l, nil
	}
	l, err := c.newLayout(rings)
	if err != nil {
		return nil, err
	}
	if c.layouts == nil {
		c.layouts = map[uniform]*receiverLayout{}
	}
	c.layouts[key] = l
	return l, nil
}

// newLayout returns the layout of rings, or fails if a rank cannot have such.
func (c *Cluster) newLayout(rings *rma.Rings) (*receiverLayout, error) {
	if err := c.checkForm(rings); err != nil {
		return nil, err
	}
	lists := rings.Lists(len(c.Ranks))
	cfg := c.receiverConfig(&lists)
	if check := c.Traits.CheckRings; check != nil {
		if err := check(cfg); err != nil {
			return nil, err
		}
	}
	l := &receiverLayout{ringOf: cfg.Table}
	if c.Machine.Ring.EntryInPacket {
		cfg.Table = nil
	}
	var err error
	if l.Layout, err = ring.NewLayout(cfg); err != nil {
		return nil, err
	}
	return l, nil
}

// checkForm fails if rings are not such as any machine has.
func (c *Cluster) checkForm(rings *rma.Rings) error {
	ranks := len(c.Ranks)
	if ranks > MaxSenders {
		return fmt.Errorf("rma: receive rings for %d ranks; packets can name %d", ranks, MaxSenders)
	}
	if err := rings.CheckLimits(ranks, ringLimits); err != nil {
		return err
	}
	return rings.Check(ranks, c.RingPacket())
}

// Rings implements rma.Process.
func (r *Process) Rings(rings rma.Rings) error {
	if r.c.Config.Rings != nil {
		return nil
	}
	if r.inbox.layout != nil {
		return errors.New("rma: Rings after the rings are in use; expected it once, before the process communicates")
	}
	return r.makeRings(&rings)
}

// ready makes the rings that the user or the machine says, if there are none
// yet.
func (r *Process) ready() error {
	if r.inbox.layout != nil {
		return nil
	}
	if chosen := r.c.Config.Rings; chosen != nil {
		return r.makeRings(&chosen[r.number])
	}
	c := r.c
	if c.usual == nil {
		rings := c.UsualRings()
		c.usual = &rings
	}
	return r.makeRings(c.usual)
}

// makeRings gives a rank its rings.
func (r *Process) makeRings(rings *rma.Rings) error {
	l, err := r.c.layout(rings)
	if err != nil {
		return err
	}
	r.inbox.layout, r.inbox.rx = l, l.NewReceiver()
	r.inbox.areas, r.inbox.pool = sparse.NewFew[area](len(l.Rings())), &r.c.areas
	return nil
}

// receiverConfig translates rings for the network interface. That for all other
// ranks is the last.
func (c *Cluster) receiverConfig(rings *rma.Rings) ring.Config {
	cfg := ring.Config{
		Table: make([]int, len(c.Ranks)), Packet: c.RingPacket(),
		Records: cmp.Or(rings.Records, c.Machine.Ring.Records, usualRecords),
	}
	if c.Machine.Ring.Full == "nack" {
		cfg.Policy = ring.SendNack
	}
	others := -1
	all := rings.Private
	if rings.Other.Bytes > 0 {
		others = len(all)
		all = append(all[:others:others], rings.Other)
	}
	for sender := range cfg.Table {
		cfg.Table[sender] = others
	}
	for i, ring := range rings.Private {
		for _, sender := range ring.Senders {
			cfg.Table[sender] = i
		}
	}
	senders := make([]int, len(all))
	for _, ring := range cfg.Table {
		if ring >= 0 {
			senders[ring]++
		}
	}
	for i, r := range all {
		cfg.Rings = append(cfg.Rings, ring.RingConfig{
			Size: r.Bytes, Shared: senders[i] > 1, PerPacket: r.Status == rma.PerPacket,
		})
	}
	return cfg
}
