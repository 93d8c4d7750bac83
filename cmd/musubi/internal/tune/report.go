package tune

import (
	"fmt"
	"slices"

	"musubi/cmd/musubi/internal/cli"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/tuning"
)

// nearly is how many times as long as the best algorithm auto may take to count as good.
const nearly = 1.1

// result is what tune finds, for --json.
type result struct {
	Machine string    `json:"machine"`
	Cases   []oneCase `json:"cases"`
	Good    int       `json:"good"`  // cases in which auto is within 10 % of the best
	Worst   float64   `json:"worst"` // times as long as the best
}

type oneCase struct {
	Operation string  `json:"operation"`
	Ranks     int     `json:"ranks"`
	Bytes     int     `json:"bytes"`
	Auto      float64 `json:"auto"`
	Best      float64 `json:"best"`
	Algorithm string  `json:"algorithm"`
	Off       float64 `json:"off"`
}

// judge tells how good the usual choice is.
func judge(machine string, cases []tuning.Case) result {
	r := result{Machine: machine, Worst: 1}
	for _, c := range cases {
		off := c.Off()
		r.Cases = append(r.Cases, oneCase{c.Operation, c.Ranks, c.Bytes, c.Auto, c.Best, c.Algorithm, off})
		r.Worst = max(r.Worst, off)
		if off <= nearly {
			r.Good++
		}
	}
	return r
}

// report prints how good the usual choice is.
func (f *flags) report(shared cli.Shared, cases []tuning.Case) error {
	r := judge(f.On, cases)
	if shared.JSON {
		return ordered.WriteJSON(shared.Stdout, r)
	}
	shown := slices.Clone(r.Cases)
	if !f.All {
		shown = slices.DeleteFunc(shown, func(c oneCase) bool { return c.Off <= nearly })
	}
	table := report.NewTable(report.Column{Name: "operation", Left: true}, report.Column{Name: "ranks"}, report.Column{Name: "bytes"},
		report.Column{Name: "auto", Unit: "us"}, report.Column{Name: "best", Unit: "us"}, report.Column{Name: "by", Left: true}, report.Column{Name: "times"})
	for _, c := range shown {
		table.Add(report.Text(c.Operation), report.Count(c.Ranks), report.Count(c.Bytes), report.Significant(c.Auto, 4), report.Significant(c.Best, 4),
			report.Text(c.Algorithm), report.Fixed(c.Off, 2))
	}
	if !table.Empty() {
		if err := table.Print(shared.Stdout); err != nil {
			return err
		}
		fmt.Fprintln(shared.Stdout)
	}
	fmt.Fprintf(shared.Stdout, "%s: auto is within 10 %% of the best algorithm in %d of %d cases; at worst it takes %.2f times as long\n", f.On, r.Good, len(r.Cases), r.Worst)
	return nil
}
