package workload

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/spelling"
	"musubi/units"
)

// Values reads the parameters of one run. Its methods store the first mistake in err and return a
// harmless value after that.
type Values struct {
	workload string
	texts    map[string]string
	given    map[string]string // what the user has set
	longest  int               // size read so far
	err      error
}

func newValues(w *Workload, settings map[string]string) (*Values, error) {
	v := &Values{workload: w.Name, texts: map[string]string{}, given: settings}
	for _, p := range w.Params {
		if p.Default != "" {
			v.texts[p.Name] = p.Default
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !w.Has(name) {
			return nil, &ParamError{w.Name, name, fmt.Sprintf("no parameter %q; known: %s", name, w.paramNames())}
		}
		v.texts[name] = settings[name]
	}
	return v, nil
}

// Text returns the value of a parameter as it was written.
func (v *Values) Text(name string) string { return strings.TrimSpace(v.texts[name]) }

// Has reports whether a parameter has a value: what the user has given, be it an empty text, or its default.
func (v *Values) Has(name string) bool {
	_, has := v.texts[name]
	return has
}

// Or sets a parameter that has no value.
func (v *Values) Or(name, otherwise string) {
	if !v.Has(name) {
		v.texts[name] = otherwise
	}
}

// OrOften sets iterations and warmup that have no value: to small numbers where time is simulated and does not
// scatter, and to large ones between real processes, where the first messages take longer, to
// connect and to fill caches.
func (v *Values) OrOften(env Env, iterations, warmup string) {
	if env.RealTime {
		iterations, warmup = "1000", "100"
	}
	v.Or("iterations", iterations)
	v.Or("warmup", warmup)
}

// Fail records what is wrong with a parameter.
func (v *Values) Fail(name, format string, args ...any) {
	if v.err == nil {
		v.err = &ParamError{v.workload, name, fmt.Sprintf("%s=%s: %s", name, v.Text(name), fmt.Sprintf(format, args...))}
	}
}

// Failed reports whether a parameter was wrong.
func (v *Values) Failed() bool { return v.err != nil }

// Only refuses parameters that the user has given although another parameter excludes them.
func (v *Values) Only(because string, names ...string) {
	for _, name := range names {
		if _, given := v.given[name]; given {
			v.Fail(name, "has no meaning %s", because)
		}
	}
}

// Int reads a whole number from low to high.
func (v *Values) Int(name string, low, high int) int {
	n, err := strconv.Atoi(v.Text(name))
	if err != nil || n < low || n > high {
		v.Fail(name, "expected a whole number from %d to %d", low, high)
		return low
	}
	return n
}

// Rank reads the number of a rank.
func (v *Values) Rank(name string, env Env) int {
	n, err := strconv.Atoi(v.Text(name))
	switch {
	case err == nil && n >= 0 && n < env.Ranks:
		return n
	case env.Ranks == 1:
		v.Fail(name, "expected a rank, and there is only rank 0")
	default:
		v.Fail(name, "expected a rank, 0 to %d", env.Ranks-1)
	}
	return 0
}

// Time reads a time of at least low.
func (v *Values) Time(name string, low units.Time) units.Time {
	t, err := units.ParseTime(v.Text(name))
	if err != nil {
		v.Fail(name, "expected a time such as 20us")
		return low
	}
	if t < low {
		v.Fail(name, "expected at least %v", low)
		return low
	}
	return t
}

// Fraction reads a fraction from 0 to 1.
func (v *Values) Fraction(name string) float64 {
	f, err := strconv.ParseFloat(v.Text(name), 64)
	if err != nil || !(f >= 0 && f <= 1) {
		v.Fail(name, "expected a fraction from 0 to 1")
		return 0
	}
	return f
}

// Choice reads one of the known names.
func (v *Values) Choice(name string, known ...string) string {
	if s := canonical(v.Text(name)); slices.Contains(known, s) {
		return s
	}
	v.Fail(name, "expected one of %s%s", strings.Join(known, ", "), spelling.DidYouMean(v.Text(name), known))
	return known[0]
}

// Choices reads a list of names, or "all".
func (v *Values) Choices(name string, known []string) []string {
	if v.Text(name) == "all" {
		return known
	}
	var list []string
	for s := range strings.SplitSeq(v.Text(name), ",") {
		s = canonical(strings.TrimSpace(s))
		if !slices.Contains(known, s) {
			v.Fail(name, "expected all, or a list out of %s%s", strings.Join(known, ", "), spelling.DidYouMean(s, known))
			return known[:1]
		}
		list = append(list, s)
	}
	return list
}
