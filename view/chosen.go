package view

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/routing/nexthop"
	"musubi/topology"
)

// chosen is a routing whose packets choose as they go, its proof, and what links are expected to carry.
type chosen struct {
	scheme adaptive.Scheme
	proof  *nexthop.Proof
	shares *adaptive.Shares
}

// choose makes the routing of a name for a network.
func choose(name string, net *topology.Network, seed uint64) (*chosen, error) {
	scheme, err := adaptive.Build(name, net, adaptive.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	shares, err := adaptive.SharesOf(scheme)
	if err != nil {
		return nil, err
	}
	return &chosen{scheme, adaptive.Prove(scheme), shares}, nil
}

// tell fills in what is known of packets that choose.
func (c *chosen) tell(doc *networkJSON) {
	doc.Loads, doc.Shares = c.shares.Load, adaptive.SharesAre(c.scheme)
	doc.Routing, doc.VCs, doc.Safe, doc.Verdict = c.scheme.Name(), c.scheme.VCs(), c.proof.OK(), c.verdict()
	doc.Statistics = routing.Statistics{Pairs: int64(c.shares.Pairs)}
	doc.Statistics.Hops.Mean = c.shares.Hops
	net := c.scheme.Network()
	for _, d := range c.proof.Cycle {
		hold := holdJSON{hopJSON: c.hop(d.Channel, d.Lane), From: net.EndPointName(int(d.Flow.Source)), To: c.proof.Rules.HeadingName(d.Flow.Heading), Way: []hopJSON{}}
		for _, s := range d.Flow.Walk {
			hold.Way = append(hold.Way, c.hop(int(s.Channel), int(s.Lane)))
		}
		doc.Cycle = append(doc.Cycle, hold)
	}
}

func (c *chosen) hop(channel, vc int) hopJSON {
	return hopJSON{Channel: channel, VC: vc, Name: (&routed{net: c.scheme.Network()}).channelName(channel)}
}

// verdict says what the proof has found.
func (c *chosen) verdict() string {
	p := c.proof
	switch {
	case p.Unreachable > 0:
		return fmt.Sprintf("no: packets of %d pairs need not arrive", p.Unreachable)
	case p.Cycle != nil:
		return fmt.Sprintf("can deadlock: %d channels may wait for each other in a cycle", len(p.Cycle))
	case p.Escape != nil:
		return fmt.Sprintf("free of deadlock, whatever packets choose: no cycle among %d dependencies of the channels to escape to", p.Dependencies)
	}
	return fmt.Sprintf("free of deadlock, whatever packets choose: no cycle among %d dependencies of %d channels", p.Dependencies, p.Channels)
}

// expected returns the links that packets from one switch to another are expected to take, the nearest to the source first, and
// how many a packet takes in the mean.
func (n *routed) expected(from, to int, distances []int) ([]hopJSON, float64, error) {
	shares, err := adaptive.SharesBetween(n.chosen.scheme, from, to)
	if err != nil {
		return nil, 0, err
	}
	hops := []hopJSON{}
	for channel, part := range shares.Load {
		if part > 0 {
			hops = append(hops, hopJSON{Channel: channel, VC: -1, Name: n.channelName(channel), Part: part})
		}
	}
	slices.SortStableFunc(hops, func(a, b hopJSON) int {
		return cmp.Or(cmp.Compare(distances[n.net.From(a.Channel).Switch], distances[n.net.From(b.Channel).Switch]), cmp.Compare(b.Part, a.Part))
	})
	return hops, shares.Hops, nil
}
