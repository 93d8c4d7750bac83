package run

import (
	"fmt"
	"io"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/page"
	"musubi/workload/programs"
)

// runPage is the report of a run: what was asked, the network and what its links carried, figures,
// all that the command prints of results, and the machine with its sources.
func runPage(system *musubi.System, result *musubi.Result, printed func(io.Writer) error) *page.Page {
	p := &page.Page{Title: result.Workload + " on " + result.Machine, Question: runQuestion(result)}
	p.Sections = append(p.Sections, page.Section{Heading: "What was run", Facts: cli.FactsOf(describeSystem(system, result).Lines())})
	if system.Net != nil {
		drawing, err := drawRun(system, result)
		p.Sections = append(p.Sections, cli.Drawn("The network", drawing, err))
	}
	p.Sections = append(p.Sections, page.Figures(result.Table())...)
	p.Sections = append(p.Sections, page.Section{Heading: "All results", Output: cli.TextOf(printed)})
	if !system.IsLive() {
		p.Sections = append(p.Sections, show.MachineSection(system.Machine))
	}
	return p
}

// runQuestion says in words what a run answers.
func runQuestion(result *musubi.Result) string {
	what := result.Workload
	if w, err := programs.Lookup(result.Workload); err == nil {
		what = strings.Join(strings.Fields(w.Summary), " ")
	}
	on := fmt.Sprintf("on the simulated machine %s", result.Machine)
	if result.Live {
		on = "between processes for real"
	}
	return fmt.Sprintf("What does workload %s (%s) give with %s %s?", result.Workload, what, cli.Plural(result.Ranks, "rank", "ranks"), on)
}
