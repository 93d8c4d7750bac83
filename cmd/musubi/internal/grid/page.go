package grid

import (
	"fmt"
	"io"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/cmd/musubi/internal/show"
	"musubi/page"
	"musubi/sim/machine"
	"musubi/sweep"
	"musubi/topology"
	"musubi/workload/programs"
)

// gridPage is the report of a grid: what was asked and run, the networks, figures, all that the command prints,
// and the machines with their sources.
func gridPage(g sweep.Grid, results *sweep.Results) *page.Page {
	p := &page.Page{Title: g.Base.Workload + ", " + cli.Plural(len(results.Runs), "run", "runs"), Question: question(g, results)}
	facts := [][2]string{{"workload", g.Base.Workload}}
	for _, a := range results.Axes {
		facts = append(facts, [2]string{a.Label(), strings.Join(a.Values, ", ")})
	}
	facts = append(facts, [2]string{"runs", fmt.Sprint(len(results.Runs))})
	p.Sections = append(p.Sections, page.Section{Heading: "What was run", Facts: cli.FactsOf(facts)})
	p.Sections = append(p.Sections, page.Figures(results.Table())...)
	p.Sections = append(p.Sections, page.Section{Heading: "All results", Output: cli.TextOf(func(w io.Writer) error { return printGrid(w, g, results) })})
	networks, machines := builtOf(g)
	for _, net := range networks[:min(len(networks), cli.ManyDrawings)] {
		drawing, err := show.DrawNetwork(net)
		section := cli.Drawn("The network "+net.Name, drawing, err)
		section.Facts = cli.FactsOf([][2]string{{"topology", show.DescribeWithNotes(net)}})
		p.Sections = append(p.Sections, section)
	}
	for _, m := range machines {
		p.Sections = append(p.Sections, show.MachineSection(m))
	}
	return p
}

// question says in words what a grid answers.
func question(g sweep.Grid, results *sweep.Results) string {
	what := g.Base.Workload
	if w, err := programs.Lookup(what); err == nil {
		what += " (" + strings.Join(strings.Fields(w.Summary), " ") + ")"
	}
	var axes []string
	for _, a := range results.Axes {
		axes = append(axes, fmt.Sprintf("%s (%s)", a.Label(), strings.Join(a.Values, ", ")))
	}
	text := fmt.Sprintf("What does workload %s give", what)
	if len(axes) > 0 {
		text += " by " + strings.Join(axes, " and ")
	}
	if g.Base.Machine != "" {
		text += " on " + g.Base.Machine
	}
	return text + "?"
}

// builtOf returns the networks and the machines of the points of a grid, each once. Those that cannot be opened
// are told of by their runs.
func builtOf(g sweep.Grid) (networks []*topology.Network, machines []*machine.Machine) {
	points, err := g.Points()
	if err != nil {
		return nil, nil
	}
	known := map[string]*machine.Machine{musubi.Live: nil}
	drawn := map[string]bool{}
	for _, point := range points {
		s := point.Scenario
		m, tried := known[s.Machine]
		if !tried {
			if m, err = open.Machine(s.Machine); err != nil {
				m = nil
			}
			if known[s.Machine] = m; m != nil {
				machines = append(machines, m)
			}
		}
		if name := fmt.Sprint(s.Machine, " ", s.Topology, " ", s.Hosts); m != nil && m.HasNetwork() && !drawn[name] {
			drawn[name] = true
			if net, err := open.Network(s, m); err == nil {
				networks = append(networks, net)
			}
		}
	}
	return networks, machines
}
