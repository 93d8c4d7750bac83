package reproduce

import (
	"fmt"
	"slices"

	"musubi"
	"musubi/workload"
)

// breakdown is the path of a message, step by step.
type breakdown []workload.Row

// breakdown measures the path of a message on the machine of the source.
func (b *bench) breakdown(settings ...string) (breakdown, error) {
	rows, err := b.measure("stage", musubi.Scenario{Workload: "pingpong", Ranks: 2, Breakdown: true}, settings...)
	return rows, err
}

// wholeWay is the path from one program to the other.
const wholeWay = "pingpong"

// index returns the number of a step.
func (d breakdown) index(path, step string) (int, error) {
	i := slices.IndexFunc(d, func(r workload.Row) bool { return r.Label("path") == path && r.Label("step") == step })
	if i < 0 {
		return 0, fmt.Errorf("the breakdown has no step %q in path %q", step, path)
	}
	return i, nil
}

// clocks returns the number of clocks of a step inside the card.
func (d breakdown) clocks(path, step string) (float64, error) {
	i, err := d.index(path, step)
	if err != nil {
		return 0, err
	}
	n, _ := d[i].Label("clocks").(int)
	return float64(n), nil
}

// totalClocks adds up the clocks of a path inside the card.
func (d breakdown) totalClocks(path string) float64 {
	total := 0
	for i := range d {
		if n, counted := d[i].Label("clocks").(int); counted && d[i].Label("path") == path {
			total += n
		}
	}
	return float64(total)
}

// microseconds adds up the steps of the whole path from one step to another. It leaves out waits
// for a refresh of the card's memory, which few messages meet.
func (d breakdown) microseconds(from, to string) (float64, error) {
	first, err := d.index(wholeWay, from)
	if err != nil {
		return 0, err
	}
	last, err := d.index(wholeWay, to)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, r := range d[first : last+1] {
		if r.Label("step") != "wait for refresh" {
			sum += r.Value
		}
	}
	return sum, nil
}
