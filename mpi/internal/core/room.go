package core

import "musubi/mpi/internal/outgoing"

// HasRoom reports whether another message may be in flight.
func (e *Engine) HasRoom() (bool, error) {
	if e.Out.InFlight.Count < outgoing.Most {
		return true, nil
	}
	return e.Out.Reap()
}

// isFull reports whether the most messages are in flight.
func (e *Engine) isFull() bool { return e.Out.InFlight.Count >= outgoing.Most }

// MakeRoom makes progress until another message may be in flight.
func (e *Engine) MakeRoom() error { return e.DrainBelow(outgoing.Most) }

// DrainBelow makes progress until fewer than count messages are in flight.
func (e *Engine) DrainBelow(count int) error {
	for e.Out.InFlight.Count >= count {
		come, err := e.Out.Reap()
		if err != nil {
			return err
		}
		if come {
			continue
		}
		if err := e.Await(e.Out.InFlight.Head().Op); err != nil {
			return err
		}
		if err := e.Progress(); err != nil {
			return err
		}
	}
	return nil
}
