package host

import (
	"fmt"

	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/rma"
	"musubi/units"
)

// SharedMemory is the part of a model that is the same wherever processor and interface
// share their memory: there is none of the interface's own that the processor would read
// better, and what has come is where the processor works on it.
type SharedMemory struct{ on *Env }

// ShareMemory returns the part of a model for an environment.
func ShareMemory(c *Env) SharedMemory { return SharedMemory{c} }

// Process implements Model.
func (s SharedMemory) Process(r *Process) rma.Process { return r }

// Window implements Model.
func (s SharedMemory) Window(_ *Process, bytes int) ([]byte, error) { return make([]byte, bytes), nil }

// GiveBack implements Model.
func (s SharedMemory) GiveBack(*Process, int) {}

// UseWindows implements Model.
func (s SharedMemory) UseWindows(*Process, int) error {
	return fmt.Errorf("rma: machine %s has no windows to choose from", s.on.Machine.Name)
}

// Finish implements Model: nothing is left.
func (s SharedMemory) Finish(*Process, uint32) {}

// ReadRecord implements Model. The record comes with the look that finds it.
func (s SharedMemory) ReadRecord() units.Time { return 0 }

// Take implements Model.
func (s SharedMemory) Take(r *Process, rec *ring.Record, into []byte, _ rma.Caching) {
	if into != nil {
		s.on.copies(r, rec.Bytes)
		r.Fetch(rec, into)
	}
}

// Copies implements Deferrer.
func (s SharedMemory) Copies(r *Process, bytes int) (next int, takes units.Time) {
	return s.on.copiesNext(r, bytes)
}

// Load implements Model.
func (s SharedMemory) Load(r *Process, _ rma.Address, _ *onesided.Layout, into []byte, _ rma.Caching) {
	s.on.copies(r, len(into))
}

// Completion and arrival implement model: the processor looks at its memory.
func (s SharedMemory) Completion() Look { return Look{Delay: s.on.Machine.Host.Poll} }
func (s SharedMemory) Arrival() Look    { return Look{Delay: s.on.Machine.Host.Poll} }
