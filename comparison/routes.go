package comparison

import (
	"errors"
	"slices"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/topology"
)

// Routes is what is known of a routing of a network.
type Routes struct {
	Statistics routing.Statistics // zero where packets choose their way
	Chooses    bool               // packets choose their way as they go
	Expected   *adaptive.Shares   // what they are expected to do; nil if the network is too large for that
	VCs        int
	Failures   []Failure
}

// Failure is what a failure costs, at worst among those that were tried.
type Failure struct {
	Of        string // link or switch
	Tried     int    // failures
	HostsLost int    // hosts of the switch that has failed, or that nothing reaches any more
	// Load is the largest load of a channel, as a multiple of that without failure, and where packets choose of what is expected;
	// 0 if that is not known.
	Load    float64
	Refused int // failures after which the routing does not fit the network, or can deadlock
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
	options.Root, options.MoreRoots = 0, nil // switches have other numbers
	r.Failures = failures(net, func(left *topology.Network) (load float64, ok bool) {
		routes, err := algorithm.Build(left, options)
		if err != nil || !routing.Verify(routes).OK() {
			return 0, false
		}
		whole := r.Statistics.ChannelLoad.Max
		if whole == 0 {
			return 0, true
		}
		return float64(routes.Statistics().ChannelLoad.Max) / float64(whole), true
	})
	return r, nil
}

// ChoicesOf is RoutesOf for a routing whose packets choose their way as they go.
func ChoicesOf(net *topology.Network, name string, options adaptive.Options) (*Routes, error) {
	scheme, err := adaptive.Build(name, net, options)
	if err != nil {
		return nil, err
	}
	if !adaptive.Prove(scheme).OK() {
		return nil, errUnsafe
	}
	r := &Routes{Chooses: true, VCs: scheme.VCs()}
	whole := 0.0
	if len(net.Switches) <= mostExpected {
		if r.Expected, err = adaptive.SharesOf(scheme); err != nil {
			return nil, err
		}
		whole = slices.Max(append(r.Expected.Load, 0))
	}
	r.Failures = failures(net, func(left *topology.Network) (load float64, ok bool) {
		scheme, err := adaptive.Build(name, left, options)
		if err != nil || !adaptive.Prove(scheme).OK() {
			return 0, false
		}
		if whole == 0 {
			return 0, true
		}
		shares, err := adaptive.SharesOf(scheme)
		if err != nil {
			return 0, false
		}
		return slices.Max(append(shares.Load, 0)) / whole, true
	})
	return r, nil
}

// mostExpected is up to how many switches the loads of packets that choose are worked out, which for detours takes the
// third power of that.
const mostExpected = 400

// rerouted routes what is left of a network, and returns its load as a multiple of that before; not ok if the
// routing does not fit it, or can deadlock.
type rerouted func(left *topology.Network) (load float64, ok bool)

// failures lets links and switches fail, each by itself.
func failures(net *topology.Network, route rerouted) []Failure {
	return []Failure{
		fail("link", net, route, len(net.Links), func(l topology.Loss, i int) { l.Links[i] = true }),
		fail("switch", net, route, len(net.Switches), func(l topology.Loss, i int) { l.Switches[i] = true }),
	}
}

// fail lets some of n parts fail.
func fail(of string, net *topology.Network, route rerouted, n int, lose func(topology.Loss, int)) Failure {
	f := Failure{Of: of}
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
		load, ok := route(left)
		if !ok {
			f.Refused++
		}
		f.Load = max(f.Load, load)
	}
	return f
}

var errUnsafe = errors.New("the routing can deadlock, or leaves hosts without a path")
