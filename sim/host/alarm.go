package host

import (
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

var _ rma.Alarm = (*Process)(nil)

// AwaitBefore implements rma.Alarm.
func (r *Process) AwaitBefore(end units.Time, condition func() bool, ops ...rma.Op) error {
	if end > r.Now() {
		r.c.Clock.Push(engine.Event{At: end, Kind: evAlarm, A: uint32(r.number)})
	}
	return r.AwaitUntil(func() bool { return r.Now() >= end || condition() }, ops...)
}
