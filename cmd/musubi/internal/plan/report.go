package plan

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"musubi"
	"musubi/report"
	"musubi/rings"
	"musubi/units"
)

// print prints what is planned for what, and the comparison.
func (p *ringPlan) print(w io.Writer) error {
	facts := report.NewFacts()
	facts.Add("record", report.Text(p.from))
	if s, err := musubi.Recorded(p.record); err == nil && s.Workload != "" {
		facts.Add("of", report.Text(describeScenario(s)))
	}
	facts.Add("ranks", report.Count(p.area.Ranks))
	facts.Add("packet", report.Text(units.Bytes(p.record.Packet).String()))
	facts.Add("budget", report.Text(p.budget.String()+" for the receive rings of each process"))
	if err := facts.Print(w); err != nil {
		return err
	}
	for _, part := range []struct {
		title string
		table *report.Table
	}{
		{"rings needed, if all have one size", p.areaTable()},
		{"rings planned", p.classTable()},
		{"stalls", p.stallTable()},
	} {
		if _, err := fmt.Fprintf(w, "\n%s\n", part.title); err != nil {
			return err
		}
		if err := part.table.Print(w); err != nil {
			return err
		}
	}
	for _, c := range p.compare {
		if c.reason == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", c.name, c.reason); err != nil {
			return err
		}
	}
	return nil
}

// describeScenario says in one line what was run.
func describeScenario(s musubi.Scenario) string {
	text := s.Workload + " on " + s.Machine
	for _, name := range slices.Sorted(maps.Keys(s.Set)) {
		text += " " + name + "=" + s.Set[name]
	}
	return text
}

// areaTable is the table of Kitamura et al. (2006) for the recorded run.
func (p *ringPlan) areaTable() *report.Table {
	t := report.NewTable(
		report.Column{Name: "partners at most"}, report.Column{Name: "typically"}, report.Column{Name: "rings"},
		report.Column{Name: "private for all"}, report.Column{Name: "area", Unit: "%"}, report.Column{Name: "reduction", Unit: "%"})
	a := p.area
	t.Add(report.Count(a.Partners), report.Count(a.Typical), report.Count(a.Rings), report.Count(a.Ranks),
		report.Percent(a.Fraction()), report.Percent(1-a.Fraction()))
	return t
}

func (p *ringPlan) classTable() *report.Table {
	t := report.NewTable(
		report.Column{Name: "processes"}, report.Column{Name: "partners"}, report.Column{Name: "private rings"},
		report.Column{Name: "size", Unit: "B"}, report.Column{Name: "shared ring", Unit: "B"})
	for _, c := range rings.Classes(p.record, p.rings) {
		t.Add(report.Count(c.Processes), report.Count(c.Senders), report.Count(c.Private), rangeCell(c.Size), rangeCell(c.Shared))
	}
	return t
}

// rangeCell is one size, or the smallest and the largest of several.
func rangeCell(r rings.Range) report.Cell {
	switch {
	case r.Max == 0:
		return report.None()
	case r.Min == r.Max:
		return report.Count(r.Min)
	}
	return report.Text(report.Count(r.Min).Text + " to " + report.Count(r.Max).Text)
}

func (p *ringPlan) stallTable() *report.Table {
	t := report.NewTable(
		report.Column{Name: "rings", Left: true}, report.Column{Name: "predicted lack", Unit: "packets"},
		report.Column{Name: "stalls"}, report.Column{Name: "stall time", Unit: "us"}, report.Column{Name: "run", Unit: "us"})
	for _, c := range p.compare {
		lack, stalls, stalled, run := report.None(), report.None(), report.None(), report.None()
		if c.rings != nil {
			lack = report.Count(c.predicted)
		}
		if r := c.result; r != nil {
			stalls, stalled = report.Count(r.Rings.Stalls), report.Fixed(r.Rings.StallTime.Microseconds(), 2)
			run = report.Fixed(r.Simulation.Time.Microseconds(), 2)
		}
		t.Add(report.Text(c.name), lack, stalls, stalled, run)
	}
	return t
}
