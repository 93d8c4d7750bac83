package nccl

// Messages between accelerators with different numbers in their nodes would cross rails. NCCL sends them by PXN: the
// sender writes into the memory of the accelerator of its node that has the destination's number, and the proxy of
// that one sends on from there, by its interface (NVIDIA/nccl, src/graph/search.cc, ncclTopoGetNetDev, with
// NCCL_P2P_PXN_LEVEL=2, the default). No kernel runs on the accelerator between.

// via returns the rank by whose interface a message leaves the node of its sender; -1: by that of the sender.
func (a *algorithm) via(from, to int) int {
	if !a.pxn || a.together(from, to) || a.local[from] == a.local[to] {
		return -1
	}
	return a.nodes[a.node[from]][a.local[to]]
}

// relay is a block that a rank passes on for another one of its node.
type relay struct {
	from, to source // connections at this rank, and at the destination
	at       int    // place in the buffer
	bytes    int
}

// relayed makes the program that passes blocks on in an order.
func (a *algorithm) relayed(list []relay) (p program) {
	for _, r := range list {
		pieces(r.at, r.bytes, a.chunk, func(at, m int) {
			s := blank()
			s.receive, s.send = []source{r.from}, []target{target(r.to)}
			s.into, s.from, s.bytes = at, at, m
			s.delay = a.hop(a.rank, r.to.rank)
			p = append(p, s)
		})
	}
	return p
}

// leaves sets where a step sends to, and what it takes before: by PXN the step of the network is that of the proxy.
func (a *algorithm) leaves(s *step, to target, relay int) {
	s.send, s.delay = []target{to}, a.hop(a.rank, to.rank)
	if p := a.via(a.rank, to.rank); p >= 0 {
		s.send, s.delay = []target{{p, relay}}, 0
	}
}

// arrives returns the connection by which a rank sends: that of whoever passes it on, if it is not its own.
func (a *algorithm) arrives(from source) source {
	if p := a.via(from.rank, a.rank); p >= 0 {
		from.rank = p
	}
	return from
}
