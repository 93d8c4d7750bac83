package musubi

import (
	"cmp"
	"os"

	"musubi/rma"
	"musubi/tuning"
)

// tuningVariable of the environment names the table of processes whose scenario names none, such as
// those of "musubi launch".
const tuningVariable = "MUSUBI_TUNING"

// noTuning is the value of Scenario.Tuning that asks for no measurements.
const noTuning = "none"

// openTuning reads the measurements that the scenario names. A simulated machine has those that come
// along for its name, or for its base. Those do not change results, so that programs round alike on all
// machines.
func (s *System) openTuning() (err error) {
	name := s.Scenario.Tuning
	switch {
	case s.IsLive():
		name = cmp.Or(name, os.Getenv(tuningVariable))
	case name == "":
		s.tuning = cmp.Or(tuning.Shipped(s.Machine.Name), tuning.Shipped(s.Machine.Base))
		return nil
	}
	if name == "" || name == noTuning {
		return nil
	}
	s.tuningNamed = true
	if s.tuning = tuning.Shipped(name); s.tuning != nil {
		return nil
	}
	if s.tuning, err = tuning.Open(name); err != nil {
		return wrong("tuning", err)
	}
	return nil
}

// tuned returns a program whose process knows the measurements.
func (s *System) tuned(program func(rma.Process) error) func(rma.Process) error {
	if s.tuning == nil {
		return program
	}
	fastest := s.tuning.Fastest
	if !s.tuningNamed {
		fastest = s.tuning.FastestWithin
	}
	return func(p rma.Process) error {
		if t, ok := p.(rma.Tuned); ok {
			t.Tune(fastest, s.tuningNamed)
		}
		return program(p)
	}
}
