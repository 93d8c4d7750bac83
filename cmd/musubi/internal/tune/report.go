package tune

import (
	"fmt"
	"slices"

	"musubi/cmd/musubi/internal/cli"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/tuning"

	"gonum.org/v1/gonum/stat"
)

// nearly is how many times as long as the best algorithm auto may take to count as good.
const nearly = 1.1

// result is what tune finds, for --json.
type result struct {
	Machine string    `json:"machine"`
	Cases   []oneCase `json:"cases"`
	Good    int       `json:"good"`        // cases in which auto is within 10 % of the best
	Unclear int       `json:"unclear"`     // others, in which it is off by no more than the times scatter
	Worst   float64   `json:"worst"`       // times as long as the best
	Clear   float64   `json:"worst_clear"` // the same without cases that are unclear
	Choice  float64   `json:"choice"`      // times as long as the same algorithm by its name, on average, of several rounds; 0: not known
}

type oneCase struct {
	Operation string  `json:"operation"`
	Ranks     int     `json:"ranks"`
	Bytes     int     `json:"bytes"`
	Auto      float64 `json:"auto"`
	Chosen    string  `json:"chosen"` // by auto
	Best      float64 `json:"best"`
	Algorithm string  `json:"algorithm"`
	Off       float64 `json:"off"`
	Scatter   float64 `json:"scatter"` // of auto or the best, whichever is more
}

// isGood reports whether auto is nearly as fast as the best algorithm.
func (c *oneCase) isGood() bool { return c.Off <= nearly }

// isUnclear reports whether auto is slower by no more than the times scatter.
func (c *oneCase) isUnclear() bool { return !c.isGood() && c.Off <= c.Scatter }

// judge tells how good the usual choice is.
func (m *measurements) judge(machine string) result {
	r := result{Machine: machine, Worst: 1, Clear: 1}
	if len(m.choices) > 0 {
		r.Choice = stat.GeometricMean(m.choices, nil)
	}
	for _, measured := range m.all.Cases() {
		scatter := max(m.scatter(&measured, tuning.Auto), m.scatter(&measured, measured.Algorithm))
		chosen := m.chosen[place{measured.Operation, measured.Ranks, measured.Bytes}]
		c := oneCase{measured.Operation, measured.Ranks, measured.Bytes, measured.Auto, chosen, measured.Best, measured.Algorithm, measured.Off(), scatter}
		r.Cases = append(r.Cases, c)
		r.Worst = max(r.Worst, c.Off)
		switch {
		case c.isGood():
			r.Good++
			r.Clear = max(r.Clear, c.Off)
		case c.isUnclear():
			r.Unclear++
		default:
			r.Clear = max(r.Clear, c.Off)
		}
	}
	return r
}

// report prints how good the usual choice is.
func (f *flags) report(shared cli.Shared, r result) error {
	if shared.JSON {
		return ordered.WriteJSON(shared.Stdout, r)
	}
	shown := slices.Clone(r.Cases)
	if !f.All {
		shown = slices.DeleteFunc(shown, func(c oneCase) bool { return c.Off <= nearly })
	}
	columns := []report.Column{{Name: "operation", Left: true}, {Name: "ranks"}, {Name: "bytes"},
		{Name: "auto", Unit: "us"}, {Name: "chosen", Left: true}, {Name: "best", Unit: "us"}, {Name: "by", Left: true}, {Name: "times"}}
	scatters := f.rounds() > 1
	if scatters {
		columns = append(columns, report.Column{Name: "scatter"})
	}
	table := report.NewTable(columns...)
	for _, c := range shown {
		row := []report.Cell{report.Text(c.Operation), report.Count(c.Ranks), report.Count(c.Bytes), report.Significant(c.Auto, 4), report.Text(c.Chosen), report.Significant(c.Best, 4),
			report.Text(c.Algorithm), report.Fixed(c.Off, 2)}
		if scatters {
			row = append(row, report.Fixed(c.Scatter, 2))
		}
		table.Add(row...)
	}
	if !table.Empty() {
		if err := table.Print(shared.Stdout); err != nil {
			return err
		}
		fmt.Fprintln(shared.Stdout)
	}
	fmt.Fprintf(shared.Stdout, "%s: auto is within 10 %% of the best algorithm in %d of %d cases; at worst it takes %.2f times as long\n", f.On, r.Good, len(r.Cases), r.Worst)
	if scatters && r.Good < len(r.Cases) {
		fmt.Fprintf(shared.Stdout, "%d of the other %d cases are off by no more than the halves of their rounds differ; without these it takes at worst %.2f times as long\n", r.Unclear, len(r.Cases)-r.Good, r.Clear)
	}
	if r.Choice > 0 {
		fmt.Fprintf(shared.Stdout, "auto takes %.2f times as long, on average, as the algorithm that it chooses takes by its name\n", r.Choice)
	}
	return nil
}
