package nas

import (
	"iter"
	"slices"
)

// Script is the actions of one process in a kernel: in every iteration, and once after the last.
type Script struct {
	iteration, finish []action
	share             float64 // of the kernel's operations that this process does; 0: as much as any other
	operations        float64 // for each weight of compute actions
}

// action is one step of a script.
type action struct {
	kind actionKind
	// peer is the process that a message goes to or comes from. For an exchange among all it is
	// the number of the exchange within its script.
	peer int
	// bytes is the size of the message, of the vector that is reduced, or of the block for each
	// other process.
	bytes int
	// weight is how much of the operations of an iteration a compute action has, relative to the
	// others.
	weight float64
}

type actionKind uint8

const (
	computeAction actionKind = iota
	sendAction
	receiveAction
	reduceAction   // sum of vectors, with the result at all processes
	exchangeAction // all to all
)

// nobody stands for a neighbour beyond the edge of a grid.
const nobody = -1

// writer writes the actions of one process.
type writer struct {
	rank    int
	actions []action
}

func (w *writer) add(kind actionKind, peer, bytes int) {
	w.actions = append(w.actions, action{kind: kind, peer: peer, bytes: bytes})
}

func (w *writer) compute() { w.computeMuch(1) }

func (w *writer) computeMuch(weight float64) {
	w.actions = append(w.actions, action{kind: computeAction, weight: weight})
}

// send adds a message to a process, unless that is this process or nobody.
func (w *writer) send(to, bytes int) {
	if to != w.rank && to != nobody {
		w.add(sendAction, to, bytes)
	}
}

// receive adds a wait for the next message of another process.
func (w *writer) receive(from, bytes int) {
	if from != w.rank && from != nobody {
		w.add(receiveAction, from, bytes)
	}
}

// actions yields all actions of one iteration of each script, and those after the last iteration.
func actions(scripts []Script) iter.Seq[*action] {
	return func(yield func(*action) bool) {
		for i := range scripts {
			for _, part := range [][]action{scripts[i].iteration, scripts[i].finish} {
				for j := range part {
					if !yield(&part[j]) {
						return
					}
				}
			}
		}
	}
}

// longest returns the largest size in bytes of the actions of some kinds, 0 if there are none.
func longest(scripts []Script, kinds ...actionKind) int {
	most := 0
	for a := range actions(scripts) {
		if slices.Contains(kinds, a.kind) {
			most = max(most, a.bytes)
		}
	}
	return most
}

// Longest returns the size in bytes of the longest message to the process whose scripts these are.
func Longest(scripts []Script) int { return longest(scripts, receiveAction) }

// Senders returns the processes that send to the one whose scripts these are, in
// ascending order.
func Senders(scripts []Script) []int { return partners(scripts, receiveAction) }

// partners returns the processes that actions of a kind are about, in ascending order.
func partners(scripts []Script, kind actionKind) []int {
	var list []int
	for a := range actions(scripts) {
		if a.kind == kind {
			list = append(list, a.peer)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
