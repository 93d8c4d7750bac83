package musubi

import (
	"cmp"
	"fmt"

	"musubi/routing"
	"musubi/routing/tables"
	"musubi/sim/failure"
	"musubi/sim/host"
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
	if engine := s.Machine.Switch.Engine; engine == "flit" {
		return wrong(key, fmt.Errorf("links fail in the packet and the flow engine; expected one of these, not %s", engine))
	}
	return nil
}

// ports returns how many ports each end point has.
func (s *System) ports() int { return max(host.TraitsOf(s.Machine).Engines, 1) }

// failures describes what fails in one run; nil: nothing does.
func (s *System) failures() *failure.Config {
	if !s.fails {
		return nil
	}
	network := &s.Machine.Network
	form := func(r *routing.Routes) error { return tables.FormNamed(network.Form).Fit(r) }
	return &failure.Config{
		Net: s.Net, Ports: s.ports(), Events: s.failing, MTBF: network.MTBF, MTTR: network.MTTR, Seed: s.Scenario.Seed,
		Detection: cmp.Or(network.Detection, usualDetection), Timeout: cmp.Or(network.Timeout, usualTimeout),
		Routing: failure.NewRouting(s.Routes, s.scheme(), failure.Fits(s.Machine.Switch.VCs, form)),
	}
}
