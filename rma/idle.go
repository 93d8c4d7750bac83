package rma

import "musubi/units"

// Idler is a Process that knows how long it has waited. A computation could hide that time; the
// rest of the time in calls is work of the processor.
type Idler interface {
	Process

	// Idle returns how long calls of this process have been blocked in total; a world may begin to
	// count with the first call. Work that the processor does for others meanwhile may count or
	// not.
	Idle() units.Time
}
