package rma

import "musubi/units"

// Alarm is a Process that waits no longer than to a time. It is optional: simulated worlds have it, while real
// processes look again and again.
type Alarm interface {
	Process

	// AwaitBefore blocks like AwaitUntil, and also returns at a time.
	AwaitBefore(end units.Time, condition func() bool, ops ...Op) error
}
