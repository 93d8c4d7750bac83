package device

import "musubi/units"

// look is how a processor sees that something has changed in memory.
type look struct {
	// period of a loop that polls. Each poll sees what is there in its middle. 0:
	// the loop is so fast that only delay counts.
	period units.Time
	delay  units.Time // from a change to knowing it, if there is no period
	// phase is how long a loop has been at its present poll when the program begins to
	// wait. What it waits for comes at a time that has nothing to do with that.
	phase units.Time
}

// sees returns when a processor that polls from a time on takes the look that
// finds a change.
func (l look) sees(since, change units.Time) units.Time {
	if l.period == 0 {
		return change + l.delay
	}
	polls := units.Time(0)
	if late := change - since - l.period/2; late > 0 {
		polls = (late + l.period - 1) / l.period
	}
	return since + polls*l.period + l.period/2
}

// rest returns how long after that look the processor knows what it saw.
func (l look) rest() units.Time { return l.period - l.period/2 }

// once is the time of a look at something that has not to be waited for.
func (l look) once() units.Time { return l.period + l.delay }
