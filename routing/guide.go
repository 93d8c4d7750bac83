package routing

import (
	"slices"

	"musubi/topology"
)

// A guide knows, for each destination switch, the legal paths of least length.
//
// A packet is in a state: the switch where it is and everything else that decides how it may go on,
// such as the direction it came from. States are numbered from 0.
type guide interface {
	// states returns the number of states.
	states() int
	// source returns the state of a packet that enters the network at a switch.
	source(sw int) int32
	// find sets w to the legal shortest paths to switch dst.
	find(dst int, w *ways)
}

// ways are the legal paths of least length from every state to one destination,
// as a graph without cycles.
type ways struct {
	dist  []int32 // per state: hops to the destination, -1 if it cannot be reached
	order []int32 // states that reach the destination, nearest first
	first []int32 // per state: where its moves begin
	count []int32 // per state: number of its moves; 0 at the destination
	moves []move
}

// move is one hop: the channel taken and the state after it.
type move struct{ channel, to int32 }

// reset empties w and makes room for n states.
func (w *ways) reset(n int) {
	if len(w.dist) != n {
		w.dist = make([]int32, n)
		w.first = make([]int32, n)
		w.count = make([]int32, n)
	}
	for i := range w.dist {
		w.dist[i] = -1
	}
	clear(w.count)
	w.order = w.order[:0]
	w.moves = w.moves[:0]
}

// from returns the moves that may be taken in a state, by output port.
func (w *ways) from(state int32) []move {
	first := w.first[state]
	return w.moves[first : first+w.count[state]]
}

// reach marks a state as dist hops away from the destination.
func (w *ways) reach(state, dist int32) {
	w.dist[state] = dist
	w.order = append(w.order, state)
}

// begin starts the list of moves of a state.
func (w *ways) begin(state int32) { w.first[state] = int32(len(w.moves)) }

// add appends a move to the list that begin started.
func (w *ways) add(state, channel, to int32) {
	w.moves = append(w.moves, move{channel, to})
	w.count[state]++
}

// automaton is a guide that is given as a finite automaton: moves lead from
// state to state, and a path is legal if moves spell it from a source state to
// any state at the destination.
type automaton struct {
	at      []int32 // per state: its switch
	entry   []int32 // per switch: its source state
	members [][]int32
	first   []int32 // moves of state x are moves[first[x]:first[x+1]], by output port
	moves   []move
	// The states from which a move leads to x: prior[priorFirst[x]:priorFirst[x+1]].
	priorFirst []int32
	prior      []int32

	met []bool // scratch: states that packets can be in
}

// newAutomaton makes an automaton for the states located at the switches at.
// moves appends the moves of a state to a list in order of output port.
func newAutomaton(switches int, at, entry []int32, moves func(list []move, state int32) []move) *automaton {
	a := &automaton{at: at, entry: entry, members: make([][]int32, switches), first: []int32{0}, met: make([]bool, len(at))}
	for x, sw := range at {
		a.members[sw] = append(a.members[sw], int32(x))
		a.moves = moves(a.moves, int32(x))
		a.first = append(a.first, int32(len(a.moves)))
	}
	a.indexPrior()
	return a
}

// indexPrior fills prior by counting sort.
func (a *automaton) indexPrior() {
	n := len(a.at)
	a.priorFirst = make([]int32, n+1)
	for _, m := range a.moves {
		a.priorFirst[m.to+1]++
	}
	for x := range n {
		a.priorFirst[x+1] += a.priorFirst[x]
	}
	a.prior = make([]int32, len(a.moves))
	fill := append([]int32(nil), a.priorFirst...)
	for x := range n {
		for _, m := range a.moves[a.first[x]:a.first[x+1]] {
			a.prior[fill[m.to]] = int32(x)
			fill[m.to]++
		}
	}
}

func (a *automaton) states() int         { return len(a.at) }
func (a *automaton) source(sw int) int32 { return a.entry[sw] }

// find searches breadth-first, backwards from all states at dst.
func (a *automaton) find(dst int, w *ways) {
	w.reset(len(a.at))
	for _, x := range a.members[dst] {
		w.reach(x, 0)
	}
	for i := 0; i < len(w.order); i++ {
		x := w.order[i]
		d := w.dist[x] + 1
		for _, p := range a.prior[a.priorFirst[x]:a.priorFirst[x+1]] {
			if w.dist[p] < 0 {
				w.reach(p, d)
			}
		}
	}
	a.list(w)
}

// list collects the moves of all states that packets can be in, farthest first.
func (a *automaton) list(w *ways) {
	for _, x := range a.entry {
		a.met[x] = true
	}
	for _, x := range slices.Backward(w.order) {
		if !a.met[x] {
			continue
		}
		a.met[x] = false
		w.begin(x)
		d := w.dist[x] - 1
		for _, m := range a.moves[a.first[x]:a.first[x+1]] {
			if d >= 0 && w.dist[m.to] == d {
				w.add(x, m.channel, m.to)
				a.met[m.to] = true
			}
		}
	}
}

// classAutomaton makes an automaton whose states are pairs of a switch and one
// of a few classes, class 0 at the source. next says which class a packet has
// after channel c, or -1 if it must not take it.
func classAutomaton(net *topology.Network, classes int, next func(class int, c int32) int) *automaton {
	n := len(net.Switches)
	at := make([]int32, n*classes)
	entry := make([]int32, n)
	for x := range at {
		at[x] = int32(x / classes)
	}
	for sw := range entry {
		entry[sw] = int32(sw * classes)
	}
	return newAutomaton(n, at, entry, func(list []move, x int32) []move {
		sw, class := int(x)/classes, int(x)%classes
		for _, c := range net.Out(sw) {
			if k := next(class, c); k >= 0 {
				list = append(list, move{c, int32(net.To(int(c)).Switch*classes + k)})
			}
		}
		return list
	})
}
