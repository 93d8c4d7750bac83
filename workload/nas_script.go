package workload

import (
	"iter"
	"slices"
)

// script is what one process does in a kernel: in every iteration, and once
// after the last.
type script struct {
	iteration, finish []action
}

// action is one thing to do.
type action struct {
	kind actionKind
	// peer is the process that a message goes to or comes from. Of an exchange among
	// all it is the number of the exchange within its script.
	peer int
	// bytes are those of the message, of the vector that is reduced, or of what each
	// process has for each other one.
	bytes int
}

type actionKind uint8

const (
	computeAction actionKind = iota
	sendAction
	receiveAction
	reduceAction   // sum of vectors, which all get
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
	w.actions = append(w.actions, action{kind, peer, bytes})
}

func (w *writer) compute() { w.add(computeAction, 0, 0) }

// send lets the process send a message, unless that is for itself or nobody.
func (w *writer) send(to, bytes int) {
	if to != w.rank && to != nobody {
		w.add(sendAction, to, bytes)
	}
}

// receive lets the process wait for the next message of another one.
func (w *writer) receive(from, bytes int) {
	if from != w.rank && from != nobody {
		w.add(receiveAction, from, bytes)
	}
}

// actions yields all that a process does in one iteration of each script, and in
// the end.
func actions(scripts []script) iter.Seq[*action] {
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

// longest returns the most bytes of actions of some kinds, 0 if there are none.
func longest(scripts []script, kinds ...actionKind) int {
	most := 0
	for a := range actions(scripts) {
		if slices.Contains(kinds, a.kind) {
			most = max(most, a.bytes)
		}
	}
	return most
}

// senders returns the processes that send to the one whose scripts these are, in
// ascending order.
func senders(scripts []script) []int {
	var list []int
	for a := range actions(scripts) {
		if a.kind == receiveAction {
			list = append(list, a.peer)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
