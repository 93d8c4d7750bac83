package mpi

import "musubi/mpi/internal/outgoing"

// hasRoom reports whether there is room for another message on its way.
func (e *engine) hasRoom() (bool, error) {
	if e.out.Flights.Count < outgoing.Most {
		return true, nil
	}
	return e.out.Reap()
}

// isCrowded reports whether very many messages are on their way.
func (e *engine) isCrowded() bool { return e.out.Flights.Count >= outgoing.Most }

// makeRoom makes progress until there is room for another message on its way.
func (e *engine) makeRoom() error { return e.thin(outgoing.Most) }

// thin makes progress until less than some messages are on their way.
func (e *engine) thin(count int) error {
	for e.out.Flights.Count >= count {
		come, err := e.out.Reap()
		if err != nil {
			return err
		}
		if come {
			continue
		}
		if err := e.p.Await(e.out.Flights.Head().Op); err != nil {
			return err
		}
		if err := e.progress(); err != nil {
			return err
		}
	}
	return nil
}
