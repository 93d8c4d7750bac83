package run

import (
	"fmt"
	"io"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/cmd/musubi/internal/tabulate"
	"musubi/report"
	"musubi/routing/nexthop"
)

// printRun prints what was run, the results and what the simulation took, if it was
// one.
func printRun(w io.Writer, system *musubi.System, result *musubi.Result) error {
	if err := describeSystem(system, result).Print(w); err != nil {
		return err
	}
	if err := printResults(w, result); err != nil || result.Live {
		return err
	}
	s := result.Simulation
	if s.Events == 0 {
		_, err := fmt.Fprintf(w, "\ncalculated without a simulation in %.2f s\n", s.Wall.Seconds())
		return err
	}
	_, err := fmt.Fprintf(w, "\nsimulated %v: %s events, %s packets, %s packet-hops, in %.2f s\n", s.Time,
		report.Count(s.Events).Text, report.Count(s.Packets).Text, report.Count(s.PacketHops).Text, s.Wall.Seconds())
	return err
}

// printResults prints a table of each metric, the most used links, and the steps of messages.
func printResults(w io.Writer, result *musubi.Result) error {
	rows, stages := tabulate.SplitStages(result.Rows)
	for _, g := range tabulate.Groups(rows) {
		if err := g.Print(w); err != nil {
			return err
		}
	}
	if err := printLinks(w, result.Links); err != nil {
		return err
	}
	return tabulate.PrintStages(w, stages)
}

// hottest is how many links are printed.
const hottest = 10

// printLinks prints the most used links, of several offered loads under the last.
func printLinks(w io.Writer, links []musubi.LinkUse) error {
	if len(links) == 0 {
		return nil
	}
	links = lastLinks(links)
	var columns []report.Column
	for _, l := range links[0].Labels {
		columns = append(columns, report.Column{Name: l.Name})
	}
	t := report.NewTable(append(columns, report.Column{Name: "link", Left: true}, report.Column{Name: "utilisation"})...)
	for _, l := range links[:min(len(links), hottest)] {
		var cells []report.Cell
		for _, label := range l.Labels {
			cells = append(cells, tabulate.LabelCell(label.Value))
		}
		t.Add(append(cells, report.Text(l.String()), report.Significant(l.Utilisation, 4))...)
	}
	if _, err := fmt.Fprint(w, "\nutilisation [fraction] of the hottest links\n"); err != nil {
		return err
	}
	return t.Print(w)
}

// liveTitle stands where a simulated machine has its title.
const liveTitle = musubi.Live + ": processes"

func describeSystem(system *musubi.System, result *musubi.Result) *report.Facts {
	facts := report.NewFacts()
	if result.Workload != "" {
		facts.Add("workload", report.Text(result.Workload))
	}
	if system.IsLive() {
		facts.Add("machine", report.Text(liveTitle))
	} else {
		facts.Add("machine", report.Text(system.Machine.Name+": "+system.Machine.Title))
	}
	facts.Add("ranks", report.Count(result.Ranks))
	if result.Simulation.WithoutBytes {
		facts.Add("payload", report.Text("none: data has sizes and no bytes, so nothing is checked"))
	}
	if system.Net == nil {
		return facts
	}
	facts.Add("network", report.Text(show.Describe(system.Net)))
	for _, note := range show.NotesOf(system.Net) {
		facts.Add("", report.Text("note: "+note))
	}
	name, vcs := system.RoutingVCs()
	facts.Add("routing", report.Text(fmt.Sprintf("%s with %s", name, cli.Plural(vcs, "virtual channel", "virtual channels"))))
	facts.Add("proof", proofCell(system))
	if e := result.Engine; e != nil {
		facts.Add("engine", report.Text(e.Name+": "+e.Why))
	}
	return facts
}

// choiceCell says what is proved of packets that choose.
func choiceCell(p *nexthop.Proof) report.Cell {
	if !p.DeadlockFree() {
		return report.Text(fmt.Sprintf("none: %d channels can wait for each other in a cycle", len(p.Cycle))).Bad()
	}
	among := "among"
	if p.Escape != nil {
		among = fmt.Sprintf("among those of %s to escape to:", cli.Plural(len(p.Escape), "virtual channel", "virtual channels"))
	}
	return report.Text(fmt.Sprintf("free of deadlock, whatever packets choose: no cycle %s %s of %s", among,
		cli.Plural(p.Dependencies, "dependency", "dependencies"), cli.Plural(p.Channels, "channel", "channels"))).Good()
}

// proofCell says what is proved of the routes that run.
func proofCell(system *musubi.System) report.Cell {
	p := system.Proof
	if system.Choice != nil {
		return choiceCell(system.ChoiceProof)
	}
	switch {
	case p.Structure != "":
		return report.Text("free of deadlock by structure: " + p.Structure).Good()
	case p.DeadlockFree():
		return report.Text(fmt.Sprintf("free of deadlock: no cycle among %s of %s",
			cli.Plural(p.Dependencies, "dependency", "dependencies"), cli.Plural(p.Channels, "channel", "channels"))).Good()
	case p.HostsDeadlockFree():
		return report.Text("traffic among hosts is free of deadlock; that of other end points is not").Good()
	}
	return report.Text(fmt.Sprintf("none: %d channels can wait for each other in a cycle", len(p.Cycle))).Bad()
}
