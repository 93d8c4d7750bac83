// Package explore visits every state that a small model of a mechanism can reach. It finds
// violations, deadlocks and states from which the model cannot come to its end.
package explore

import (
	"cmp"
	"fmt"
	"slices"
)

// Model is something whose states an explorer visits. It is a pointer or holds one; A is what
// can happen in it.
type Model[M, A any] interface {
	Blank() M // takes copies
	CopyFrom(M)
	Fingerprint() [16]byte
	Actions(to []A) []A
	Apply(A) error // fails if something is violated that must hold
	Done() bool
	CheckDone() error
}

// explorer visits every state that a model can reach, depth first. It checks what
// must hold in each, and that from each the model can still come to its end.
type explorer[M Model[M, A], A any] struct {
	states map[[16]byte]int32 // fingerprint to number
	steps  [][]step[A]        // from states to states, in chunks: a list of many millions would be copied as it grows
	origin []step[A]          // the step that first led to each state
	done   []int32            // states where all is done
	wrong  error              // the first of those where all should not be as it is
	levels []*level[M, A]     // of the search
}

// root stands for the step before the first state.
const root = -1

// step is an action that leads from one state to another.
type step[A any] struct {
	from, to int32
	action   A
}

// level is the memory of one level of the search.
type level[M, A any] struct {
	next    M
	actions []A
}

// From visits all states that a model can reach, from the one that it is in. An error tells
// the actions that lead to a state that must not be, or from which no way leads to the end.
func From[M Model[M, A], A any](m M) (states int, err error) {
	e := &explorer[M, A]{states: map[[16]byte]int32{}}
	if err := e.visit(m, step[A]{from: root}, 0); err != nil {
		return len(e.states), err
	}
	return len(e.states), cmp.Or(e.wrong, e.checkEnd())
}

// visit explores what follows the state to which a step has led.
func (e *explorer[M, A]) visit(m M, by step[A], depth int) error {
	key := m.Fingerprint()
	number, seen := e.states[key]
	if !seen {
		number = int32(len(e.states))
		e.states[key] = number
	}
	by.to = number
	e.note(by)
	if seen {
		return nil
	}
	e.origin = append(e.origin, by)
	if m.Done() {
		e.done = append(e.done, number)
		if err := m.CheckDone(); err != nil && e.wrong == nil {
			e.wrong = e.explain(number, err)
		}
	}
	return e.follow(m, number, depth)
}

// note keeps a step.
func (e *explorer[M, A]) note(by step[A]) {
	const chunk = 4096
	if n := len(e.steps); n == 0 || len(e.steps[n-1]) == chunk {
		e.steps = append(e.steps, make([]step[A], 0, chunk))
	}
	last := &e.steps[len(e.steps)-1]
	*last = append(*last, by)
}

// fromStates yields the steps that lead from a state: all but the first.
func (e *explorer[M, A]) fromStates(yield func(step[A]) bool) {
	for _, chunk := range e.steps {
		for _, s := range chunk {
			if s.from != root && !yield(s) {
				return
			}
		}
	}
}

// follow takes each of the steps from a state.
func (e *explorer[M, A]) follow(m M, number int32, depth int) error {
	if len(e.levels) == depth {
		e.levels = append(e.levels, &level[M, A]{next: m.Blank()})
	}
	l := e.levels[depth]
	l.actions = m.Actions(l.actions[:0])
	for _, a := range l.actions {
		l.next.CopyFrom(m)
		if err := l.next.Apply(a); err != nil {
			return e.explain(number, fmt.Errorf("%v: %w", a, err))
		}
		if err := e.visit(l.next, step[A]{from: number, action: a}, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// explain adds the last actions that led to a state.
func (e *explorer[M, A]) explain(state int32, err error) error {
	const most = 40
	var path []A
	for s := e.origin[state]; s.from != root; s = e.origin[s.from] {
		path = append(path, s.action)
	}
	slices.Reverse(path)
	return fmt.Errorf("after %d actions, the last %v: %w", len(path), path[max(0, len(path)-most):], err)
}

// checkEnd goes backwards from the states where all is done. Those that it does not
// reach are deadlocks, or lead to nothing else.
func (e *explorer[M, A]) checkEnd() error {
	first, before := e.predecessors()
	reached := make([]bool, len(e.states))
	queue := slices.Clone(e.done)
	for len(queue) > 0 {
		state := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if reached[state] {
			continue
		}
		reached[state] = true
		for _, from := range before[first[state]:first[state+1]] {
			if !reached[from] {
				queue = append(queue, from)
			}
		}
	}
	if state := slices.Index(reached, false); state >= 0 {
		return e.explain(int32(state), fmt.Errorf("no way leads to the end"))
	}
	return nil
}

// predecessors returns the states from which steps lead to each state, all in one list, and where
// in it those of each state begin. It counts rather than sorts, as there are many millions.
func (e *explorer[M, A]) predecessors() (first, before []int32) {
	first = make([]int32, len(e.states)+1)
	for s := range e.fromStates {
		first[s.to+1]++
	}
	for state := range len(e.states) {
		first[state+1] += first[state]
	}
	next := slices.Clone(first)
	before = make([]int32, first[len(e.states)])
	for s := range e.fromStates {
		before[next[s.to]] = s.from
		next[s.to]++
	}
	return first, before
}
