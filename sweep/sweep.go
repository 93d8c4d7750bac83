package sweep

import (
	"context"
	"fmt"
	"slices"
)

// Sweep is a grid under way.
type Sweep struct {
	axes     []Axis
	plan     Plan
	cells    []cell
	outcomes map[string]*Outcome // by key
	waiting  map[string]*wanted  // runs that have been asked for, by key
	open     []int               // how many of them each cell waits for
	failed   map[string]error    // runs that have no outcome
	keep     Keeper

	// Progress is called after each run with the number of runs that have ended, and of those that are
	// known to be needed.
	Progress func(done, known int)
}

// wanted is a run that some cells wait for.
type wanted struct {
	task  Task
	cells []int
}

// Keeper keeps outcomes, so that a sweep that was stopped can go on.
type Keeper interface {
	// Kept returns the outcome of a key, nil if there is none.
	Kept(key string) (*Outcome, error)
	// Keep keeps the outcome of a task, unless there is one.
	Keep(t Task, d Done) error
}

// New makes a sweep. version is that of the program: outcomes of others do not count. keep may be
// nil.
func New(g Grid, plan Plan, version string, keep Keeper) (*Sweep, error) {
	points, err := g.Points()
	if err != nil {
		return nil, err
	}
	s := &Sweep{
		axes: g.Axes, plan: plan, keep: keep, Progress: func(int, int) {},
		outcomes: map[string]*Outcome{}, waiting: map[string]*wanted{}, failed: map[string]error{},
	}
	for _, p := range points {
		c, err := s.plan.newCell(p, version)
		if err != nil {
			return nil, err
		}
		s.cells = append(s.cells, c)
	}
	s.open = make([]int, len(s.cells))
	return s, nil
}

// Run carries the sweep out. It leaves out what could not be carried out, and then fails at the end.
func (s *Sweep) Run(ctx context.Context, e Executor) error {
	for i := range s.cells {
		if err := s.advance(i, e); err != nil {
			return err
		}
	}
	for len(s.waiting) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case d := <-e.Done():
			if err := s.take(d, e); err != nil {
				return err
			}
		}
	}
	for _, err := range s.failed {
		return fmt.Errorf("%d of %d runs have failed: %w", len(s.failed), len(s.failed)+len(s.outcomes), err)
	}
	return ctx.Err()
}

// take enters what has become of a run, unless that is known, and asks for what is needed next.
func (s *Sweep) take(d Done, e Executor) error {
	w := s.waiting[d.Key]
	switch {
	case w == nil:
		return nil
	case d.Err != nil:
		s.failed[d.Key] = d.Err
	case s.keep != nil:
		if err := s.keep.Keep(w.task, d); err != nil {
			return err
		}
	}
	delete(s.waiting, d.Key)
	if d.Err == nil {
		s.outcomes[d.Key] = &d.Outcome
	}
	s.Progress(len(s.outcomes), len(s.outcomes)+len(s.waiting))
	for _, i := range w.cells {
		if s.open[i]--; s.open[i] > 0 {
			continue // it needs all of them to go on
		}
		if err := s.advance(i, e); err != nil {
			return err
		}
	}
	return nil
}

// advance submits what a cell needs next and nobody has asked for yet.
func (s *Sweep) advance(i int, e Executor) error {
	for {
		tasks, kept, err := s.missing(i)
		switch {
		case err != nil:
			return err
		case tasks != nil:
			return e.Submit(tasks)
		case !kept:
			return nil
		}
	}
}

// missing returns the tasks that a cell needs next. kept reports whether outcomes of others were
// found instead, so that it may need more.
func (s *Sweep) missing(i int) (tasks []Task, kept bool, err error) {
	_, steps, err := s.cells[i].advance(s.outcome)
	for _, m := range steps {
		w := s.waiting[m.task.Key]
		switch {
		case s.failed[m.task.Key] != nil:
			continue
		case w != nil:
			if !slices.Contains(w.cells, i) {
				w.cells = append(w.cells, i)
				s.open[i]++
			}
			continue
		}
		if found, err := s.recall(m.task.Key); err != nil {
			return nil, false, err
		} else if found {
			kept = true
			continue
		}
		s.waiting[m.task.Key] = &wanted{m.task, []int{i}}
		s.open[i]++
		tasks = append(tasks, m.task)
	}
	return tasks, kept, err
}

// recall looks for an outcome that was kept.
func (s *Sweep) recall(key string) (bool, error) {
	if s.keep == nil {
		return false, nil
	}
	o, err := s.keep.Kept(key)
	if o != nil {
		s.outcomes[key] = o
	}
	return o != nil, err
}

func (s *Sweep) outcome(key string) *Outcome { return s.outcomes[key] }
