package device

import (
	"errors"
	"fmt"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/machine"
)

// New builds a machine.
func New(cfg Config) (*Cluster, error) {
	kind := kindOf(cfg.Machine)
	c := &Cluster{cfg: cfg, latency: newLatencies()}
	c.Env = Env{
		m: cfg.Machine, net: cfg.Net, routes: cfg.Routes, hosts: cfg.Hosts, seed: cfg.Seed,
		ops: make([]operation, 1), traits: TraitsOf(cfg.Machine), groupOf: cfg.Groups, stages: cfg.Stages,
	}
	c.ranks = make([]rank, len(cfg.Hosts))
	for i := range c.ranks {
		c.ranks[i] = rank{c: c, number: i}
	}
	if err := c.checkChosen(); err != nil {
		return nil, err
	}
	if cfg.Net != nil {
		if err := c.place(); err != nil {
			return nil, err
		}
		var err error
		if c.fabric, err = newFabric(&cfg, &c.traits, &c.q); err != nil {
			return nil, err
		}
	}
	var err error
	if c.model, err = kind.New(&c.Env); err != nil {
		return nil, err
	}
	c.follower, _ = c.model.(follower)
	c.blocker, _ = c.model.(blocker)
	c.waiter, _ = c.model.(waiter)
	return c, nil
}

// place notes which rank is on which host, and fails if a host has more than it can
// have, or there are more than headers of packets can name.
func (c *Cluster) place() error {
	if ranks, most := len(c.ranks), c.traits.MaxRanks; most > 0 && ranks > most {
		return fmt.Errorf("%d ranks; packets of machine %s can name %d", ranks, c.m.Name, most)
	}
	c.nodeAt, c.nodeOf = make([]int32, len(c.net.EndPoints)), make([]int32, len(c.ranks))
	for e := range c.nodeAt {
		c.nodeAt[e] = -1
	}
	share := make([]int, len(c.nodeAt))
	for r, e := range c.hosts {
		if e < 0 || e >= len(c.nodeAt) {
			return fmt.Errorf("rank %d is placed on host %d; the network has hosts 0 to %d", r, e, len(c.nodeAt)-1)
		}
		if share[e]++; share[e] > c.traits.RanksPerHost {
			return fmt.Errorf("%d ranks are placed on host %d; a network interface of machine %s serves %d", share[e], e, c.m.Name, c.traits.RanksPerHost)
		}
		if c.nodeAt[e] < 0 {
			c.nodeAt[e] = int32(c.nodes)
			c.nodes++
		}
		c.nodeOf[r] = c.nodeAt[e]
	}
	return nil
}

// newFabric builds the fabric that a machine description asks for.
func newFabric(cfg *Config, traits *Traits, q *engine.Queue) (fabric.Fabric, error) {
	m := cfg.Machine
	f := fabric.Config{
		Net: cfg.Net, Routes: cfg.Routes, Ports: traits.Engines,
		Flit: m.Link.Flit, Rate: m.Link.Rate, LinkRates: m.Link.Speeds,
		Classes: m.Switch.Classes, VCs: m.Switch.VCs, Buffer: m.Switch.Buffer,
		Errors: m.Conditions.Errors, Seed: cfg.Seed,
		Flow: fabric.Flow(m.Switch.Flow), MaxPacket: m.PacketFlits(m.Packet.Payload),
		Switch: m.Switch.Latency, Cable: m.Link.Cable, HostCable: m.Link.HostCable,
	}
	if traits.RouteInHeader {
		f.MaxPacket += longestRoute(cfg.Routes)
	}
	if m.Switch.Engine == "packet" {
		if len(cfg.Alternates) > 0 {
			return nil, errors.New("network.alternates collides with switch.engine = \"packet\", where all packets between two hosts take one path")
		}
		return fabric.NewPacket(f, q)
	}
	f.Router = router(&m.Router)
	f.Router.InOrder = !cfg.Unordered
	f.Router.Alternates, f.Router.Seed = cfg.Alternates, cfg.Seed
	if f.Router.Lanes == 0 && f.Routes.VCs <= f.VCs {
		f.Router.Lanes = f.VCs / f.Routes.VCs
		f.VCs = f.Routes.VCs
	}
	return fabric.NewFlit(f, q)
}

func router(r *machine.Router) fabric.Router {
	return fabric.Router{
		Switching: fabric.Switching(r.Switching), Lanes: r.Lanes, AnyHostVC: r.AnyHostVC,
		HoldSwitch: r.HoldSwitch, Iterations: r.Iterations,
		RoutingDelay: r.RoutingDelay, VCAllocDelay: r.VCAllocDelay, SwitchAllocDelay: r.SwitchAllocDelay,
		CrossbarDelay: r.CrossbarDelay, CreditDelay: r.CreditDelay,
	}
}

// longestRoute returns how many flits of route the header of a packet has at most.
func longestRoute(routes *routing.Routes) int {
	most := 0
	for id := range routes.NumPaths() {
		most = max(most, len(routes.PathByID(id)))
	}
	return most + 1
}
