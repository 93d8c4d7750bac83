// Package rows has the form in which all results go to pictures, pages and files, whether of
// one run, of several or of a sweep: values with units and axes, in long form.
//
// A Row is one value. Metric and Unit say what it is a value of. Run says which run it is from:
// the machine, the topology, the routing and what else tells runs apart. Axes say where the value
// lies: at how many bytes, at which offered load, between which ranks. Notes are what is known
// besides, such as how often something was measured; they place nothing. Whoever has several runs
// appends their rows:
//
//	both := append(first.Table(), second.Table()...)
//
// Package picture draws such a list, and package report/table writes it.
package rows

import (
	"slices"
)

// Row is one value.
type Row struct {
	Run          []Label // equal in all rows of a run
	Metric, Unit string
	Axes         []Label
	Value        float64
	Notes        []Label
}

// Label is a position on an axis, or another qualifier. Value is a string, a bool, an int or a
// float64.
type Label struct {
	Name  string
	Value any
}

// Names of axes that mean the same wherever they occur.
const (
	Bytes     = "bytes"     // of data in a message
	Offered   = "offered"   // load, as a fraction of what a link carries
	Ranks     = "ranks"     // of a run
	Statistic = "statistic" // of a distribution: mean, p50, p99, max
	Quantile  = "quantile"  // of a distribution: part of all values that are at most this one
	Sender    = "sender"    // rank
	Receiver  = "receiver"  // rank
	Step      = "step"      // part of a time, in the order in which they follow each other
	Link      = "link"      // directed, such as "s0[3] -> s1"
)

// Find returns the value of the label of a name, nil if there is none.
func Find(labels []Label, name string) any {
	for _, l := range labels {
		if l.Name == name {
			return l.Value
		}
	}
	return nil
}

// Axis returns the place of a row on an axis, or on a quality of its run; nil if it has none.
func (r *Row) Axis(name string) any {
	if v := Find(r.Axes, name); v != nil {
		return v
	}
	return Find(r.Run, name)
}

// Number returns the place of a row on an axis as a number, and whether it is one.
func (r *Row) Number(name string) (float64, bool) {
	switch v := r.Axis(name).(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Names returns the names of labels in the order in which they first occur.
func Names(list []Row, of func(*Row) []Label) []string {
	var names []string
	for i := range list {
		for _, l := range of(&list[i]) {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
	}
	return names
}

// OfRun, OfAxes and OfNotes are for Names.
func OfRun(r *Row) []Label   { return r.Run }
func OfAxes(r *Row) []Label  { return r.Axes }
func OfNotes(r *Row) []Label { return r.Notes }

// Differing returns the names of qualities in which runs differ, and Common the labels that all
// runs share.
func Differing(list []Row) []string {
	return slices.DeleteFunc(Names(list, OfRun), func(name string) bool { return isCommon(list, name) })
}

// Common returns what all runs share; see Differing.
func Common(list []Row) []Label {
	if len(list) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list[0].Run), func(l Label) bool { return !isCommon(list, l.Name) })
}

func isCommon(list []Row, name string) bool {
	for i := range list {
		if Find(list[i].Run, name) != Find(list[0].Run, name) {
			return false
		}
	}
	return true
}
