package musubi

import (
	"cmp"
	"fmt"
	"os"

	"musubi/live"
	"musubi/rma"
	"musubi/tuning"
)

// openTuning reads the measurements that the scenario of a simulated machine names, or else those that come
// along for its name, or for its base. The latter do not change results, so that programs round alike
// on all machines.
func (s *System) openTuning() (err error) {
	name := s.Scenario.Tuning
	switch name {
	case "":
		s.tuning = cmp.Or(tuning.Shipped(s.Machine.Name), tuning.Shipped(s.Machine.Base))
		return nil
	case tuning.None:
		return nil
	}
	s.tuningNamed = true
	if s.tuning = tuning.Shipped(name); s.tuning != nil {
		return nil
	}
	if s.tuning, err = tuning.Open(name); err != nil {
		return wrong("tuning", expectTuning(err))
	}
	return nil
}

// checkTuning fails if the measurements by which processes are to choose cannot be read. Ranks need not read
// them: they are told by what their job chooses, see package live.
func (s *System) checkTuning() error {
	if live.Inside() {
		return nil
	}
	if name := s.Scenario.Tuning; name != "" {
		if _, err := tuning.Decide(name); err != nil {
			return wrong("tuning", expectTuning(err))
		}
		return nil
	}
	if _, err := tuning.Decide(os.Getenv(tuning.Variable)); err != nil {
		return wrong("tuning", expectTuning(fmt.Errorf("%s: %w", tuning.Variable, err)))
	}
	return nil
}

// tuned returns a program whose simulated process knows the measurements.
func (s *System) tuned(program func(rma.Process) error) func(rma.Process) error {
	if s.tuning == nil {
		return program
	}
	fastest := s.tuning.FastestWithin
	if s.tuningNamed {
		fastest = s.tuning.Fastest
	}
	return func(p rma.Process) error {
		if t, ok := p.(rma.Tuned); ok {
			t.Tune(fastest, s.tuningNamed)
		}
		return program(p)
	}
}

// expectTuning says of measurements that cannot be read what was expected.
func expectTuning(err error) error {
	return fmt.Errorf("%w; expected a file that \"musubi tune\" has written, a machine, or %s", err, tuning.None)
}
