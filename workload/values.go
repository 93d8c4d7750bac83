package workload

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"musubi/units"
)

// values reads the parameters of one run. Its methods store the first mistake in err and return a
// harmless value after that.
type values struct {
	workload string
	texts    map[string]string
	given    map[string]string // what the user has set
	longest  int               // size read so far
	err      error
}

func newValues(w *Workload, settings map[string]string) (*values, error) {
	v := &values{workload: w.Name, texts: map[string]string{}, given: settings}
	for _, p := range w.Params {
		v.texts[p.Name] = p.Default
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !w.Has(name) {
			return nil, &ParamError{w.Name, name, fmt.Sprintf("no parameter %q; known: %s", name, w.paramNames())}
		}
		v.texts[name] = settings[name]
	}
	return v, nil
}

// text returns the value of a parameter as it was written.
func (v *values) text(name string) string { return strings.TrimSpace(v.texts[name]) }

// or sets a value that is empty.
func (v *values) or(name, otherwise string) {
	if v.text(name) == "" {
		v.texts[name] = otherwise
	}
}

// orOften sets empty iterations and warmup: to small numbers where time is simulated and does not
// scatter, and to large ones between real processes, where the first messages take longer, to
// connect and to fill caches.
func (v *values) orOften(env Env, iterations, warmup string) {
	if env.RealTime {
		iterations, warmup = "1000", "100"
	}
	v.or("iterations", iterations)
	v.or("warmup", warmup)
}

// fail records what is wrong with a parameter.
func (v *values) fail(name, format string, args ...any) {
	if v.err == nil {
		v.err = &ParamError{v.workload, name, fmt.Sprintf("%s=%s: %s", name, v.text(name), fmt.Sprintf(format, args...))}
	}
}

// only refuses parameters that the user has given although another parameter excludes them.
func (v *values) only(because string, names ...string) {
	for _, name := range names {
		if _, given := v.given[name]; given {
			v.fail(name, "has no meaning %s", because)
		}
	}
}

func (v *values) int(name string, low, high int) int {
	n, err := strconv.Atoi(v.text(name))
	if err != nil || n < low || n > high {
		v.fail(name, "expected a whole number from %d to %d", low, high)
		return low
	}
	return n
}

// rank reads the number of a rank.
func (v *values) rank(name string, env Env) int {
	n, err := strconv.Atoi(v.text(name))
	switch {
	case err == nil && n >= 0 && n < env.Ranks:
		return n
	case env.Ranks == 1:
		v.fail(name, "expected a rank, and there is only rank 0")
	default:
		v.fail(name, "expected a rank, 0 to %d", env.Ranks-1)
	}
	return 0
}

func (v *values) time(name string, low units.Time) units.Time {
	t, err := units.ParseTime(v.text(name))
	if err != nil {
		v.fail(name, "expected a time such as 20us")
		return low
	}
	if t < low {
		v.fail(name, "expected at least %v", low)
		return low
	}
	return t
}

func (v *values) fraction(name string) float64 {
	f, err := strconv.ParseFloat(v.text(name), 64)
	if err != nil || !(f >= 0 && f <= 1) {
		v.fail(name, "expected a fraction from 0 to 1")
		return 0
	}
	return f
}

func (v *values) choice(name string, known ...string) string {
	if s := canonical(v.text(name)); slices.Contains(known, s) {
		return s
	}
	v.fail(name, "expected one of %s", strings.Join(known, ", "))
	return known[0]
}

// choices reads a list of names, or "all".
func (v *values) choices(name string, known []string) []string {
	if v.text(name) == "all" {
		return known
	}
	var list []string
	for s := range strings.SplitSeq(v.text(name), ",") {
		s = canonical(strings.TrimSpace(s))
		if !slices.Contains(known, s) {
			v.fail(name, "expected all, or a list out of %s", strings.Join(known, ", "))
			return known[:1]
		}
		list = append(list, s)
	}
	return list
}
