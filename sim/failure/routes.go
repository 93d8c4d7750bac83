package failure

import (
	"fmt"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/routing/change"
	"musubi/topology"
)

// Routing finds new routes once a loss is known.
type Routing struct {
	net      *topology.Network
	rerouter *change.Rerouter
	now      *routing.Routes
	avoiding *adaptive.Avoiding
	rebuild  func(*topology.Network) (adaptive.Scheme, error)
	chosen   adaptive.Scheme // by which packets choose now; nil: they take routes
}

// NewRouting starts from the routes of a fabric. fits says whether switches can hold other routes.
func NewRouting(routes *routing.Routes, fits func(*routing.Routes) error) *Routing {
	return &Routing{net: routes.Net, rerouter: change.NewRerouter(routes, fits), now: routes}
}

// Choose lets packets begin by a scheme in place of the routes. build makes it for what is left of the network.
func (r *Routing) Choose(scheme adaptive.Scheme, build func(*topology.Network) (adaptive.Scheme, error)) {
	r.avoiding, r.rebuild = adaptive.Avoid(scheme), build
	r.chosen = r.avoiding
}

// turn is what a loss makes of the routes.
type turn struct {
	routes *routing.Routes
	scheme adaptive.Scheme // nil: packets take the routes
	flush  bool            // packets on the way could make a deadlock with others
}

// after returns what to do once a loss is known. joined tells of pairs of switches, and before are the
// routes that packets on their way follow.
func (r *Routing) after(loss topology.Loss, joined func(src, dst int) bool, before []*routing.Routes) (turn, error) {
	if scheme := r.scheme(loss, joined); scheme != nil {
		flush := r.chosen != r.avoiding || scheme != r.avoiding
		r.chosen = scheme
		return turn{r.now, scheme, flush}, nil
	}
	next, err := r.rerouter.After(loss)
	if err != nil {
		return turn{}, err
	}
	flush := r.chosen != nil || !routing.Verify(next, before...).HostsDeadlockFree()
	r.chosen, r.now = nil, next
	return turn{routes: next, flush: flush}, nil
}

// scheme returns the scheme by which packets reach what is left: that from the beginning, which avoids what is gone, or one
// that is made for what is left; nil if neither does.
func (r *Routing) scheme(loss topology.Loss, joined func(src, dst int) bool) adaptive.Scheme {
	switch {
	case r.avoiding == nil:
		return nil
	case r.avoids(loss, joined):
		return r.avoiding
	}
	left, rest, err := r.net.Without(loss)
	if err != nil || len(rest.Switches) < len(r.net.Switches) {
		return nil
	}
	anew, err := r.rebuild(left)
	if err != nil || anew.VCs() > r.avoiding.VCs() || !adaptive.Prove(anew).OK() {
		return nil
	}
	return adaptive.On(r.net, anew)
}

// avoids tells whether packets that choose still reach what is left, and without a deadlock.
func (r *Routing) avoids(loss topology.Loss, joined func(src, dst int) bool) bool {
	r.avoiding.Without(loss)
	for src := range r.net.Switches {
		for dst := range r.net.Switches {
			a, b := r.net.EndPointsAt(src), r.net.EndPointsAt(dst)
			if src != dst && len(a) > 0 && len(b) > 0 && joined(src, dst) && !r.avoiding.Reaches(src, dst) {
				return false
			}
		}
	}
	return adaptive.Prove(r.avoiding).DeadlockFree()
}

// Fits returns a function for NewRouting: routes must be free of deadlock, use so many virtual
// channels at most, and have the form that the switches want.
func Fits(vcs int, form func(*routing.Routes) error) func(*routing.Routes) error {
	return func(r *routing.Routes) error {
		if r.VCs > vcs {
			return fmt.Errorf("repaired routes use %d virtual channels, and the switches have %d", r.VCs, vcs)
		}
		if !routing.Verify(r).HostsDeadlockFree() {
			return fmt.Errorf("repaired routes can deadlock")
		}
		return form(r)
	}
}
