package tcp

import "net"

// Unauthenticated returns how many peers are connected that have not proved themselves.
func (g *Acceptor) Unauthenticated() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.unauthenticated)
}

// Admit lets one accepted connection in, and returns what has been refused when serve is over.
func (id *Identity) Admit(raw net.Conn, serve func(net.Conn) error) map[string]int {
	g := &Acceptor{identity: id, serve: serve}
	g.enter(raw)
	g.running.Add(1)
	g.meet(raw)
	return g.Refused()
}
