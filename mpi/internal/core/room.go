package core

import "musubi/mpi/internal/outgoing"

// HasRoom reports whether there is room for another message on its way.
func (e *Engine) HasRoom() (bool, error) {
	if e.Out.Flights.Count < outgoing.Most {
		return true, nil
	}
	return e.Out.Reap()
}

// isCrowded reports whether very many messages are on their way.
func (e *Engine) isCrowded() bool { return e.Out.Flights.Count >= outgoing.Most }

// MakeRoom makes progress until there is room for another message on its way.
func (e *Engine) MakeRoom() error { return e.Thin(outgoing.Most) }

// Thin makes progress until less than some messages are on their way.
func (e *Engine) Thin(count int) error {
	for e.Out.Flights.Count >= count {
		come, err := e.Out.Reap()
		if err != nil {
			return err
		}
		if come {
			continue
		}
		if err := e.Process.Await(e.Out.Flights.Head().Op); err != nil {
			return err
		}
		if err := e.Progress(); err != nil {
			return err
		}
	}
	return nil
}
