package ways

import "musubi/topology"

// A guide knows, for each destination switch, the legal paths of least length.
//
// A packet is in a state: the switch where it is and everything else that decides how it may go on,
// such as the direction it came from. States are numbered from 0.
type Guide interface {
	// States returns the number of states.
	States() int
	// Source returns the state of a packet that enters the network at a switch.
	Source(sw int) int32
	// Find sets w to the legal shortest paths from all switches with end points to switch dst.
	Find(dst int, s *Search, w *Ways)
	// Fork returns a guide that another goroutine may use.
	Fork() Guide
}

// Automaton is a guide that is given as a finite automaton: moves lead from
// state to state, and a path is legal if moves spell it from a source state to
// any state at the destination.
type Automaton struct {
	at      []int32 // per state: its switch
	entry   []int32 // per switch: its source state
	members [][]int32
	first   []int32 // moves of state x are moves[first[x]:first[x+1]], by output port
	moves   []Move
	// The states from which a move leads to x: prior[priorFirst[x]:priorFirst[x+1]].
	priorFirst []int32
	prior      []int32
}

// NewAutomaton makes an automaton for the states located at the switches at.
// moves appends the moves of a state to a list in order of output port.
func NewAutomaton(switches int, at, entry []int32, moves func(list []Move, state int32) []Move) *Automaton {
	a := &Automaton{at: at, entry: entry, members: make([][]int32, switches), first: []int32{0}}
	for x, sw := range at {
		a.members[sw] = append(a.members[sw], int32(x))
		a.moves = moves(a.moves, int32(x))
		a.first = append(a.first, int32(len(a.moves)))
	}
	a.indexPrior()
	return a
}

// indexPrior fills prior by counting sort.
func (a *Automaton) indexPrior() {
	n := len(a.at)
	a.priorFirst = make([]int32, n+1)
	for _, m := range a.moves {
		a.priorFirst[m.To+1]++
	}
	for x := range n {
		a.priorFirst[x+1] += a.priorFirst[x]
	}
	a.prior = make([]int32, len(a.moves))
	fill := append([]int32(nil), a.priorFirst...)
	for x := range n {
		for _, m := range a.moves[a.first[x]:a.first[x+1]] {
			a.prior[fill[m.To]] = int32(x)
			fill[m.To]++
		}
	}
}

func (a *Automaton) States() int         { return len(a.at) }
func (a *Automaton) Source(sw int) int32 { return a.entry[sw] }

func (a *Automaton) Fork() Guide { return a }

// Find searches breadth-first, backwards from all states at dst.
func (a *Automaton) Find(dst int, s *Search, w *Ways) {
	s.Reset(a)
	for _, x := range a.members[dst] {
		s.reach(x, 0)
	}
	for i := 0; i < len(s.Order) && s.left > 0; i++ {
		x := s.Order[i]
		d := s.Dist[x] + 1
		for _, p := range a.prior[a.priorFirst[x]:a.priorFirst[x+1]] {
			if s.Dist[p] < 0 {
				s.reach(p, d)
			}
		}
	}
	s.Trace(a, w, func(moves []Move, x int32) []Move {
		d := s.Dist[x] - 1
		for _, m := range a.moves[a.first[x]:a.first[x+1]] {
			if d >= 0 && s.Dist[m.To] == d {
				moves = append(moves, m)
			}
		}
		return moves
	})
}

// ClassAutomaton makes an automaton whose states are pairs of a switch and one
// of a few classes, class 0 at the source. next says which class a packet has
// after channel c, or -1 if it must not take it.
func ClassAutomaton(net *topology.Network, classes int, next func(class int, c int32) int) *Automaton {
	n := len(net.Switches)
	at := make([]int32, n*classes)
	entry := make([]int32, n)
	for x := range at {
		at[x] = int32(x / classes)
	}
	for sw := range entry {
		entry[sw] = int32(sw * classes)
	}
	return NewAutomaton(n, at, entry, func(list []Move, x int32) []Move {
		sw, class := int(x)/classes, int(x)%classes
		for _, c := range net.Out(sw) {
			if k := next(class, c); k >= 0 {
				list = append(list, Move{c, int32(net.To(int(c)).Switch*classes + k)})
			}
		}
		return list
	})
}
