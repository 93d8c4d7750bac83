package host

import (
	"fmt"

	"musubi/internal/phantom"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/failure"
	"musubi/sim/flit"
	"musubi/sim/flow"
	"musubi/sim/machine"
	"musubi/sim/packet"
)

// New builds a machine.
func New(cfg Config) (*Cluster, error) {
	entry := entryOf(cfg.Machine)
	c := &Cluster{Config: cfg, drivers: new(drivers)}
	c.Env = Env{
		Machine: cfg.Machine, Net: cfg.Net, Routes: cfg.Routes, Hosts: cfg.Hosts, Seed: cfg.Seed,
		Traits: TraitsOf(cfg.Machine), Clock: new(engine.Queue), groupOf: cfg.Groups, Stages: cfg.Stages, Observer: cfg.Observer, latency: newLatencies(),
	}
	c.ahead.Spread = len(cfg.Hosts) >= manyRanks
	if cfg.Phantom && c.Traits.Phantom {
		c.phantom = phantom.New()
	}
	if cfg.Network != nil {
		c.Clock, c.drivers = cfg.Network.clock, &cfg.Network.drivers
	}
	c.Ranks = make([]Process, len(cfg.Hosts))
	for i := range c.Ranks { // by field: the others are zero, and many lines of memory
		c.Ranks[i].c, c.Ranks[i].number = c, i
	}
	if err := c.checkChosen(); err != nil {
		return nil, err
	}
	if cfg.Net != nil {
		if err := c.place(); err != nil {
			return nil, err
		}
		if err := c.connect(); err != nil {
			return nil, err
		}
	}
	var err error
	if c.Model, err = entry.New(&c.Env); err != nil {
		return nil, err
	}
	c.follower, _ = c.Model.(Follower)
	c.blocker, _ = c.Model.(Blocker)
	c.waiter, _ = c.Model.(Waiter)
	c.prefetcher, _ = c.Model.(Prefetcher)
	if c.Observer == nil && c.Stages == nil && c.Processors == nil { // they want to know when programs do what
		c.deferrer, _ = c.Model.(Deferrer)
	}
	return c, nil
}

// connect builds the fabric, with failures if there are any.
func (c *Cluster) connect() (err error) {
	if n := c.Config.Network; n != nil {
		c.Fabric, c.failures = n.join(c), n.failures
		return nil
	}
	c.Fabric, c.failures, err = connected(&c.Config, &c.Traits, c.Clock, c.prefetch)
	c.tagger, _ = c.Fabric.(fabric.Tagger)
	return err
}

// connected builds the fabric that a configuration asks for, with what makes its links fail, if they do. It calls ahead for
// each event, see fabric.Config.
func connected(cfg *Config, traits *Traits, q *engine.Queue, ahead func()) (f fabric.Fabric, failures *failure.Fabric, err error) {
	if f, err = newFabric(cfg, traits, q, ahead); err != nil {
		return nil, nil, err
	}
	if cfg.Failures != nil {
		_, flows := f.(fabric.BreakableFlows)
		routes := cfg.Routes
		if cfg.Choice != nil {
			routes = nil
		}
		failures = failure.New(f.(fabric.Breakable), *cfg.Failures, routes, q)
		if f = failures; flows {
			return fabric.InOrderFlows{InOrder: fabric.NewInOrder(failure.Flows{Fabric: failures}, q)}, failures, nil
		}
	}
	if (cfg.Choice != nil || failures != nil) && !cfg.Unordered {
		f = fabric.NewInOrder(f, q)
	}
	return f, failures, nil
}

