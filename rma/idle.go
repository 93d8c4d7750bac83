package rma

import "musubi/units"

// Idler is a Process that knows how long it has waited. That is what a computation in its
// place could hide; the rest of the time in calls is work of the processor.
type Idler interface {
	Process

	// Idle returns how long calls of this process have been blocked in all; a world may
	// begin to count with the first call. What the processor carries out for others
	// meanwhile may count or not.
	Idle() units.Time
}
