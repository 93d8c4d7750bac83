package sweep

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"musubi"
	"musubi/option"
	"musubi/sim/machine"
	"musubi/workload/programs"
)

// Axis is an option with the values that it takes in turn.
type Axis struct {
	Name   string // of the option, or "set.NAME" for a setting
	Values []string
}

// Label is what tables and JSON call the axis.
func (a *Axis) Label() string { return strings.TrimPrefix(a.Name, settingPrefix) }

// settingPrefix begins the names of axes that are settings.
const settingPrefix = "set."

// listable are the options of which a grid can have several values. Others say how to look at a run.
var listable = []string{"on", "topology", "part", "hosts", "routing", "vcs", "selection", "root", "ranks", "place", "transport", "encrypt", "engine", "fail", "jobs", "seed", "payload"}

// Lists collects the options that are given several values: numbers of command lines such as 16,32 or
// 1..4, and arrays of files. Texts with commas are found by Axes.
type Lists struct {
	axes map[string][]string
}

// Options returns the options of a scenario, which hand lists of values to l.
func (l *Lists) Options(s *musubi.Scenario) []*option.Option {
	if l.axes == nil {
		l.axes = map[string][]string{}
	}
	options := s.Options()
	for _, o := range options {
		if slices.Contains(listable, o.Name) {
			o.Many = func(values []string) { l.axes[o.Name] = values }
		}
		o.ManySettings = func(name string, values []string) { l.axes[settingPrefix+name] = values }
	}
	return options
}

// Axes returns the options of a scenario that have several values, in the order of options, and then
// settings by their names. It fails if a value stands twice in a list.
func (l *Lists) Axes(s *musubi.Scenario) ([]Axis, error) {
	var axes []Axis
	add := func(name, text string, split func(string) []string) error {
		values := l.axes[name]
		if values == nil {
			values = split(text)
		}
		if len(values) < 2 {
			return nil
		}
		axes = append(axes, Axis{name, values})
		return checkOnce(axes[len(axes)-1])
	}
	for _, o := range option.Of(s) {
		if !slices.Contains(listable, o.Name) {
			continue
		}
		if err := add(o.Name, o.String(), func(text string) []string { return splitOption(o.Name, text) }); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Set)) {
		if err := add(settingPrefix+name, s.Set[name], func(text string) []string { return splitSetting(s.Workload, name, text) }); err != nil {
			return nil, err
		}
	}
	return axes, nil
}

func checkOnce(a Axis) error {
	for i, value := range a.Values {
		if value == "" || slices.Contains(a.Values[:i], value) {
			return &musubi.InputError{Key: a.Name, Err: fmt.Errorf("%s %s: %q stands there twice, or is empty; expected each value once", a.Label(), strings.Join(a.Values, ","), value)}
		}
	}
	return nil
}

// splitOption returns the values that a text lists for an option. Names of files and lists of hosts
// keep their commas.
func splitOption(name, text string) []string {
	if _, err := os.Stat(text); err == nil || !strings.Contains(text, ",") {
		return []string{text}
	}
	switch {
	case name == "place" && strings.Trim(text, "-0123456789:, ") == "":
		return []string{text}
	case name == "topology":
		return SplitTopologies(text)
	}
	return strings.Split(text, ",")
}

// argument is a part of a name such as dragonfly:a=4,h=2,p=2 behind a comma.
var argument = regexp.MustCompile(`^[a-z]+=[0-9]+(x[0-9]+)*$`)

// SplitTopologies cuts a list of networks at the commas that do not belong to a name of a network.
func SplitTopologies(text string) []string {
	var names []string
	for part := range strings.SplitSeq(text, ",") {
		if last := len(names) - 1; last >= 0 && argument.MatchString(part) && strings.Contains(names[last], ":") {
			names[last] += "," + part
			continue
		}
		names = append(names, part)
	}
	return names
}

// splitSetting returns the values that a text lists for a setting. One that takes a list itself has
// one value, whatever it lists.
func splitSetting(of, name, text string) []string {
	if strings.Contains(name, ".") {
		if machine.TakesList(name) {
			return []string{text}
		}
		return strings.Split(text, ",")
	}
	w, err := programs.Lookup(of)
	if err != nil || !w.Has(name) || w.TakesList(name) {
		return []string{text}
	}
	return strings.Split(text, ",")
}

// Listable returns the names of the options of which a grid can have several values, besides settings.
func Listable() []string { return slices.Clone(listable) }
