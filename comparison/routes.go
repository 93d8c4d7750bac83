package comparison

import (
	"errors"

	"musubi/routing"
	"musubi/topology"
)

// Routes is what is known of a routing of a network.
type Routes struct {
	Statistics routing.Statistics
	VCs        int
	Failures   []Failure
}

// Failure is what a failure costs, at worst among those that were tried.
type Failure struct {
	Of        string  // link or switch
	Tried     int     // failures
	HostsLost int     // hosts of the switch that has failed, or that nothing reaches any more
	Load      float64 // largest load of a channel, as a multiple of that without failure
	Refused   int     // failures after which the routing does not fit the network, or can deadlock
}

// tried is how many failures of a kind are tried, spread evenly over the network.
const tried = 4

// RoutesOf routes a network and lets single links and switches of it fail. It fails if the routing does
// not fit the network or can deadlock.
func RoutesOf(net *topology.Network, algorithm *routing.Algorithm, options routing.Options) (*Routes, error) {
	routes, err := algorithm.Build(net, options)
	if err != nil {
		return nil, err
	}
	if proof := routing.Verify(routes); !proof.HostsDeadlockFree() || proof.Unreachable > 0 {
		return nil, errUnsafe
	}
	r := &Routes{Statistics: routes.Statistics(), VCs: routes.VCs}
	r.Failures = []Failure{
		r.fail("link", net, algorithm, options, len(net.Links), func(l topology.Loss, i int) { l.Links[i] = true }),
		r.fail("switch", net, algorithm, options, len(net.Switches), func(l topology.Loss, i int) { l.Switches[i] = true }),
	}
	return r, nil
}

// fail lets some of n parts fail, each by itself.
func (r *Routes) fail(of string, net *topology.Network, algorithm *routing.Algorithm, options routing.Options, n int, lose func(topology.Loss, int)) Failure {
	f := Failure{Of: of}
	options.Root, options.MoreRoots = 0, nil // switches have other numbers
	for i := range min(tried, n) {
		loss := topology.NewLoss()
		lose(loss, i*n/min(tried, n))
		f.Tried++
		left, _, err := net.Without(loss)
		if err != nil {
			f.Refused++
			continue
		}
		f.HostsLost = max(f.HostsLost, net.Hosts()-left.Hosts())
		routes, err := algorithm.Build(left, options)
		if err != nil || !routing.Verify(routes).OK() {
			f.Refused++
			continue
		}
		if whole := r.Statistics.ChannelLoad.Max; whole > 0 {
			f.Load = max(f.Load, float64(routes.Statistics().ChannelLoad.Max)/float64(whole))
		}
	}
	return f
}

var errUnsafe = errors.New("the routing can deadlock, or leaves hosts without a path")
