package route

import (
	"io"
	"slices"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/page"
	"musubi/picture"
	"musubi/report"
	"musubi/report/rows"
)

// table is the comparison as rows, a run for each routing.
func (c *comparison) table() []rows.Row {
	var list []rows.Row
	for _, r := range c.results {
		run := []rows.Label{{Name: "topology", Value: c.net.Name}, {Name: "routing", Value: r.name}}
		st := r.statistics
		for _, v := range []struct {
			metric, unit string
			value        float64
		}{
			{"largest load of a link", "pairs", float64(st.ChannelLoad.Max)},
			{"mean load of a link", "pairs", st.ChannelLoad.Mean},
			{"mean length", "links", st.Hops.Mean},
			{"largest length", "links", float64(st.Hops.Max)},
			{"part of shortest paths", "%", 100 * st.MinimalFraction},
			{"virtual channels", "count", float64(r.vcs)},
		} {
			list = append(list, rows.Row{Run: run, Metric: v.metric, Unit: v.unit, Value: v.value})
		}
	}
	for i := range c.choices {
		list = append(list, c.choices[i].values(c.net.Name)...)
	}
	return list
}

// page is the report of a comparison.
func (c *comparison) page() *page.Page {
	p := &page.Page{
		Title:    "Routings of " + c.net.Name,
		Question: "Which routing suits this network, and which are free of deadlock? " + c.verdict(),
	}
	p.Sections = append(p.Sections, page.Section{Heading: "The network", Facts: cli.FactsOf([][2]string{{"topology", show.DescribeWithNotes(c.net)}})})
	t := &page.Table{Heads: []string{"routing", "deadlock", "VCs", "pairs", "unreachable", "mean hops", "max hops", "mean load", "max load"}}
	for _, r := range c.results {
		st := r.statistics
		cells := []report.Cell{show.Verdict(r.proof), report.Count(r.vcs), report.Count(st.Pairs), report.Count(st.Unreachable),
			report.Fixed(st.Hops.Mean, 2), report.Count(st.Hops.Max), report.Fixed(st.ChannelLoad.Mean, 1), report.Count(st.ChannelLoad.Max)}
		line := []string{r.name}
		for _, cell := range cells {
			line = append(line, cell.Text)
		}
		t.Lines = append(t.Lines, line)
	}
	figure, err := picture.Figure(c.table())
	if err != nil {
		figure = nil
	}
	if len(c.results) > 0 {
		p.Sections = append(p.Sections, page.Section{Heading: "Comparison", Figure: figure, Table: t,
			Text: []string{"Lengths are in links between switches, over ordered pairs of hosts on different switches; the load of a link is the number of such pairs whose path uses it in one direction."}})
	}
	if len(c.choices) > 0 {
		p.Sections = append(p.Sections, page.Section{Heading: "Packets that choose as they go", Output: cli.TextOf(c.printChoices),
			Text: []string{"The proof follows every choice of every packet; there are no paths, so neither lengths nor loads. Where there are virtual channels to escape to, only their dependencies count."}})
	}
	for _, r := range c.results[:min(len(c.results), cli.ManyDrawings)] {
		drawing, err := show.DrawRouting(r.name, r.routes, r.proof.Cycle, c.mostLoad())
		section := cli.Drawn("Loads under "+r.name, drawing, err)
		if r.proof.Cycle != nil {
			section.Output = cli.TextOf(func(w io.Writer) error { return show.PrintCycle(w, r.proof, r.proof.Cycle) })
		}
		p.Sections = append(p.Sections, section)
	}
	if reasons := slices.Concat(c.refusals, c.misfits); len(reasons) > 0 {
		p.Sections = append(p.Sections, page.Section{Heading: "What does not fit", Text: reasons})
	}
	return p
}

// verdict says in a sentence which routings are free of deadlock.
func (c *comparison) verdict() string {
	var free, unsafe []string
	for _, r := range c.results {
		if r.proof.DeadlockFree() {
			free = append(free, r.name)
		} else {
			unsafe = append(unsafe, r.name)
		}
	}
	for _, r := range c.choices {
		if r.proof.DeadlockFree() {
			free = append(free, r.scheme.Name())
		} else {
			unsafe = append(unsafe, r.scheme.Name())
		}
	}
	text := "Free of deadlock: " + strings.Join(free, ", ") + "."
	if len(free) == 0 {
		text = "None is free of deadlock."
	}
	if len(unsafe) > 0 {
		text += " Can deadlock: " + strings.Join(unsafe, ", ") + "."
	}
	return text
}
