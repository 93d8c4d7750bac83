package partitioned

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

// await waits until open returns nothing more.
func await(open func() *core.Request) error {
	for r := open(); r != nil; r = open() {
		if _, err := r.Wait(); err != nil && !r.Complete {
			return err
		}
	}
	return nil
}

// Wait waits until a send is complete, and ends it. It fails if partitions are not ready.
func (s *Send) Wait() error {
	switch {
	case !s.active:
		return nil
	case s.missing > 0:
		return s.c.Failf(fault.Request, "Wait", "%d of %d partitions are not ready; expected Ready for all of them before", s.missing, s.partitions)
	}
	if err := await(s.Open); err != nil {
		return err
	}
	return s.End()
}

// Wait waits until a receive is complete, and ends it.
func (r *Receive) Wait() (core.Status, error) {
	if err := await(r.Open); err != nil {
		return core.Status{}, err
	}
	return r.End()
}
