package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	sized "musubi/comparison"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/sweep"
	"musubi/workload"
)

// comparedPage is all that a comparison tells.
type comparedPage struct {
	size     int
	networks []*comparedNetwork
	routings []compared
	jobs     []comparedJob // uniform traffic first
	prices   *sized.Prices
}

func (p *comparedPage) print(w io.Writer) error {
	if err := p.printNetworks(w); err != nil {
		return err
	}
	if err := p.printRoutings(w); err != nil {
		return err
	}
	return p.printRefused(w)
}

// refusal is why some runs were not carried out.
type refusal struct {
	reason string
	runs   []string
}

// refusals returns the reasons why runs were not carried out, in the order of the runs.
func (p *comparedPage) refusals() []refusal {
	var all []refusal
	for _, j := range p.jobs {
		for _, r := range j.results.Runs {
			if r.Outcome.Refused == "" {
				continue
			}
			i := slices.IndexFunc(all, func(f refusal) bool { return f.reason == r.Outcome.Refused })
			if i < 0 {
				i = len(all)
				all = append(all, refusal{reason: r.Outcome.Refused})
			}
			if name := j.name + " (" + sweep.NameOf(r.At) + ")"; !slices.Contains(all[i].runs, name) {
				all[i].runs = append(all[i].runs, name)
			}
		}
	}
	return all
}

// printRefused tells each reason once, whatever the number of runs.
func (p *comparedPage) printRefused(w io.Writer) error {
	for i, f := range p.refusals() {
		if i == 0 {
			fmt.Fprint(w, "\nNot run:\n")
		}
		if err := report.Paragraph(w, "- "+strings.Join(f.runs, ", ")+": "+f.reason); err != nil {
			return err
		}
	}
	return nil
}

func (p *comparedPage) printNetworks(w io.Writer) error {
	columns := []report.Column{{Name: "network", Left: true}, {Name: "hosts"}, {Name: "switches"}, {Name: "largest", Unit: "ports"}, {Name: "cables"}, {Name: "ports"}}
	if p.prices != nil {
		columns = append(columns, report.Column{Name: "cost", Unit: p.prices.Currency}, report.Column{Name: "per host", Unit: p.prices.Currency}, report.Column{Name: "power", Unit: "kW"})
	}
	t := report.NewTable(columns...)
	for _, n := range p.networks {
		row := []report.Cell{report.Text(n.net.Name), report.Count(n.parts.Hosts), report.Count(n.parts.Switches), report.Count(n.parts.Largest), report.Count(n.parts.Cables), report.Count(n.parts.Ports)}
		if p.prices != nil {
			price, watts := p.prices.Of(n.parts)
			row = append(row, report.Fixed(price, 0), report.Fixed(price/float64(n.parts.Hosts), 0), report.Fixed(watts/1000, 1))
		}
		t.Add(row...)
	}
	if err := t.Print(w); err != nil || p.prices == nil {
		return err
	}
	return report.Paragraph(w, "Prices: "+p.prices.Source)
}

func (p *comparedPage) printRoutings(w io.Writer) error {
	columns := []report.Column{{Name: "network", Left: true}, {Name: "routing", Left: true}, {Name: "VCs"}, {Name: "mean hops"}, {Name: "max hops"}, {Name: "saturation"}}
	for _, j := range p.jobs[1:] {
		columns = append(columns, report.Column{Name: j.name, Unit: j.unit()})
	}
	columns = append(columns, report.Column{Name: "link fails"}, report.Column{Name: "switch fails"}, report.Column{Name: "hosts lost"})
	t := report.NewTable(columns...)
	for i := range p.routings {
		t.Add(p.row(&p.routings[i])...)
	}
	fmt.Fprintln(w)
	return t.Print(w)
}

func (p *comparedPage) row(c *compared) []report.Cell {
	row := []report.Cell{report.Text(c.network.net.Name), report.Text(c.routing)}
	if c.routes == nil {
		return append(row, report.None(), report.None(), report.None(), report.None())
	}
	mean, longest := report.None(), report.None()
	if hops := c.routes.Statistics.Hops; !c.routes.Chooses {
		mean, longest = report.Fixed(hops.Mean, 2), report.Count(hops.Max)
	} else if c.routes.Expected != nil {
		mean = report.Fixed(c.routes.Expected.Hops, 2)
	}
	row = append(row, report.Count(c.routes.VCs), mean, longest)
	row = append(row, saturationCell(p.jobs[0].find(c, "saturation")))
	for _, j := range p.jobs[1:] {
		row = append(row, valueOf(j.find(c, ""), 4))
	}
	for _, f := range c.routes.Failures {
		row = append(row, failureCell(c.routes, f))
	}
	return append(row, report.Count(c.routes.Failures[len(c.routes.Failures)-1].HostsLost))
}

