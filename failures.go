package musubi

import (
	"cmp"
	"fmt"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/routing/tables"
	"musubi/sim/failure"
	"musubi/sim/host"
	"musubi/topology"
	"musubi/units"
)

// What failures take where the machine does not say. Both are guesses: subnet managers take longer, and
// switches that react by themselves are faster.
const (
	usualDetection = 100 * units.Microsecond
	usualTimeout   = 50 * units.Microsecond
)

// readFailures finds what fails during a run, and refuses what cannot fail.
func (s *System) readFailures() (err error) {
	network := &s.Machine.Network
	if s.Scenario.Fail == "" && network.MTBF == 0 {
		return nil
	}
	key := "fail"
	if s.Scenario.Fail == "" {
		key = "set.network.mtbf"
	} else if s.failing, err = failure.Parse(s.Scenario.Fail, s.Net, s.ports()); err != nil {
		return wrong(key, fmt.Errorf("fail %w", err))
	}
	s.fails = true
	return nil
}

// ports returns how many ports each end point has.
func (s *System) ports() int { return max(host.TraitsOf(s.Machine).Engines, 1) }

// usedVCs returns how many virtual channels the routing uses.
func (s *System) usedVCs() int {
	if s.Choice != nil {
		return s.Choice.VCs()
	}
	return s.Routes.VCs
}

// failures describes what fails in one run, which begins with some routes; nil: nothing does.
func (s *System) failures(routes *routing.Routes) *failure.Config {
	if !s.fails {
		return nil
	}
	network := &s.Machine.Network
	form := func(r *routing.Routes) error { return tables.FormNamed(network.Form).Fit(r) }
	vcs := s.Machine.Switch.VCs
	if s.Machine.Switch.Engine == "flit" && s.Machine.Router.Lanes == 0 {
		vcs = min(vcs, s.usedVCs()) // the others are further lanes of these
	}
	again := failure.NewRouting(routes, failure.Fits(vcs, form))
	if s.Choice != nil {
		again.Choose(s.scheme(), func(left *topology.Network) (adaptive.Scheme, error) {
			return adaptive.Build(s.Choice.Name(), left, s.choiceOptions())
		})
	}
	return &failure.Config{
		Net: s.Net, Ports: s.ports(), Events: s.failing, MTBF: network.MTBF, MTTR: network.MTTR, Seed: s.Scenario.Seed,
		Detection: cmp.Or(network.Detection, usualDetection), Timeout: cmp.Or(network.Timeout, usualTimeout),
		Routing: again,
	}
}