// place notes which rank is on which host, and fails if a host has more than it can
// have, or there are more than headers of packets can name.
func (c *Cluster) place() error {
	if ranks, most := len(c.Ranks), c.Traits.MaxRanks; most > 0 && ranks > most {
		return fmt.Errorf("%d ranks; packets of machine %s can name %d", ranks, c.Machine.Name, most)
	}
	c.NodeAt, c.NodeOf = make([]int32, len(c.Net.EndPoints)), make([]int32, len(c.Ranks))
	for e := range c.NodeAt {
		c.NodeAt[e] = -1
	}
	for r, e := range c.Hosts {
		if e < 0 || e >= len(c.NodeAt) {
			return fmt.Errorf("rank %d is placed on host %d; the network has hosts 0 to %d", r, e, len(c.NodeAt)-1)
		}
		if c.NodeAt[e] < 0 {
			c.NodeAt[e] = int32(c.Nodes)
			c.ranksAt = append(c.ranksAt, 0)
			c.Nodes++
		}
		node := c.NodeAt[e]
		if c.ranksAt[node]++; c.ranksAt[node] > c.Traits.RanksPerHost {
			return fmt.Errorf("%d ranks are placed on host %d; a host of machine %s runs %d", c.ranksAt[node], e, c.Machine.Name, c.Traits.RanksPerHost)
		}
		c.NodeOf[r] = node
	}
	c.memories = make([]memoryBus, c.Nodes)
	c.shareProcessors()
	return c.placeNodes()
}

// newFabric builds the fabric that a machine description asks for.
func newFabric(cfg *Config, traits *Traits, q *engine.Queue, ahead func()) (fabric.Fabric, error) {
	m := cfg.Machine
	f := fabric.Config{
		Net: cfg.Net, Routes: cfg.Routes, Choice: cfg.Choice, Ports: traits.Engines,
		Flit: m.Link.Flit, Rate: m.Link.Rate, LinkRates: m.Link.Speeds,
		Classes: m.Switch.Classes, VCs: m.Switch.VCs, Buffer: m.Switch.Buffer,
		Errors: traits.Errors, Seed: cfg.Seed, Breaks: cfg.Failures != nil,
		Flow: fabric.Flow(m.Switch.Flow), MaxPacket: m.PacketFlits(m.Packet.Payload),
		Observer: cfg.Observer, Ahead: ahead,
		Switch: m.Switch.Latency, Cable: m.Link.Cable, HostCable: m.Link.HostCable, LongCable: m.Link.LongCable,
	}
	if traits.RouteInHeader {
		f.MaxPacket += longestRoute(cfg.Routes)
	}
	if m.Switch.Engine != "flit" && len(cfg.Alternates) > 0 {
		return nil, fmt.Errorf("network.alternates collides with switch.engine = %q, where all packets between two hosts take one path", m.Switch.Engine)
	}
	switch m.Switch.Engine {
	case "packet":
		return packet.New(f, q)
	case "flow":
		return flow.New(f, q)
	}
	f.Router = router(&m.Router)
	f.Router.InOrder = !cfg.Unordered
	f.Router.Alternates, f.Router.Seed = cfg.Alternates, cfg.Seed
	uses := f.Routes.VCs
	if f.Choice != nil {
		uses = f.Choice.VCs()
	}
	if f.Router.Lanes == 0 && uses <= f.VCs {
		f.Router.Lanes = f.VCs / uses
		f.VCs = uses
	}
	return flit.New(f, q)
}

func router(r *machine.Router) fabric.Router {
	return fabric.Router{
		Switching: fabric.Switching(r.Switching), Lanes: r.Lanes, AnyHostVC: r.AnyHostVC,
		HoldSwitch: r.HoldSwitch, Iterations: r.Iterations,
		RoutingDelay: r.RoutingDelay, VCAllocDelay: r.VCAllocDelay, SwitchAllocDelay: r.SwitchAllocDelay,
		CrossbarDelay: r.CrossbarDelay, CreditDelay: r.CreditDelay, Speedup: r.Speedup,
	}
}

// longestRoute returns how many flits of route the header of a packet has at most.
func longestRoute(routes *routing.Routes) int { return routes.Longest() + 1 }
