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
// along for its name, or for its base, and processes have those of hosts like this one. Those do not
// change results, so that programs round alike on all machines.
func (s *System) openTuning() (err error) {
	name := s.Scenario.Tuning
	switch {
	case s.IsLive():
		if name = cmp.Or(name, os.Getenv(tuningVariable)); name == "" {
			s.tuning = tuning.Shipped(Live)
			return nil
		}
	case name == "":
		s.tuning = cmp.Or(tuning.Shipped(s.Machine.Name), tuning.Shipped(s.Machine.Base))
		return nil
	}
	if name == noTuning {
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
	return func(p rma.Process) error {
		if t, ok := p.(rma.Tuned); ok {
			t.Tune(s.fastest(p), s.tuningNamed)
		}
		return program(p)
	}
}

// fastest returns how a process chooses by the measurements: freely if somebody has named them, else as far
// as they tell of jobs like this one.
func (s *System) fastest(p rma.Process) func(operation string, ranks, bytes int) []string {
	switch x, knows := p.(rma.Oversubscription); {
	case s.tuningNamed:
		return s.tuning.Fastest
	case !s.IsLive():
		return s.tuning.FastestWithin
	case knows:
		return s.tuning.FastestOn(x.Processors(), p.Size())
	}
	return nil
}
