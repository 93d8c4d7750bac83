package route

import (
	"musubi/cmd/musubi/internal/cli"
	"musubi/routing"
	"musubi/topology"
)

// notedRoots is how many roots a note tells the costs of.
const notedRoots = 5

// bestRoot returns the root that costs least, and says what it and others cost.
func bestRoot(s cli.Shared, net *topology.Network, options routing.Options) (int, error) {
	costs, err := routing.RootCosts(net, options)
	if err != nil {
		return 0, err
	}
	s.Note("root %s, of %s tried by Up*/Down*:", net.SwitchName(costs[0].Root), cli.Plural(len(costs), "switch", "switches"))
	for i, c := range costs {
		if i < notedRoots || i == len(costs)-1 {
			s.Note("  %s: %.3f hops on average, %d at most; up to %d pairs on a link", net.SwitchName(c.Root), c.Hops.Mean, c.Hops.Max, c.Load)
		}
	}
	return costs[0].Root, nil
}
