package job

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"musubi/tuning"
)

// tuningName returns the name of the measurements by which this process is to choose, "" if nobody names any. Ranks
// are to find it in their environment, too.
func (c Config) tuningName() string {
	name := os.Getenv(tuning.Variable)
	for _, setting := range c.Env {
		if value, found := strings.CutPrefix(setting, tuning.Variable+"="); found {
			name = value
		}
	}
	return cmp.Or(c.Tuning, name)
}

// decide returns by what all ranks of a job choose, which this process makes.
func (c Config) decide() (tuning.Choice, error) {
	by, err := tuning.Decide(c.tuningName())
	if err != nil {
		return by, fmt.Errorf("live: measurements to choose algorithms by: %w; expected a file that \"musubi tune\" has written, a machine, or %s", err, tuning.None)
	}
	return by, nil
}

// obey fails if this rank names other measurements than those of its job. Without any it takes what others have decided.
func (c Config) obey(job *tuning.Choice) error {
	if name := c.tuningName(); name == "" || name == job.Name {
		return nil
	}
	own, err := c.decide()
	if err != nil {
		return err
	}
	if !own.IsLike(job) {
		return fmt.Errorf("live: this rank is to choose algorithms by %v, and the others by %v; expected the same at all ranks: --tuning or %s where they are started",
			&own, job, tuning.Variable)
	}
	return nil
}
