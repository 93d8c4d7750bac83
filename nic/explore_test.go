package nic

import (
	"cmp"
	"fmt"
	"slices"
)

// model is something whose states an explorer visits. It is a pointer or holds one; A is what
// can happen in it.
type model[M, A any] interface {
	blank() M // takes copies
	copyFrom(M)
	fingerprint() [16]byte
	actions(to []A) []A
	apply(A) error // fails if something is violated that must hold
	done() bool
	checkDone() error
}

// explorer visits every state that a model can reach, depth first. It checks what
// must hold in each, and that from each the model can still come to its end.
type explorer[M model[M, A], A any] struct {
	states map[[16]byte]int32 // fingerprint to number
	steps  []step[A]          // from states to states
	origin []step[A]          // the step that first led to each state
	done   []int32            // states where all is done
	wrong  error              // the first of those where all should not be as it is
	levels []*level[M, A]     // of the search
}

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

// explore visits all states of a scenario. An error tells the actions that lead to
// a state that must not be.
func explore(s *scenario) (*explorer[*world, action], error) {
	w, err := newWorld(s)
	if err != nil {
		return nil, err
	}
	w.receiver.naive = nil // a world also checks by itself
	return exploreFrom(w)
}

func exploreFrom[M model[M, A], A any](m M) (*explorer[M, A], error) {
	e := &explorer[M, A]{states: map[[16]byte]int32{}}
	if err := e.visit(m, step[A]{from: none}, 0); err != nil {
		return e, err
	}
	return e, cmp.Or(e.wrong, e.checkEnd())
}

// visit explores what follows the state to which a step has led.
func (e *explorer[M, A]) visit(m M, by step[A], depth int) error {
	key := m.fingerprint()
	number, seen := e.states[key]
	if !seen {
		number = int32(len(e.states))
		e.states[key] = number
	}
	by.to = number
	e.steps = append(e.steps, by)
	if seen {
		return nil
	}
	e.origin = append(e.origin, by)
	if m.done() {
		e.done = append(e.done, number)
		if err := m.checkDone(); err != nil && e.wrong == nil {
			e.wrong = e.explain(number, err)
		}
	}
	return e.follow(m, number, depth)
}

// follow takes each of the steps from a state.
func (e *explorer[M, A]) follow(m M, number int32, depth int) error {
	if len(e.levels) == depth {
		e.levels = append(e.levels, &level[M, A]{next: m.blank()})
	}
	l := e.levels[depth]
	l.actions = m.actions(l.actions[:0])
	for _, a := range l.actions {
		l.next.copyFrom(m)
		if err := l.next.apply(a); err != nil {
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
	for s := e.origin[state]; s.from != none; s = e.origin[s.from] {
		path = append(path, s.action)
	}
	slices.Reverse(path)
	return fmt.Errorf("after %d actions, the last %v: %w", len(path), path[max(0, len(path)-most):], err)
}

// checkEnd goes backwards from the states where all is done. Those that it does not
// reach are deadlocks, or lead to nothing else.
func (e *explorer[M, A]) checkEnd() error {
	slices.SortFunc(e.steps, func(a, b step[A]) int { return cmp.Compare(a.to, b.to) })
	reached := make([]bool, len(e.states))
	queue := slices.Clone(e.done)
	for len(queue) > 0 {
		state := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if reached[state] {
			continue
		}
		reached[state] = true
		first, _ := slices.BinarySearchFunc(e.steps, state, func(s step[A], to int32) int { return cmp.Compare(s.to, to) })
		for _, s := range e.steps[first:] {
			if s.to != state {
				break
			}
			if s.from != none && !reached[s.from] {
				queue = append(queue, s.from)
			}
		}
	}
	if state := slices.Index(reached, false); state >= 0 {
		return e.explain(int32(state), fmt.Errorf("no way leads to the end"))
	}
	return nil
}
