package routing

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/topology"
)

// RootCost is what Up*/Down* costs with a root of its spanning tree.
type RootCost struct {
	Root int // switch
	Hops HopStatistics
	Load int64 // of the most used channel, in pairs of hosts
}

// mostRoots is how many roots are tried: all on small networks, else those that are nearest to all others.
const mostRoots = 32

// RootCosts tries roots for the spanning tree of Up*/Down*, with the paths that opt asks for, and returns what
// each costs: the one with the fewest hops first, at equal hops the one with the least load. It fails
// where Up*/Down* does.
func RootCosts(net *topology.Network, opt Options) ([]RootCost, error) {
	updown, err := Lookup("updown")
	if err != nil {
		return nil, err
	}
	opt.VCs = 0
	var costs []RootCost
	for _, s := range central(net, mostRoots) {
		opt.Root = s
		r, err := updown.Build(net, opt)
		if err != nil {
			return nil, fmt.Errorf("root switch %s: %w", net.SwitchName(s), err)
		}
		stats := r.Statistics()
		costs = append(costs, RootCost{s, stats.Hops, stats.ChannelLoad.Max})
	}
	slices.SortStableFunc(costs, func(a, b RootCost) int {
		return cmp.Or(cmp.Compare(a.Hops.Mean, b.Hops.Mean), cmp.Compare(a.Load, b.Load), cmp.Compare(a.Root, b.Root))
	})
	return costs, nil
}

// central returns at most some switches: those from which all end points are nearest, on average.
func central(net *topology.Network, most int) []int {
	far := make([]int, len(net.Switches))
	for s := range far {
		dist := net.Distances(s)
		for e := range net.EndPoints {
			far[s] += dist[net.EndPoints[e].At.Switch]
		}
	}
	all := inTurn(len(net.Switches))
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(far[a], far[b]) })
	return all[:min(most, len(all))]
}
