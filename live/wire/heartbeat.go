package wire

import "time"

// A process that is alive says so beatsPerBound times in the time for which it may be
// silent.
const BeatsPerBound = 8

// Beats ticks as often as a process has to beat, until it is stopped; never if there is
// no bound.
func Beats(bound time.Duration) *time.Ticker {
	if bound == 0 {
		return &time.Ticker{}
	}
	return time.NewTicker(bound / BeatsPerBound)
}
