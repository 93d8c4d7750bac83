package halo

import "musubi/mpi"

// haloMessages is an exchange by ordinary messages, as programs write it that do not know of
// persistent ones. The number of an edge is the tag of its message: two edges may join the same
// ranks.
type haloMessages struct {
	e        *haloExchange
	requests []*mpi.Request
}

// start starts all receives, and then all sends.
func (m *haloMessages) start() error {
	g := m.e.g
	m.requests = m.requests[:0]
	for i, source := range g.Sources() {
		r, err := mpi.IReceive(g.Comm, source, i, m.e.out[i])
		if err != nil {
			return err
		}
		m.requests = append(m.requests, r)
	}
	for i, destination := range g.Destinations() {
		r, err := mpi.ISend(g.Comm, destination, i, m.e.in[i])
		if err != nil {
			return err
		}
		m.requests = append(m.requests, r)
	}
	return nil
}

// wait waits for all messages.
func (m *haloMessages) wait() error {
	err := mpi.WaitAll(m.requests...)
	mpi.Release(m.requests...)
	return err
}
