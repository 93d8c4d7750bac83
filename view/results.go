package view

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"musubi/picture"
	"musubi/report"
	"musubi/report/rows"
)

// lineJSON is a value of a run, with what it is and where it lies.
type lineJSON struct {
	Metric string `json:"metric"`
	Place  string `json:"place"`
	Unit   string `json:"unit"`
	Value  string `json:"value"`
}

// figureJSON is the heading of a figure, its size, which a page needs before the figure is there so that
// nothing moves when it comes, and the table of what it shows.
type figureJSON struct {
	Title  string     `json:"title"`
	Width  int        `json:"width"` // in pixels of CSS, as is the height
	Height int        `json:"height"`
	Heads  []string   `json:"heads"`
	Lines  [][]string `json:"lines"`
}

// stateJSON is how far a run has come, and what it has given.
type stateJSON struct {
	State   string       `json:"state"`
	Error   string       `json:"error,omitempty"`
	Done    float64      `json:"done"` // part, from 0 to 1; 0: not known
	Now     string       `json:"now"`  // simulated time
	Events  int64        `json:"events"`
	Facts   [][2]string  `json:"facts"`
	Lines   []lineJSON   `json:"lines"`
	Figures []figureJSON `json:"figures"`
	Use     []float64    `json:"use"`
}

// state answers how far a run is.
func (s *Server) state(r *http.Request) (*stateJSON, error) {
	one, err := s.runs.find(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	one.Lock()
	defer one.Unlock()
	doc := &stateJSON{
		State: one.state, Error: one.err, Done: one.progress.Done, Now: one.progress.Now.String(), Events: one.progress.Events,
		Facts: one.facts, Use: one.use, Lines: []lineJSON{}, Figures: figuresOf(one.table),
	}
	for _, row := range told(one.table) {
		doc.Lines = append(doc.Lines, lineJSON{wordsOf(row.Metric), placeOf(row), row.Unit, number(row.Value)})
	}
	return doc, nil
}

// told leaves out what the drawing of the network and the figures show.
func told(table []rows.Row) []rows.Row {
	return slices.DeleteFunc(slices.Clone(table), func(r rows.Row) bool {
		return rows.Find(r.Axes, rows.Link) != nil || rows.Find(r.Axes, rows.Quantile) != nil || rows.Find(r.Axes, rows.Sender) != nil
	})
}

func wordsOf(metric string) string { return strings.ReplaceAll(metric, "_", " ") }

// placeOf says where a value lies, and what it is a value of.
func placeOf(r rows.Row) string {
	var words []string
	for _, l := range r.Axes {
		words = append(words, fmt.Sprintf("%s %v", l.Name, l.Value))
	}
	return strings.Join(words, ", ")
}

func number(v float64) string { return report.Significant(v, 4).Text }

func figuresOf(table []rows.Row) []figureJSON {
	figures := []figureJSON{}
	for _, panel := range picture.Panels(table) {
		heads, lines := panel.Table()
		drawn := panel.Draw()
		figures = append(figures, figureJSON{panel.Title(), pixels(drawn.Width), pixels(drawn.Height), heads, lines})
	}
	return figures
}

// pixels are those that CSS has for points: 96 for 72.
func pixels(points float64) int { return int(math.Round(points * 96 / 72)) }

// pairJSON is a value of two runs. Ratio is the second to the first; empty if that means nothing.
type pairJSON struct {
	Metric string `json:"metric"`
	Place  string `json:"place"`
	Unit   string `json:"unit"`
	A      string `json:"a"`
	B      string `json:"b"`
	Ratio  string `json:"ratio"`
}

// besideJSON is two runs beside each other.
type besideJSON struct {
	Lines   []pairJSON   `json:"lines"`
	Figures []figureJSON `json:"figures"`
}

// tables returns the rows of one run, or of two, as a request names them.
func (s *Server) tables(r *http.Request) ([][]rows.Row, error) {
	var tables [][]rows.Row
	for _, id := range r.URL.Query()["run"] {
		one, err := s.runs.find(id)
		if err != nil {
			return nil, err
		}
		one.Lock()
		if one.state != done {
			err = fmt.Errorf("run %s has given nothing: it is %s", id, one.state)
		}
		tables = append(tables, one.table)
		one.Unlock()
		if err != nil {
			return nil, err
		}
	}
	if len(tables) == 0 || len(tables) > 2 {
		return nil, errors.New("expected one run, or two")
	}
	return tables, nil
}

// beside answers what two runs have in common, and how they differ.
func (s *Server) beside(r *http.Request) (*besideJSON, error) {
	tables, err := s.tables(r)
	if err != nil {
		return nil, err
	}
	if len(tables) != 2 {
		return nil, errors.New("expected two runs")
	}
	return &besideJSON{pairs(told(tables[0]), told(tables[1])), figuresOf(together(tables))}, nil
}

// together numbers the runs where nothing else tells them apart, so that a figure shows both.
func together(tables [][]rows.Row) []rows.Row {
	var all []rows.Row
	for i, table := range tables {
		for _, row := range table {
			if len(tables) > 1 {
				row.Run = append(slices.Clone(row.Run), rows.Label{Name: "run", Value: string(rune('A' + i))})
			}
			all = append(all, row)
		}
	}
	return all
}

// pairs puts values of the same metric and place beside each other, in the order of the first run.
func pairs(a, b []rows.Row) []pairJSON {
	type key struct{ metric, place, unit string }
	keyOf := func(r rows.Row) key { return key{wordsOf(r.Metric), placeOf(r), r.Unit} }
	values := [2]map[key]float64{{}, {}}
	var order []key
	for i, list := range [][]rows.Row{a, b} {
		for _, r := range list {
			k := keyOf(r)
			_, inFirst := values[0][k]
			if _, known := values[i][k]; !known && !inFirst {
				order = append(order, k)
			}
			values[i][k] = r.Value
		}
	}
	lines := []pairJSON{}
	for _, k := range order {
		p := pairJSON{Metric: k.metric, Place: k.place, Unit: k.unit}
		va, inA := values[0][k]
		vb, inB := values[1][k]
		if inA {
			p.A = number(va)
		}
		if inB {
			p.B = number(vb)
		}
		if inA && inB && va != 0 {
			p.Ratio = fmt.Sprintf("%.3g", vb/va)
		}
		lines = append(lines, p)
	}
	return lines
}

// figure answers with a figure of one run, or of two, as SVG.
func (s *Server) figure(w http.ResponseWriter, r *http.Request) {
	tables, err := s.tables(r)
	if err != nil {
		http.Error(w, oneLine(err), http.StatusUnprocessableEntity)
		return
	}
	panels := picture.Panels(together(tables))
	i, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || i < 0 || i >= len(panels) {
		http.NotFound(w, r)
		return
	}
	var b bytes.Buffer
	if err := panels[i].Draw().WriteSVG(&b); err != nil {
		http.Error(w, oneLine(err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Write(b.Bytes())
}
