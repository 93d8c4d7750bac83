package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"musubi"
	"musubi/page"
	"musubi/picture/sheet"
	"musubi/sim/machine"
	"musubi/workload"
)

// runPage is the report of a run: what was asked, the network and what its links carried, figures,
// all that the command prints of results, and the machine with its sources.
func runPage(system *musubi.System, result *musubi.Result, printed func(io.Writer) error) *page.Page {
	p := &page.Page{Title: result.Workload + " on " + result.Machine, Question: runQuestion(result)}
	p.Sections = append(p.Sections, page.Section{Heading: "What was run", Facts: factsOf(describeSystem(system, result).Lines())})
	if system.Net != nil {
		drawing, err := drawRun(system, result)
		p.Sections = append(p.Sections, drawn("The network", drawing, err))
	}
	p.Sections = append(p.Sections, page.Figures(result.Table())...)
	p.Sections = append(p.Sections, page.Section{Heading: "All results", Output: textOf(printed)})
	if !system.IsLive() {
		p.Sections = append(p.Sections, machineSection(system.Machine))
	}
	return p
}

// runQuestion says in words what a run answers.
func runQuestion(result *musubi.Result) string {
	what := result.Workload
	if w, err := workload.Lookup(result.Workload); err == nil {
		what = strings.Join(strings.Fields(w.Summary), " ")
	}
	on := fmt.Sprintf("on the simulated machine %s", result.Machine)
	if result.Live {
		on = "between processes for real"
	}
	return fmt.Sprintf("What does workload %s (%s) give with %s %s?", result.Workload, what, plural(result.Ranks, "rank", "ranks"), on)
}

// drawn is a section with a drawing, or why there is none.
func drawn(heading string, drawing *sheet.Sheet, err error) page.Section {
	if err != nil {
		return page.Section{Heading: heading, Text: []string{"Not drawn: " + err.Error() + "."}}
	}
	return page.Section{Heading: heading, Figure: drawing}
}

// textOf is what a function prints.
func textOf(print func(io.Writer) error) string {
	var b bytes.Buffer
	if err := print(&b); err != nil {
		return err.Error()
	}
	return strings.Trim(b.String(), "\n")
}

// factsOf continues the name of a fact where lines have none.
func factsOf(lines [][2]string) []page.Fact {
	var facts []page.Fact
	for _, l := range lines {
		facts = append(facts, page.Fact{Name: l[0], Value: l[1]})
	}
	return facts
}

// machineSection lists the parameters of a machine with their sources.
func machineSection(m *machine.Machine) page.Section {
	t := &page.Table{Heads: []string{"parameter", "value", "kind", "source and note"}, Fold: true}
	for _, p := range m.Parameters() {
		t.Lines = append(t.Lines, []string{p.Key, p.Value, string(p.Kind), joined("; ", p.Source, p.Note)})
	}
	return page.Section{Heading: "The machine: " + m.Name + ", " + m.Title, Text: []string{strings.Join(strings.Fields(m.Summary), " ")}, Table: t}
}
