package routing

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/routing/internal/tree"
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
	var costs []RootCost
	for _, s := range central(net, mostRoots) {
		opt.Root, opt.MoreRoots = s, nil
		cost, err := CostOfRoots(net, opt)
		if err != nil {
			return nil, fmt.Errorf("root switch %s: %w", net.SwitchName(s), err)
		}
		costs = append(costs, cost)
	}
	slices.SortStableFunc(costs, func(a, b RootCost) int {
		return cmp.Or(cmp.Compare(a.Hops.Mean, b.Hops.Mean), cmp.Compare(a.Load, b.Load), cmp.Compare(a.Root, b.Root))
	})
	return costs, nil
}

// CostOfRoots returns what Up*/Down* costs with the roots and the paths that opt asks for.
func CostOfRoots(net *topology.Network, opt Options) (RootCost, error) {
	opt.VCs = 0
	updown, err := Lookup("updown")
	if err != nil {
		return RootCost{}, err
	}
	r, err := updown.Build(net, opt)
	if err != nil {
		return RootCost{}, err
	}
	stats := r.Statistics()
	return RootCost{opt.Root, stats.Hops, stats.ChannelLoad.Max}, nil
}

// roots are all roots.
func (o Options) roots() []int { return append([]int{o.Root}, o.MoreRoots...) }

// checkForest fails unless there is a way up and then down between all switches with end points. To
// a destination lead all switches above it, and all from which one leads up to these.
func checkForest(t *tree.Tree) error {
	n := len(t.Net.Switches)
	var queue []int
	for _, dst := range endSwitches(t.Net) {
		const below, above = 1, 2
		leads := make([]uint8, n)
		leads[dst] = above
		queue = append(queue[:0], dst)
		for i := 0; i < len(queue); i++ {
			at := queue[i]
			for _, c := range t.Net.Out(at) {
				next := t.Net.To(int(c)).Switch
				to := uint8(below)
				if t.Up(int(c)) { // a packet comes down here, and must go on down
					if leads[at] == below {
						continue
					}
					to = above
				}
				if leads[next] >= to {
					continue
				}
				leads[next] = to
				queue = append(queue, next)
			}
		}
		for _, src := range endSwitches(t.Net) {
			if leads[src] == 0 {
				return fmt.Errorf("no way up and then down from switch %s to %s with these %d roots; expected roots that have one between all, as the top switches of a fat tree",
					t.Net.SwitchName(src), t.Net.SwitchName(dst), len(rootsOf(t)))
			}
		}
	}
	return nil
}

// rootsOf returns the switches of level 0.
func rootsOf(t *tree.Tree) []int32 {
	return slices.Collect(func(yield func(int32) bool) {
		for _, s := range t.Order {
			if t.Level[s] == 0 && !yield(s) {
				return
			}
		}
	})
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
