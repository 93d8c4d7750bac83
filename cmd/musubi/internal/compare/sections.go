package compare

import (
	"fmt"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/page"
	"musubi/report/rows"
	"musubi/sim/machine"
)

// table is the comparison as rows, a run for each routing of a network.
func (p *comparedPage) table() []rows.Row {
	var list []rows.Row
	for _, n := range p.networks {
		list = append(list, p.partRows(n)...)
	}
	for i := range p.routings {
		if p.routings[i].routes != nil {
			list = append(list, p.routingRows(&p.routings[i])...)
		}
	}
	return list
}

// value is a metric of a row.
type value struct {
	metric, unit string
	value        float64
}

func rowsOf(run []rows.Label, values []value) []rows.Row {
	var list []rows.Row
	for _, v := range values {
		list = append(list, rows.Row{Run: run, Metric: v.metric, Unit: v.unit, Value: v.value})
	}
	return list
}

// partRows are what a network is built of, and costs.
func (p *comparedPage) partRows(n *comparedNetwork) []rows.Row {
	values := []value{{"switches", "count", float64(n.parts.Switches)}, {"cables", "count", float64(n.parts.Cables)}, {"ports", "count", float64(n.parts.Ports)}}
	if p.prices != nil {
		price, watts := p.prices.Of(n.parts)
		values = append(values, value{"cost", p.prices.Currency, price}, value{"power", "W", watts})
	}
	return rowsOf([]rows.Label{{Name: "topology", Value: n.net.Name}}, values)
}

// routingRows are what a routing of a network gives.
func (p *comparedPage) routingRows(c *compared) []rows.Row {
	var values []value
	if hops := c.routes.Statistics.Hops; !c.routes.Chooses {
		values = []value{{"mean length", "links", hops.Mean}, {"largest length", "links", float64(hops.Max)}}
	} else if c.routes.Expected != nil {
		values = []value{{"mean length", "links", c.routes.Expected.Hops}}
	}
	if row := p.jobs[0].find(c, "saturation"); row != nil {
		values = append(values, value{"saturation", row.Unit, row.Value})
	}
	for _, j := range p.jobs[1:] {
		if row := j.find(c, ""); row != nil {
			values = append(values, value{j.name, row.Unit, row.Value})
		}
	}
	for _, f := range c.routes.Failures {
		if f.Refused == 0 && (f.Load > 0 || !c.routes.Chooses) {
			values = append(values, value{"largest load when a " + f.Of + " fails", "of that before", f.Load})
		}
	}
	return rowsOf([]rows.Label{{Name: "topology", Value: c.network.net.Name}, {Name: "routing", Value: c.routing}}, values)
}

// page is the report of a comparison.
func (p *comparedPage) page(on *machine.Machine) *page.Page {
	var names, jobs []string
	for _, n := range p.networks {
		names = append(names, n.net.Name)
	}
	for _, j := range p.jobs[1:] {
		jobs = append(jobs, j.name)
	}
	report := &page.Page{
		Title:    fmt.Sprintf("Networks of %d hosts", p.size),
		Question: fmt.Sprintf("Which network suits %d hosts: %s? Jobs: %s. Machine: %s.", p.size, strings.Join(names, ", "), strings.Join(jobs, ", "), on.Name),
		Sections: []page.Section{{Heading: "What each is built of", Output: cli.TextOf(p.printNetworks)}, {Heading: "What each gives", Output: cli.TextOf(p.printRoutings)}},
	}
	report.Sections = append(report.Sections, page.Figures(p.table())...)
	for _, n := range p.networks {
		drawing, err := show.DrawNetwork(n.net)
		report.Sections = append(report.Sections, cli.Drawn("The network "+n.net.Name, drawing, err))
	}
	report.Sections = append(report.Sections, show.MachineSection(on))
	return report
}
