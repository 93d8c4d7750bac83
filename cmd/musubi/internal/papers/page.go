package papers

import (
	"fmt"
	"io"
	"slices"

	"musubi/cmd/musubi/internal/cli"
	"musubi/page"
	"musubi/picture"
	"musubi/report/rows"
	"musubi/reproduce"
)

// reproducedRows are the cells as rows: what the model gives, and beside it what is published or
// derived.
func reproducedRows(cells []reproduce.Cell) []rows.Row {
	var list []rows.Row
	for i := range cells {
		c := &cells[i]
		r := rows.Row{Run: []rows.Label{{Name: "source", Value: c.Source}}, Metric: c.Item, Unit: c.Unit, Notes: []rows.Label{{Name: "kind", Value: string(c.Kind)}}}
		if c.Point != nil {
			axis, at := place(c.Point)
			r.Axes = []rows.Label{{Name: "curve", Value: c.Point.Curve}, {Name: axis, Value: at}}
		} else {
			r.Axes = []rows.Label{{Name: "case", Value: c.Cell}}
		}
		for _, from := range []struct {
			origin string
			value  *float64
		}{{"Musubi", &c.Got}, {"published", c.Published}, {"derived", c.Derived}} {
			if from.value == nil {
				continue
			}
			one := r
			one.Value = *from.value
			one.Axes = append(slices.Clone(r.Axes), rows.Label{Name: "from", Value: from.origin})
			list = append(list, one)
		}
	}
	return list
}

// reproducePage is the page of the papers: how well they agree, and each item with its figures.
func reproducePage(name string, cells []reproduce.Cell, all bool) *page.Page {
	p := &page.Page{Title: "The papers, reproduced", Question: "How close do the simulated machines come to what their papers state?"}
	if name != "" {
		p.Title = "The papers of " + name + ", reproduced"
	}
	p.Sections = append(p.Sections, page.Section{Heading: "How well they agree",
		Text: []string{
			"A cell is calibrated if a parameter was chosen so that it comes out, fitted if what it was measured on was reconstructed from published figures, derived if it follows from published or calibrated values by arithmetic, and predicted otherwise.",
		},
		Output: cli.TextOf(func(w io.Writer) error { return printSummary(w, reproduce.Summarise(cells)) })})
	for _, item := range reproduce.Tables(cells) {
		if !all {
			item = withFigures(item)
		}
		if len(item) > 0 {
			p.Sections = append(p.Sections, itemSection(item))
		}
	}
	return p
}

// itemSection is one item of a paper: curves are drawn, with what is published beside them.
func itemSection(item []reproduce.Cell) page.Section {
	s := page.Section{Heading: fmt.Sprintf("%s: %s [%s]", item[0].Source, item[0].Item, item[0].Unit)}
	if item[0].Point == nil {
		s.Output = cli.TextOf(func(w io.Writer) error { return printCases(w, item) })
		return s
	}
	for _, panel := range picture.Panels(reproducedRows(item)) {
		heads, lines := panel.Table()
		s.Figure, s.Table = panel.Draw(), &page.Table{Heads: heads, Lines: lines, Fold: len(lines) > cli.ManyDrawings}
	}
	return s
}
