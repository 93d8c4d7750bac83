package loss

import (
	"path/filepath"
	"slices"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/page"
	"musubi/picture/network"
	"musubi/picture/sheet"
	"musubi/report/rows"
	"musubi/routing/faults"
)

// keeps returns how many failures to keep, 0 for all: those that are shown, and where files ask for all single
// ones, these.
func (f *faultsFlags) keeps() int {
	if (f.Rows != "" || f.Report != "") && !f.Double {
		return 0
	}
	return f.Top
}

// shown are the failures that are printed.
func (v *survey) shown() []faults.Failure {
	if v.flags.Top == 0 {
		return v.Worst
	}
	return v.Worst[:min(len(v.Worst), v.flags.Top)]
}

// write writes the files that are asked for: rows of all failures that are kept, and pictures of those that are shown.
// What an interrupt has cut short gets names of its own: there may be whole files of those that are asked for, and nobody
// shall take these for such.
func (v *survey) write(s cli.Shared) error {
	o := v.flags.Outputs
	if v.interrupted() {
		if v.Done == 0 {
			return nil
		}
		for _, name := range []*string{&o.Rows, &o.Plot, &o.Report} {
			*name = partial(*name)
		}
	}
	list := cli.Outputs{Rows: o.Rows}
	if err := list.Write(s, v.table(v.Worst)); err != nil {
		return err
	}
	drawn := withoutZeros(v.table(v.shown()))
	pictures := cli.Outputs{Plot: o.Plot, PageFile: o.PageFile}
	return pictures.WriteWith(s, drawn, func() *page.Page { return v.page(drawn) })
}

// partial is the name of a file of which there is only a part. Its ending stays, as it says what the format is.
func partial(name string) string {
	if name == "" {
		return ""
	}
	ending := filepath.Ext(name)
	return strings.TrimSuffix(name, ending) + ".partial" + ending
}

// table is failures as rows.
func (v *survey) table(list []faults.Failure) []rows.Row {
	run := []rows.Label{{Name: "topology", Value: v.net.Name}, {Name: "routing", Value: v.flags.tables.Previous + v.flags.Routing}}
	var all []rows.Row
	for i := range list {
		f := &list[i]
		at := []rows.Label{{Name: "failure", Value: strings.Join(v.names(*f), ", ")}}
		notes := []rows.Label{{Name: "outcome", Value: f.Verdict.String()}}
		for _, x := range []struct {
			metric, unit string
			value        float64
		}{
			{"load of the busiest link", "pairs", float64(f.Most)}, {"pairs lost", "pairs", float64(f.Apart)},
			{"hosts gone", "count", float64(f.HostsGone)}, {"entries changed", "count", float64(f.Changed)},
		} {
			if v.flags.chooses() && x.unit == "pairs" && x.metric != "pairs lost" {
				continue // not known
			}
			all = append(all, rows.Row{Run: run, Axes: at, Metric: x.metric, Unit: x.unit, Value: x.value, Notes: notes})
		}
	}
	return all
}

// withoutZeros leaves out what no failure costs: a picture of it would be empty.
func withoutZeros(all []rows.Row) []rows.Row {
	costs := map[string]bool{}
	for _, r := range all {
		costs[r.Metric] = costs[r.Metric] || r.Value != 0
	}
	return slices.DeleteFunc(all, func(r rows.Row) bool { return !costs[r.Metric] })
}

// page is the report of a survey.
func (v *survey) page(list []rows.Row) *page.Page {
	p := &page.Page{
		Title:    "Failures of " + v.net.Name,
		Question: "What does the failure of a link or a switch cost, and does it leave the fabric free of deadlock? " + v.summary(),
	}
	react := "the entries that used what has gone are repaired"
	if v.flags.anew() {
		react = "the routing is computed anew"
	}
	p.Sections = append(p.Sections, page.Section{Heading: "The network", Facts: cli.FactsOf([][2]string{
		{"topology", show.DescribeWithNotes(v.net)}, {"routes", v.flags.tables.Previous + v.flags.Routing}, {"after a failure", react},
		{"while nothing fails", v.busiest()},
	})})
	if !v.flags.Double && !v.flags.chooses() {
		drawing, err := v.draw()
		p.Sections = append(p.Sections, cli.Drawn("What each link is worth", drawing, err))
	}
	p.Sections = append(p.Sections, page.Figures(list)...)
	p.Sections = append(p.Sections, page.Section{Heading: "The worst failures", Output: cli.TextOf(v.printTable)})
	return p
}

// draw draws the network, each link coloured by the load of the busiest link when it fails.
func (v *survey) draw() (*sheet.Sheet, error) {
	load := make([]float64, v.net.Channels())
	for _, f := range v.Worst {
		for _, x := range f.Items {
			if x.Switch < 0 {
				load[2*x.Link], load[2*x.Link+1] = float64(f.Most), float64(f.Most)
			}
		}
	}
	return network.Draw(network.Drawing{
		Net: v.net, Title: v.net.Name, Under: "colours: pairs of hosts on the busiest link when this link fails", Load: load, Unit: "pairs",
	})
}
