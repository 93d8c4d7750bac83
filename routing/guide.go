package routing

import "musubi/topology"

// A guide knows, for each destination switch, the legal paths of least length.
//
// A packet is in a state: the switch where it is and everything else that decides how it may go on,
// such as the direction it came from. States are numbered from 0.
type guide interface {
	// states returns the number of states.
	states() int
	// source returns the state of a packet that enters the network at a switch.
	source(sw int) int32
	// find sets w to the legal shortest paths from all switches with end points to switch dst.
	find(dst int, s *search, w *ways)
	// fork returns a guide that another goroutine may use.
	fork() guide
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
}

// newAutomaton makes an automaton for the states located at the switches at.
// moves appends the moves of a state to a list in order of output port.
func newAutomaton(switches int, at, entry []int32, moves func(list []move, state int32) []move) *automaton {
	a := &automaton{at: at, entry: entry, members: make([][]int32, switches), first: []int32{0}}
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

func (a *automaton) fork() guide { return a }

// find searches breadth-first, backwards from all states at dst.
func (a *automaton) find(dst int, s *search, w *ways) {
	s.reset(a)
	for _, x := range a.members[dst] {
		s.reach(x, 0)
	}
	for i := 0; i < len(s.order) && s.left > 0; i++ {
		x := s.order[i]
		d := s.dist[x] + 1
		for _, p := range a.prior[a.priorFirst[x]:a.priorFirst[x+1]] {
			if s.dist[p] < 0 {
				s.reach(p, d)
			}
		}
	}
	s.trace(a, w, func(moves []move, x int32) []move {
		d := s.dist[x] - 1
		for _, m := range a.moves[a.first[x]:a.first[x+1]] {
			if d >= 0 && s.dist[m.to] == d {
				moves = append(moves, m)
			}
		}
		return moves
	})
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
