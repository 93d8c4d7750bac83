package workload

import (
	"fmt"
	"slices"
	"strings"
)

// Workload is a named program with parameters.
type Workload struct {
	Name    string
	Summary string // one line
	Params  []Param

	FileParams []string                             // names of parameters that are files
	ListParams []string                             // names of parameters that take several values, with commas
	RanksFor   func(settings map[string]string) int // how many ranks it is for; nil, or 0: any number
	Make       func(v *Values, env Env) *Plan       // stores mistakes in v
}

// Param is a parameter of a workload, set with --set name=value.
type Param struct {
	Name    string
	Default string // may be empty; Help then says what that means
	Help    string // one line, with the unit or the list of values
}

// ParamError describes a wrong parameter.
type ParamError struct {
	Workload, Param string
	Problem         string // what was given and what was expected
}

func (e *ParamError) Error() string {
	return fmt.Sprintf("workload %s: %s", e.Workload, e.Problem)
}

// Prepare makes the workload ready to run with parameters that the user has set.
// It fails with a *ParamError if one is unknown, wrong or does not fit the
// machine.
func (w *Workload) Prepare(settings map[string]string, env Env) (*Plan, error) {
	if env.Ranks < 1 {
		return nil, fmt.Errorf("%s: %d ranks; expected at least 1", w.Name, env.Ranks)
	}
	v, err := newValues(w, settings)
	if err != nil {
		return nil, err
	}
	plan := w.Make(v, env)
	if v.err != nil {
		return nil, v.err
	}
	plan.Longest = max(plan.Longest, v.longest)
	return plan, nil
}

// Files returns the files that parameters name.
func (w *Workload) Files(settings map[string]string) (files []string) {
	for _, name := range w.FileParams {
		files = append(files, settings[name])
	}
	return files
}

// Ranks returns how many ranks the workload is for with these parameters; 0: any number.
func (w *Workload) Ranks(settings map[string]string) int {
	if w.RanksFor == nil {
		return 0
	}
	return w.RanksFor(settings)
}

// Has reports whether the workload has a parameter of that name.
func (w *Workload) Has(param string) bool {
	return slices.ContainsFunc(w.Params, func(p Param) bool { return p.Name == param })
}

// TakesList reports whether a parameter takes several values in one run, with commas between them.
func (w *Workload) TakesList(param string) bool { return slices.Contains(w.ListParams, param) }

// paramNames lists the parameters for error messages.
func (w *Workload) paramNames() string {
	var names []string
	for _, p := range w.Params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
