package wire

import "time"

// A process that is alive sends HeartbeatsPerBound heartbeats in the time for which it may be
// silent.
const HeartbeatsPerBound = 8

// Heartbeats ticks as often as a process has to send a heartbeat, until it is stopped; never if there is
// no bound.
func Heartbeats(bound time.Duration) *time.Ticker {
	if bound == 0 {
		return &time.Ticker{}
	}
	return time.NewTicker(bound / HeartbeatsPerBound)
}
