package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"musubi"
	"musubi/workload"
)

// Kind is the origin of a cell.
type Kind string

// Kinds of cells.
const (
	Calibrated Kind = "calibrated" // a parameter was chosen so that the result agrees
	Fitted     Kind = "fitted"     // what was measured on, such as a network, was reconstructed from the published figures
	Derived    Kind = "derived"    // follows from calibrated or published values by arithmetic
	Predicted  Kind = "predicted"  // no parameter was chosen for it, whether or not the published figure is known here
)

// Kinds lists the kinds, from those that say least about a model to those that say most.
func Kinds() []Kind { return []Kind{Calibrated, Fitted, Derived, Predicted} }

// Cell is one figure of a paper and what Musubi gives for it.
type Cell struct {
	Source    string   `json:"source"` // name of the machine
	Item      string   `json:"item"`   // what was measured, with the place in the paper
	Cell      string   `json:"cell"`   // which case of it
	Unit      string   `json:"unit"`
	Published *float64 `json:"published"`           // nil if no paper prints it, or it is not known here
	Deviation *float64 `json:"deviation,omitempty"` // standard deviation of a published figure that is the mean of a random sample
	Derived   *float64 `json:"derived,omitempty"`   // what published figures give by arithmetic, where none is printed
	Got       float64  `json:"got"`
	Error     *float64 `json:"error"`           // error of got, relative to published or derived
	First     *float64 `json:"first,omitempty"` // what the first model predicted, before the published figure was known
	Kind      Kind     `json:"kind"`
	Point     *Point   `json:"point,omitempty"` // nil if the cell is not on a curve
}

// Expected returns the figure that a cell is compared with, published or derived; nil if there is
// none.
func (c *Cell) Expected() *float64 { return cmp.Or(c.Published, c.Derived) }

// Point is the position of a cell on a curve: a number of nodes if there is one, otherwise a length
// of messages.
type Point struct {
	Curve string `json:"curve"` // its name
	Bytes int    `json:"bytes"`
	Nodes int    `json:"nodes,omitempty"`
}

// source is a paper, or several about one machine. Its parts yield cells, in the
// order of the paper.
type source struct {
	name  string
	parts []func(b *bench) error
}

var sources = []source{
	{"rhinet2", []func(*bench) error{rhinet2Constants, rhinet2Slopes, rhinet2Barriers, rhinet2Patterns, rhinet2Selections, rhinet2Loops, rhinet2Random, rhinet2Benchmarks}},
	{"dimmnet2", []func(*bench) error{
		dimmnet2Tables, dimmnet2BOTFParts, dimmnet2MemoryParts, dimmnet2RoundTrips, dimmnet2Curves, dimmnet2Peaks,
		dimmnet2Streams, dimmnet2BOTF, dimmnet2Polls, dimmnet2SWIF, dimmnet2Memory, dimmnet2Firmware, dimmnet2QsNET, dimmnet2Areas,
	}},
	{"tofu2", []func(*bench) error{tofu2Constants, tofu2Exchanges, tofu2Neighbours}},
	{"ssscore", []func(*bench) error{ssscoreConstants, ssscoreMulticasts}},
	{"ndr", []func(*bench) error{ndrNode, ndrLimits}},
}

// Sources lists the names of the papers.
func Sources() []string {
	var names []string
	for _, s := range sources {
		names = append(names, s.name)
	}
	return names
}

// Run measures the cells of a paper, or of all if name is empty.
func Run(ctx context.Context, name string, seed uint64) ([]Cell, error) {
	if name != "" && !slices.Contains(Sources(), name) {
		return nil, fmt.Errorf("unknown source %q; known: %s", name, strings.Join(Sources(), ", "))
	}
	b := &bench{ctx: ctx, seed: seed}
	for _, s := range sources {
		if name != "" && s.name != name {
			continue
		}
		if err := b.measureAll(s); err != nil {
			return nil, err
		}
	}
	return b.cells, nil
}

// bench runs scenarios and collects cells.
type bench struct {
	ctx    context.Context
	seed   uint64
	source string
	cells  []Cell
	rates  map[string]float64 // that closed has measured
}

// measureAll measures the cells of a source.
func (b *bench) measureAll(s source) error {
	b.source = s.name
	for _, part := range s.parts {
		if err := part(b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// rows runs a workload, on the machine of the source unless the scenario names
// another. settings are written name=value. Collective operations are chosen by limits that do not depend
// on the machine: no paper had measurements to choose by.
func (b *bench) rows(s musubi.Scenario, settings ...string) ([]workload.Row, error) {
	s.Tuning = "none"
	s.Machine, s.Seed, s.Set = cmp.Or(s.Machine, b.source), b.seed, map[string]string{}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		s.Set[name] = value
	}
	result, err := musubi.RunWorkload(b.ctx, s)
	if err != nil {
		return nil, err
	}
	return result.Rows, nil
}

// measure runs a workload and returns its results in one metric.
func (b *bench) measure(metric string, s musubi.Scenario, settings ...string) ([]workload.Row, error) {
	rows, err := b.rows(s, settings...)
	return only(metric, rows), err
}

// only returns the rows of one metric.
func only(metric string, rows []workload.Row) []workload.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r workload.Row) bool { return r.Metric != metric })
}

// add appends a cell that has a published figure, which is not 0. It returns the cell, which is good
// until the next one is appended.
func (b *bench) add(kind Kind, item, cell, unit string, published, got float64) *Cell {
	return b.append(Cell{Item: item, Cell: cell, Unit: unit, Got: got, Kind: kind}).publish(published)
}

// derive appends a cell for a figure, not 0, that no paper prints, but that follows from ones that
// they do.
func (b *bench) derive(item, cell, unit string, derived, got float64) {
	off := (got - derived) / derived
	b.append(Cell{Item: item, Cell: cell, Unit: unit, Derived: &derived, Got: got, Error: &off, Kind: Derived})
}

// predict appends a cell whose published figure is not known here.
func (b *bench) predict(item, cell, unit string, got float64) {
	b.append(Cell{Item: item, Cell: cell, Unit: unit, Got: got, Kind: Predicted})
}

func (b *bench) append(c Cell) *Cell {
	c.Source = b.source
	b.cells = append(b.cells, c)
	return &b.cells[len(b.cells)-1]
}

// publish gives a cell its published figure, which is not 0.
func (c *Cell) publish(published float64) *Cell {
	off := (c.Got - published) / published
	c.Published, c.Error = &published, &off
	return c
}

// firstly records what the first model predicted for a cell.
func (c *Cell) firstly(predicted float64) *Cell {
	c.First = &predicted
	return c
}