func valueOf(row *workload.Row, digits int) report.Cell {
	if row == nil {
		return report.None()
	}
	return report.Significant(row.Value, digits)
}

// saturationCell says when even the lowest load was not carried.
func saturationCell(row *workload.Row) report.Cell {
	if row != nil && row.Value == 0 {
		return report.Text("<" + lowestLoad)
	}
	return valueOf(row, 2)
}

func failureCell(r *sized.Routes, f sized.Failure) report.Cell {
	switch {
	case f.Refused > 0:
		return report.Text(fmt.Sprintf("%d of %d refused", f.Refused, f.Tried)).Bad()
	case r.Chooses && f.Load == 0:
		return report.Text("free")
	}
	return report.Text("x" + report.Fixed(f.Load, 2).Text)
}

// find returns the result of a job on a network: the row of a metric, or the last of the first metric,
// which is of the largest size. It returns nil if the job was refused.
func (j *comparedJob) find(c *compared, metric string) *workload.Row {
	var found *workload.Row
	for i := range j.results.Means {
		row := &j.results.Means[i].Row
		if row.Label("topology") != c.network.net.Name || row.Label("routing") != c.routing {
			continue
		}
		if metric == "" {
			metric = row.Metric
		}
		if row.Metric == metric {
			found = row
		}
	}
	return found
}

// unit returns the unit of the results of a job.
func (j *comparedJob) unit() string {
	if len(j.results.Means) == 0 {
		return ""
	}
	return j.results.Means[0].Unit
}

func (p *comparedPage) object() ordered.Object {
	networks, routings := []ordered.Object{}, []ordered.Object{}
	for _, n := range p.networks {
		o := ordered.Object{{Name: "topology", Value: n.net.Name}, {Name: "parts", Value: n.parts}}
		if p.prices != nil {
			price, watts := p.prices.Of(n.parts)
			o = append(o, ordered.Field{Name: "cost", Value: price}, ordered.Field{Name: "currency", Value: p.prices.Currency}, ordered.Field{Name: "watts", Value: watts}, ordered.Field{Name: "prices", Value: p.prices.Source})
		}
		networks = append(networks, o)
	}
	for i := range p.routings {
		routings = append(routings, p.routingObject(&p.routings[i]))
	}
	return ordered.Object{{Name: "size", Value: p.size}, {Name: "networks", Value: networks}, {Name: "routings", Value: routings}}
}

func (p *comparedPage) routingObject(c *compared) ordered.Object {
	o := ordered.Object{{Name: "topology", Value: c.network.net.Name}, {Name: "routing", Value: c.routing}}
	if c.routes == nil {
		return append(o, ordered.Field{Name: "refused", Value: c.refused})
	}
	var failures []ordered.Object
	for _, f := range c.routes.Failures {
		o := ordered.Object{{Name: "of", Value: f.Of}, {Name: "tried", Value: f.Tried}, {Name: "refused", Value: f.Refused}, {Name: "hosts_lost", Value: f.HostsLost}}
		if f.Load > 0 || !c.routes.Chooses {
			o = append(o, ordered.Field{Name: "load", Value: f.Load})
		}
		failures = append(failures, o)
	}
	jobs := []ordered.Object{}
	for _, j := range p.jobs[1:] {
		if row := j.find(c, ""); row != nil {
			jobs = append(jobs, ordered.Object{{Name: "job", Value: j.name}, {Name: "metric", Value: row.Metric}, {Name: "unit", Value: row.Unit}, {Name: "bytes", Value: row.Bytes}, {Name: "value", Value: row.Value}})
		}
	}
	o = append(o, ordered.Field{Name: "virtual_channels", Value: c.routes.VCs})
	if c.routes.Chooses {
		o = append(o, ordered.Field{Name: "chooses", Value: true})
		if e := c.routes.Expected; e != nil {
			o = append(o, ordered.Field{Name: "expected_hops", Value: e.Hops})
		}
	} else {
		o = append(o, ordered.Field{Name: "hops", Value: c.routes.Statistics.Hops})
	}
	if row := p.jobs[0].find(c, "saturation"); row != nil {
		o = append(o, ordered.Field{Name: "saturation", Value: row.Value})
	}
	return append(o, ordered.Field{Name: "jobs", Value: jobs}, ordered.Field{Name: "failures", Value: failures})
}
