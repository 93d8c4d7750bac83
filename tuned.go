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

// openTuning reads the measurements that the scenario names.
func (s *System) openTuning() (err error) {
	name := s.Scenario.Tuning
	if s.IsLive() {
		name = cmp.Or(name, os.Getenv(tuningVariable))
	}
	if name == "" || name == noTuning {
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
			t.Tune(s.tuning.Fastest)
		}
		return program(p)
	}
}
