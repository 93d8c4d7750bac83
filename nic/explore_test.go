package nic

import (
	"cmp"
	"fmt"
	"slices"
)

// explorer visits every state that a world can reach, depth first. It checks what
// must hold in each, and that from each the world can still come to its end.
type explorer struct {
	states map[[16]byte]int32 // fingerprint to number
	steps  []step             // from states to states
	origin []step             // the step that first led to each state
	done   []int32            // states where all is done
	levels []*level           // of the search
}

// step is an action that leads from one state to another.
type step struct {
	from, to int32
	action
}

// level is the memory of one level of the search.
type level struct {
	next    world
	actions []action
}

// explore visits all states of a scenario. An error tells the actions that lead to
// a state that must not be.
func explore(s *scenario) (*explorer, error) {
	w, err := newWorld(s)
	if err != nil {
		return nil, err
	}
	return exploreFrom(w)
}

func exploreFrom(w *world) (*explorer, error) {
	w.receiver.naive = nil // a world also checks by itself
	e := &explorer{states: map[[16]byte]int32{}}
	if err := e.visit(w, step{from: none}, 0); err != nil {
		return e, err
	}
	return e, e.checkEnd()
}

// visit explores what follows the state to which a step has led.
func (e *explorer) visit(w *world, by step, depth int) error {
	key := w.fingerprint()
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
	if w.done() {
		e.done = append(e.done, number)
		if err := w.checkDone(); err != nil {
			return e.explain(number, err)
		}
	}
	return e.follow(w, number, depth)
}

// follow takes each of the steps from a state.
func (e *explorer) follow(w *world, number int32, depth int) error {
	if len(e.levels) == depth {
		e.levels = append(e.levels, &level{})
	}
	l := e.levels[depth]
	l.actions = w.actions(l.actions[:0])
	for _, a := range l.actions {
		l.next.copyFrom(w)
		if err := l.next.apply(a); err != nil {
			return e.explain(number, fmt.Errorf("%v: %w", a, err))
		}
		if err := e.visit(&l.next, step{from: number, action: a}, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// explain adds the last actions that led to a state.
func (e *explorer) explain(state int32, err error) error {
	const most = 40
	var path []action
	for s := e.origin[state]; s.from != none; s = e.origin[s.from] {
		path = append(path, s.action)
	}
	slices.Reverse(path)
	return fmt.Errorf("after %d actions, the last %v: %w", len(path), path[max(0, len(path)-most):], err)
}

// checkEnd goes backwards from the states where all is done. Those that it does not
// reach are deadlocks, or lead to nothing else.
func (e *explorer) checkEnd() error {
	slices.SortFunc(e.steps, func(a, b step) int { return cmp.Compare(a.to, b.to) })
	reached := make([]bool, len(e.states))
	queue := slices.Clone(e.done)
	for len(queue) > 0 {
		state := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if reached[state] {
			continue
		}
		reached[state] = true
		first, _ := slices.BinarySearchFunc(e.steps, state, func(s step, to int32) int { return cmp.Compare(s.to, to) })
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
