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
func neighboursOf(t Topology) *neighbours {
	var n neighbours
	if t != nil {
		n = t.neighbours()
	}
	return &n
}

// NeighbourAllGather sends in to all destinations, and puts what each source sends
// to the element of out with its number. That has the length of the in there.
func NeighbourAllGather[T any](t Topology, in []T, out [][]T) error {
	return carryOut(planGather(t, "NeighbourAllGather", in, out))
}

// INeighbourAllGather starts a NeighbourAllGather.
func INeighbourAllGather[T any](t Topology, in []T, out [][]T) (*Request, error) {
	return begin(planGather(t, "INeighbourAllGather", in, out))
}

// NeighbourAllToAll sends in[i] to destination i, and puts what source i has for
// this rank to out[i], which has the length of what it sends.
func NeighbourAllToAll[T any](t Topology, in, out [][]T) error {
	return carryOut(planNeighbours(neighboursOf(t), "NeighbourAllToAll", in, out))
}

// INeighbourAllToAll starts a NeighbourAllToAll.
func INeighbourAllToAll[T any](t Topology, in, out [][]T) (*Request, error) {
	return begin(planNeighbours(neighboursOf(t), "INeighbourAllToAll", in, out))
}

func planGather[T any](t Topology, call string, in []T, out [][]T) (*running, error) {
	n := neighboursOf(t)
	ins := make([][]T, len(n.destinations))
	for i := range ins {
		ins[i] = in
	}
	return planNeighbours(n, call, ins, out)
}

func planNeighbours[T any](n *neighbours, call string, in, out [][]T) (*running, error) {
	c := n.comm
	if err := n.check(call, len(in), len(out)); err != nil {
		return nil, err
	}
	if err := checkElement[T](); err != nil {
		return nil, c.fail(ErrType, call, err)
	}
	return n.plan(call, toNeighbours, &arguments{ins: memoryOfEach(in), outs: memoryOfEach(out)}), nil
}

// plan prepares an operation whose arguments have been checked.
func (n *neighbours) plan(call string, by *algorithm, a *arguments) *running {
	r := n.comm.idle(call, a)
	r.algorithm, r.near = by, n
	return r
}

// check fails unless there is something for each neighbour.
func (n *neighbours) check(call string, in, out int) error {
	if err := n.comm.check(call); err != nil {
		return err
	}
	if in != len(n.destinations) || out != len(n.sources) {
		return n.comm.failf(ErrCount, call, "%d slices in and %d out; expected one for each of %d destinations and %d sources",
			in, out, len(n.destinations), len(n.sources))
	}
	return nil
}

var toNeighbours = &algorithm{name: "linear", build: exchangeNear}

// exchangeNear sends and receives all at once.
func exchangeNear(s *schedule, a arguments) {
	n := a.near
	for i, from := range n.sources {
		if from != None {
			s.receive(from, a.outs[i])
		}
	}
	for i := range n.destinations {
		if n.mirrored {
			i ^= 1
		}
		if to := n.destinations[i]; to != None {
			s.send(to, a.ins[i])
		}
	}
	s.wait()
}
