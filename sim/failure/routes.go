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
	chosen   bool // packets choose now
}

// NewRouting starts from the routes of a fabric, or from the scheme by which packets choose, if there
// is one. fits says whether switches can hold other routes.
func NewRouting(routes *routing.Routes, scheme adaptive.Scheme, fits func(*routing.Routes) error) *Routing {
	r := &Routing{net: routes.Net, rerouter: change.NewRerouter(routes, fits), now: routes}
	if scheme != nil {
		r.avoiding, r.chosen = adaptive.Avoid(scheme), true
	}
	return r
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
	if r.avoiding != nil && r.avoids(loss, joined) {
		flush := !r.chosen
		r.chosen = true
		return turn{r.now, r.avoiding, flush}, nil
	}
	next, err := r.rerouter.After(loss)
	if err != nil {
		return turn{}, err
	}
	flush := r.chosen || !routing.Verify(next, before...).HostsDeadlockFree()
	r.chosen, r.now = false, next
	return turn{routes: next, flush: flush}, nil
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
