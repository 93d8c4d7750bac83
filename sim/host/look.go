package host

import "musubi/units"

// Look is how a processor sees that something has changed in memory.
type Look struct {
	// Period of a loop that polls. 0: the loop is so fast that only delay counts.
	Period units.Time
	// Sample is how far into a poll the processor sees what is there, at most Period.
	Sample units.Time
	Delay  units.Time // from a change to knowing it, if there is no period
	// Phase is how long a loop has been at its present poll when the program begins to
	// wait. What it waits for comes at a time that has nothing to do with that.
	Phase units.Time
}

// Sees returns when a processor that polls from a time on takes the look that
// finds a change.
func (l Look) Sees(since, change units.Time) units.Time {
	if l.Period == 0 {
		return change + l.Delay
	}
	polls := units.Time(0)
	if late := change - since - l.Sample; late > 0 {
		polls = (late + l.Period - 1) / l.Period
	}
	return since + polls*l.Period + l.Sample
}

// Rest returns how long after that look the processor knows what it saw.
func (l Look) Rest() units.Time { return l.Period - l.Sample }

// Once is the time of a look at something that has not to be waited for.
func (l Look) Once() units.Time { return l.Period + l.Delay }
