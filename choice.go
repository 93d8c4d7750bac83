package musubi

import (
	"fmt"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/host"
)

// RoutingNames lists the names of all routings: those that fix paths, and those of packets that
// choose as they go.
func RoutingNames() []string { return append(routing.Names(), adaptive.Names()...) }

// routeByChoice makes a routing whose packets choose as they go, proves it, and checks that the
// machine can do it.
func (s *System) routeByChoice(name string) (err error) {
	if err := s.refuseChoice(name); err != nil {
		return wrong("routing", err)
	}
	if s.Choice, err = adaptive.Build(name, s.Net, s.choiceOptions()); err != nil {
		return wrong("routing", err)
	}
	s.ChoiceProof = adaptive.Prove(s.Choice)
	if s.ChoiceProof.Unreachable > 0 || !s.ChoiceProof.DeadlockFree() && !s.Scenario.Unsafe {
		return &UnsafeError{Choice: s.ChoiceProof, Name: name}
	}
	if uses, have := s.Choice.VCs(), s.Machine.Switch.VCs; uses > have {
		return wrong("routing", fmt.Errorf("routing %s uses %d virtual channels on %s, but the switches of machine %s have %d for data; switch.vcs is another number",
			name, uses, s.Net.Name, s.Machine.Name, have))
	}
	shortest, err := routing.Lookup("minimal")
	if err != nil {
		return err
	}
	if s.Routes, err = shortest.Build(s.Net, routing.Options{Selection: routing.LowPort}); err != nil {
		return wrong("routing", err)
	}
	return nil
}

func (s *System) choiceOptions() adaptive.Options {
	return adaptive.Options{Seed: s.Scenario.Seed, Bias: s.Machine.Network.Bias}
}

// refuseChoice fails if the machine or the scenario fixes paths.
func (s *System) refuseChoice(name string) error {
	switch t, m := host.TraitsOf(s.Machine), s.Machine; {
	case t.RouteInHeader:
		return fmt.Errorf("routing %s lets switches choose; packets of machine %s carry their route", name, m.Name)
	case t.Multicasts != nil:
		return fmt.Errorf("routing %s lets switches choose; on machine %s multicasts and answers follow paths", name, m.Name)
	case m.Switch.Engine == "flow":
		return fmt.Errorf("routing %s lets switches choose; flows have no queues to choose by, expected engine packet or flit", name)
	case s.Scenario.VCs != 0:
		return fmt.Errorf("routing %s takes the virtual channels that it needs; expected no number of them", name)
	}
	return nil
}

// scheme returns the routing of one run, which has random numbers of its own; nil if paths are fixed.
func (s *System) scheme() adaptive.Scheme {
	if s.Choice == nil {
		return nil
	}
	scheme, err := adaptive.Build(s.Choice.Name(), s.Net, s.choiceOptions())
	if err != nil {
		panic(err) // it has been built before
	}
	return scheme
}

// RoutingName returns what users call the routing.
func (s *System) RoutingName() string {
	if s.Choice != nil {
		return s.Choice.Name()
	}
	return s.Routes.Algorithm
}

// RoutingVCs returns the name of the routing, and how many virtual channels it uses.
func (s *System) RoutingVCs() (name string, vcs int) {
	if s.Choice != nil {
		return s.RoutingName(), s.Choice.VCs()
	}
	return s.RoutingName(), s.Routes.VCs
}
