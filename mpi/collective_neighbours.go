package mpi

// Topology is a communicator with neighbours: *Cart or *Graph.
//
// The neighbours of a rank of a Graph are its sources and its destinations. Those of
// a rank of a Cart are, for each dimension, the rank before it and the rank after it,
// both as a source and as a destination. Beyond an edge there is nobody: nothing is
// sent, and where something would be received memory stays as it is.
type Topology interface {
	neighbours() neighbours
}

// neighbours is what a Topology knows of one rank.
type neighbours struct {
	comm                  *Comm
	sources, destinations []int
	// mirrored: sources and destinations are pairs of a rank before and one after,
	// where what the one before sends to its rank after is received. If both are the
	// same rank, the first message that it receives is from before; so the first to be
	// sent is that to the rank after.
	mirrored bool
}

// neighboursOf returns none for a nil topology.
func neighboursOf(t Topology) neighbours {
	if t == nil {
		return neighbours{}
	}
	return t.neighbours()
}

// NeighbourAllGather sends in to all destinations, and puts what each source sends
// to the element of out with its number. That has the length of the in there.
func NeighbourAllGather[T any](t Topology, in []T, out [][]T) error {
	n := neighboursOf(t)
	ins := make([][]T, len(n.destinations))
	for i := range ins {
		ins[i] = in
	}
	return neighbourExchange("NeighbourAllGather", n, ins, out)
}

// NeighbourAllToAll sends in[i] to destination i, and puts what source i has for
// this rank to out[i], which has the length of what it sends.
func NeighbourAllToAll[T any](t Topology, in, out [][]T) error {
	return neighbourExchange("NeighbourAllToAll", neighboursOf(t), in, out)
}

func neighbourExchange[T any](call string, n neighbours, in, out [][]T) error {
	c := n.comm
	if err := c.check(call); err != nil {
		return err
	}
	if err := checkElement[T](); err != nil {
		return c.fail(ErrType, call, err)
	}
	if len(in) != len(n.destinations) || len(out) != len(n.sources) {
		return c.failf(ErrCount, call, "%d slices in and %d out; expected one for each of %d destinations and %d sources",
			len(in), len(out), len(n.destinations), len(n.sources))
	}
	ins, outs := memoryOfEach(in), memoryOfEach(out)
	return c.perform(call, operator{}, func(s *schedule) { n.exchange(s, ins, outs) })
}

// exchange sends and receives all at once.
func (n *neighbours) exchange(s *schedule, in, out [][]byte) {
	for i, from := range n.sources {
		if from != None {
			s.receive(from, out[i])
		}
	}
	for i := range n.destinations {
		if n.mirrored {
			i ^= 1
		}
		if to := n.destinations[i]; to != None {
			s.send(to, in[i])
		}
	}
	s.wait()
}
