package host

import (
	"cmp"
	"errors"
	"fmt"

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

// ringLimits are those of the rings of a rank.
var ringLimits = rma.Limits{Bytes: 1 << 30, Records: 1 << 24}

// packetData returns the data of the largest packet that goes into a receive ring, in
// bytes. No ring may be smaller than that.
func (c *Env) RingPacket() int { return c.Traits.RingPacket }

// usualRings divides the machine's receive area: a private ring for every rank
// if each gets a fair share, else one ring for all.
func (c *Cluster) usualRings() rma.Rings {
	area, packet := cmp.Or(int(c.Machine.Ring.Area), usualArea), c.RingPacket()
	if share := area / len(c.Ranks); share >= usualShare*packet {
		if rings := rma.PrivateRings(len(c.Ranks), share); c.checkRings(rings) == nil {
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
	ranks := len(c.Ranks)
	if ranks > MaxSenders {
		return fmt.Errorf("rma: receive rings for %d ranks; packets can name %d", ranks, MaxSenders)
	}
	if err := rings.CheckLimits(ringLimits); err != nil {
		return err
	}
	if err := rings.Check(ranks, c.RingPacket()); err != nil {
		return err
	}
	if c.Traits.CheckRings == nil {
		return nil
	}
	return c.Traits.CheckRings(c.receiverConfig(&rings))
}

// Rings implements rma.Process.
func (r *Process) Rings(rings rma.Rings) error {
	if r.c.Config.Rings != nil {
		return nil
	}
	if r.inbox.rx != nil {
		return errors.New("rma: Rings after the rings are in use; expected it once, before the process communicates")
	}
	return r.makeRings(rings)
}

// ready makes the rings that the user or the machine says, if there are none
// yet.
func (r *Process) ready() error {
	if r.inbox.rx != nil {
		return nil
	}
	if chosen := r.c.Config.Rings; chosen != nil {
		return r.makeRings(chosen[r.number])
	}
	c := r.c
	if c.usual == nil {
		rings := c.usualRings()
		if err := c.checkRings(rings); err != nil {
			return err
		}
		cfg := c.receiverConfig(&rings)
		c.usual = &cfg
	}
	return r.install(*c.usual)
}

func (r *Process) makeRings(rings rma.Rings) error {
	if err := r.c.checkRings(rings); err != nil {
		return err
	}
	return r.install(r.c.receiverConfig(&rings))
}

// install gives a rank its rings. Ranks may have the same tables.
func (r *Process) install(cfg ring.Config) error {
	r.inbox.rings, r.inbox.ringOf = cfg.Rings, cfg.Table
	if r.c.Machine.Ring.EntryInPacket {
		cfg.Table = nil
	}
	var err error
	if r.inbox.rx, err = ring.NewReceiver(cfg); err != nil {
		return err
	}
	r.inbox.areas, r.inbox.taken = make([][]byte, len(cfg.Rings)), map[uint64]ring.Record{}
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
