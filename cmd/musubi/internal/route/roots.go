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
			noteCost(s, net.SwitchName(c.Root), c)
		}
	}
	return costs[0].Root, nil
}

func noteCost(s cli.Shared, of string, c routing.RootCost) {
	s.Note("  %s: %.3f hops on average, %d at most; up to %d pairs on a link", of, c.Hops.Mean, c.Hops.Max, c.Load)
}

// noteRoots says what several roots cost together, and each alone.
func noteRoots(s cli.Shared, net *topology.Network, options routing.Options) error {
	all, err := routing.CostOfRoots(net, options)
	if err != nil {
		return err
	}
	s.Note("%s, of Up*/Down*:", cli.Plural(1+len(options.MoreRoots), "root", "roots"))
	noteCost(s, "together", all)
	for i, root := range append([]int{options.Root}, options.MoreRoots...) {
		if i == notedRoots {
			s.Note("  and %d more", 1+len(options.MoreRoots)-notedRoots)
			break
		}
		alone := options
		alone.Root, alone.MoreRoots = root, nil
		c, err := routing.CostOfRoots(net, alone)
		if err != nil {
			return err
		}
		noteCost(s, net.SwitchName(root)+" alone", c)
	}
	return nil
}
