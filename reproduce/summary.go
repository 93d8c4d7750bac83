package reproduce

import (
	"cmp"
	"math"
)

// Summary is how well the cells of one kind of a source agree with the published or derived
// figures.
type Summary struct {
	Source   string
	Kind     Kind
	Cells    int
	Compared int     // those that have a published or derived figure
	Mean     float64 // absolute error of those, relative
	Worst    *Cell   // the one with the largest absolute error; nil if none is compared
}

// Summarise adds up cells by source, in their order, and kind, in that of Kinds. Kinds without a
// cell are left out.
func Summarise(cells []Cell) []Summary {
	var list []Summary
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && cells[n].Source == cells[0].Source {
			n++
		}
		for _, kind := range Kinds() {
			if s := summarise(cells[:n], kind); s.Cells > 0 {
				list = append(list, s)
			}
		}
		cells = cells[n:]
	}
	return list
}

// summarise adds up the cells of one kind.
func summarise(cells []Cell, kind Kind) Summary {
	s := Summary{Source: cells[0].Source, Kind: kind}
	sum := 0.0
	for i := range cells {
		c := &cells[i]
		if c.Kind != kind {
			continue
		}
		s.Cells++
		if c.Error == nil {
			continue
		}
		s.Compared++
		sum += math.Abs(*c.Error)
		if s.Worst == nil || math.Abs(*c.Error) > math.Abs(*s.Worst.Error) {
			s.Worst = c
		}
	}
	s.Mean = sum / float64(cmp.Or(s.Compared, 1))
	return s
}

// Tables splits cells into those that belong in one table, in their order: of one item in one unit.
func Tables(cells []Cell) [][]Cell {
	var tables [][]Cell
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && cells[n].Source == cells[0].Source && cells[n].Item == cells[0].Item && cells[n].Unit == cells[0].Unit {
			n++
		}
		tables = append(tables, cells[:n])
		cells = cells[n:]
	}
	return tables
}
