package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"musubi"
	"musubi/option"
	"musubi/workload"
)

// Grid is every combination of the values of some axes.
type Grid struct {
	Base musubi.Scenario // what the axes do not say
	Axes []Axis
}

// mostPoints keeps a typing error from exhausting memory.
const mostPoints = 1 << 20

// Point is one combination.
type Point struct {
	At       []workload.Label // the value of each axis, under its label
	Scenario musubi.Scenario
}

// Points returns the combinations; the values of the last axis change first.
func (g *Grid) Points() ([]Point, error) {
	points := []Point{{Scenario: g.Base}}
	for _, axis := range g.Axes {
		if len(points)*len(axis.Values) > mostPoints {
			return nil, fmt.Errorf("the lists have more than %d combinations", mostPoints)
		}
		var all []Point
		for _, p := range points {
			for _, value := range axis.Values {
				next, err := p.with(axis, value)
				if err != nil {
					return nil, err
				}
				all = append(all, next)
			}
		}
		points = all
	}
	return points, nil
}

// with returns the point with a value on one more axis.
func (p Point) with(a Axis, value string) (Point, error) {
	p.At = append(slices.Clone(p.At), workload.Label{Name: a.Label(), Value: value})
	s := &p.Scenario
	if name, isSetting := strings.CutPrefix(a.Name, settingPrefix); isSetting {
		s.Set = maps.Clone(s.Set)
		if s.Set == nil {
			s.Set = map[string]string{}
		}
		s.Set[name] = value
		return p, nil
	}
	if err := option.Named(option.Of(s), a.Name)[0].Set(value); err != nil {
		return p, &musubi.InputError{Key: a.Name, Err: fmt.Errorf("%s is %q; %w", a.Name, value, err)}
	}
	return p, nil
}

// NameOf returns the values on all axes in one line.
func NameOf(at []workload.Label) string {
	var parts []string
	for _, l := range at {
		parts = append(parts, fmt.Sprintf("%s=%v", l.Name, l.Value))
	}
	return strings.Join(parts, " ")
}

// Seeds reads a list of seeds such as 1,2 or 1..20.
func Seeds(text string) ([]uint64, error) {
	var seeds []uint64
	for _, item := range option.Numbers(text) {
		var s musubi.Scenario
		if err := option.Named(option.Of(&s), "seed")[0].Set(item); err != nil || slices.Contains(seeds, s.Seed) {
			return nil, fmt.Errorf("expected different whole numbers, not negative, as a list such as 1,2 or a range such as 1..20 of at most %d", option.MostValues)
		}
		seeds = append(seeds, s.Seed)
	}
	return seeds, nil
}
