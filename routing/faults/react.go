package faults

import (
	"fmt"
	"slices"

	"musubi/routing"
	"musubi/routing/change"
	"musubi/routing/nexthop"
	"musubi/topology"
)

// Repairing repairs tables after each loss.
func Repairing(f *change.Forwarding) Reaction { return &repairing{f, change.NewRepairer(f)} }

type repairing struct {
	f *change.Forwarding
	r *change.Repairer
}

func (x *repairing) Fork() Reaction { return &repairing{x.f, x.r.Fork()} }

// Cost repairs quickly, and only if that fails in all the ways of change.Reroute.
func (x *repairing) Cost(loss topology.Loss) Cost {
	o := x.r.Repair(loss)
	if len(o.Stuck) > 0 || x.r.Cyclic {
		return x.thorough(loss)
	}
	c := Cost{Apart: o.Apart, Affected: o.Affected, Most: o.Most, Busiest: o.Busiest}
	for _, e := range o.Changes {
		if e.Added() {
			c.Added++
		} else {
			c.Changed++
		}
	}
	if o.Widened {
		c.Verdict = Widened
	}
	return c
}

func (x *repairing) thorough(loss topology.Loss) Cost {
	r := change.Reroute(x.f, loss)
	c := Cost{Apart: r.Apart, Affected: r.Affected, Changed: r.Changed, Added: r.Added, Verdict: Unordered, Busiest: -1}
	switch {
	case r.NotAnew != nil:
		c.Verdict, c.Reason = Unrouted, r.NotAnew.Error()
		return c
	case r.Anew:
		c.Verdict = Anew
	case change.Prove(r.Old, r.New, loss).AnyOrder():
		c.Verdict = Widened
	}
	for ch, n := range change.Load(r.New, loss) {
		if c.Busiest < 0 || n > c.Most {
			c.Most, c.Busiest = n, ch
		}
	}
	return c
}

// Routing computes a routing anew after each loss.
func Routing(net *topology.Network, a *routing.Algorithm, opt routing.Options) Reaction {
	return &rerouting{net, a, opt}
}

type rerouting struct {
	net *topology.Network
	a   *routing.Algorithm
	opt routing.Options
}

func (x *rerouting) Fork() Reaction { return x }

func (x *rerouting) Cost(loss topology.Loss) Cost {
	c := Cost{Apart: change.Apart(x.net, loss), Busiest: -1}
	unrouted := func(err error) Cost {
		c.Verdict, c.Reason = Unrouted, err.Error()
		return c
	}
	net, rest, err := x.net.Without(loss)
	if err != nil {
		return unrouted(err)
	}
	opt := x.opt
	opt.Root, opt.MoreRoots = 0, nil
	for i, s := range rest.Switches {
		if s <= x.opt.Root { // or the next lower one, if the root is gone
			opt.Root = i
		}
		if slices.Contains(x.opt.MoreRoots, s) {
			opt.MoreRoots = append(opt.MoreRoots, i)
		}
	}
	r, err := x.a.Build(net, opt)
	if err != nil {
		return unrouted(err)
	}
	proof := routing.Verify(r)
	c.Verdict, c.Most = Anew, r.Statistics().ChannelLoad.Max
	if !proof.DeadlockFree() {
		c.Verdict, c.Cycle = Deadlock, len(proof.Cycle)
	}
	return c
}

// Choosing proves a routing whose packets choose as they go anew after each loss. No load is known of it.
func Choosing(net *topology.Network, prove func(*topology.Network) (*nexthop.Proof, error)) Reaction {
	return &choosing{net, prove}
}

type choosing struct {
	net   *topology.Network
	prove func(*topology.Network) (*nexthop.Proof, error)
}

func (x *choosing) Fork() Reaction { return x }

func (x *choosing) Cost(loss topology.Loss) Cost {
	c := Cost{Apart: change.Apart(x.net, loss), Busiest: -1, Verdict: Anew}
	net, _, err := x.net.Without(loss)
	if err != nil {
		c.Verdict, c.Reason = Unrouted, err.Error()
		return c
	}
	proof, err := x.prove(net)
	switch {
	case err != nil:
		c.Verdict, c.Reason = Unrouted, err.Error()
	case proof.Unreachable > 0:
		c.Verdict, c.Reason = Unrouted, fmt.Sprintf("packets of %d pairs need not arrive", proof.Unreachable)
	case !proof.DeadlockFree():
		c.Verdict, c.Cycle = Deadlock, len(proof.Cycle)
	}
	return c
}
