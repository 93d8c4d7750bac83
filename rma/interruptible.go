package rma

import "context"

// Interruptible is a Process on real time, which another goroutine of its program may interrupt while it
// waits. It is optional: real processes have it, while simulated worlds have Alarm.
type Interruptible interface {
	Process

	// AwaitContext blocks like AwaitUntil, and also returns, with nil, when a context is done. Until
	// then the process does not count as one that waits for others alone.
	AwaitContext(ctx context.Context, condition func() bool, ops ...Op) error
}
