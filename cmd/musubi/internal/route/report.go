package route

import (
	"fmt"
	"io"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/routing"
)

// comparisonRow is a routing in the JSON of the route command.
type comparisonRow struct {
	Routing         string                 `json:"routing"`
	VirtualChannels int                    `json:"virtual_channels"`
	DeadlockFree    bool                   `json:"deadlock_free"`
	Cycle           []show.CycleChannel    `json:"cycle"`
	Pairs           int64                  `json:"pairs"`
	Unreachable     int64                  `json:"unreachable"`
	Hops            routing.HopStatistics  `json:"hops"`
	MinimalFraction float64                `json:"minimal_fraction"`
	ChannelLoad     routing.LoadStatistics `json:"channel_load"`
	Structure       string                 `json:"structure,omitempty"`
	Seconds         float64                `json:"seconds"`
}

func (r *result) row() comparisonRow {
	st := r.statistics
	return comparisonRow{
		Routing: r.name, VirtualChannels: r.vcs,
		DeadlockFree: r.proof.DeadlockFree(), Cycle: show.CycleChannels(r.proof),
		Pairs: st.Pairs, Unreachable: st.Unreachable, Hops: st.Hops,
		MinimalFraction: st.MinimalFraction, ChannelLoad: st.ChannelLoad,
		Structure: r.proof.Structure, Seconds: r.elapsed.Seconds(),
	}
}

// print writes the comparison as a table or as JSON.
func (c *comparison) print(s cli.Shared) error {
	if !s.JSON {
		return c.printTable(s.Stdout)
	}
	for _, note := range show.NotesOf(c.net) {
		s.Note("%s: %s", c.net.Name, note)
	}
	for _, reason := range c.refusals {
		s.Note("left out: %s", reason)
	}
	for _, reason := range c.advice {
		s.Note("suits the network badly: %s", reason)
	}
	for _, reason := range c.misfits {
		s.Note("does not fit the switches of %s: %s", c.machine.Name, reason)
	}
	rows := make([]any, 0, len(c.results)+len(c.choices))
	for _, r := range c.results {
		rows = append(rows, r.row())
	}
	for _, r := range c.choices {
		rows = append(rows, r.row())
	}
	return ordered.WriteJSON(s.Stdout, rows)
}

func (c *comparison) printTable(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", show.DescribeWithNotes(c.net))
	if len(c.choices) > 0 {
		if err := c.printChoices(w); err != nil || len(c.results) == 0 {
			return err
		}
		fmt.Fprintln(w)
	}
	t := report.NewTable(
		report.Column{Name: "routing", Left: true},
		report.Column{Name: "VCs"},
		report.Column{Name: "deadlock", Left: true},
		report.Column{Name: "pairs"},
		report.Column{Name: "unreachable"},
		report.Column{Name: "mean hops"},
		report.Column{Name: "max hops"},
		report.Column{Name: "minimal", Unit: "%"},
		report.Column{Name: "mean load"},
		report.Column{Name: "max load"},
		report.Column{Name: "time", Unit: "s"},
	)
	for _, r := range c.results {
		st := r.statistics
		unreachable := report.Count(st.Unreachable)
		if st.Unreachable > 0 {
			unreachable = unreachable.Bad()
		}
		t.Add(report.Text(r.name), report.Count(r.vcs), show.Verdict(r.proof),
			report.Count(st.Pairs), unreachable,
			report.Fixed(st.Hops.Mean, 2), report.Count(st.Hops.Max), report.Percent(st.MinimalFraction),
			report.Fixed(st.ChannelLoad.Mean, 1), report.Count(st.ChannelLoad.Max),
			report.Fixed(r.elapsed.Seconds(), 4))
	}
	if err := t.Print(w); err != nil {
		return err
	}
	for _, r := range c.results {
		if r.proof.Structure != "" {
			fmt.Fprintf(w, "\n%s is proved from its structure: %s.\n", r.name, r.proof.Structure)
		}
		if !r.proof.DeadlockFree() {
			fmt.Fprintf(w, "\n%s can deadlock. ", r.name)
			if err := show.PrintCycle(w, r.proof, r.proof.Cycle); err != nil {
				return err
			}
		}
	}
	printReasons(w, "Suits this network badly:", c.advice)
	printReasons(w, "Does not fit this network:", c.refusals)
	if c.machine != nil {
		printReasons(w, "Does not fit the switches of "+c.machine.Name+":", c.misfits)
	}
	return nil
}

func printReasons(w io.Writer, title string, reasons []string) {
	if len(reasons) > 0 {
		fmt.Fprintf(w, "\n%s\n  %s\n", title, strings.Join(reasons, "\n  "))
	}
}
