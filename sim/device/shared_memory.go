package device

import (
	"fmt"

	"musubi/nic"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/machine"
	"musubi/units"
)

// sharedMemory is the part of a model that is the same wherever processor and interface
// share their memory: there is none of the interface's own that the processor would read
// better, and what has come is where the processor works on it.
type sharedMemory struct{ on *Env }

// process implements model.
func (s sharedMemory) process(r *rank) rma.Process { return r }

// window implements model.
func (s sharedMemory) window(_ *rank, bytes int) ([]byte, error) { return make([]byte, bytes), nil }

// giveBack implements model.
func (s sharedMemory) giveBack(*rank, int) {}

// useWindows implements model.
func (s sharedMemory) useWindows(*rank, int) error {
	return fmt.Errorf("rma: machine %s has no windows to choose from", s.on.m.Name)
}

// finish implements model: nothing is left.
func (s sharedMemory) finish(*rank, uint32) {}

// readRecord implements model. The record comes with the look that finds it.
func (s sharedMemory) readRecord() units.Time { return 0 }

// take implements model.
func (s sharedMemory) take(r *rank, rec *nic.Record, into []byte, _ rma.Caching) {
	if into != nil {
		r.sleep(copyTime(s.on.m, rec.Bytes))
		r.inbox.fetch(rec, into)
	}
}

// load implements model.
func (s sharedMemory) load(r *rank, _ rma.Address, _ *onesided.Layout, into []byte, _ rma.Caching) {
	r.sleep(copyTime(s.on.m, len(into)))
}

// completion and arrival implement model: the processor looks at its memory.
func (s sharedMemory) completion() look { return look{delay: s.on.m.Host.Poll} }
func (s sharedMemory) arrival() look    { return look{delay: s.on.m.Host.Poll} }

// copyTime is how long the processor copies n bytes within memory.
func copyTime(m *machine.Machine, n int) units.Time {
	if n == 0 || m.Host.Copy == 0 {
		return 0
	}
	return m.Host.Copy.Transfer(units.Bytes(n))
}
