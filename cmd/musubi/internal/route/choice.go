package route

import (
	"fmt"
	"io"
	"strings"
	"time"

	"musubi/cmd/musubi/internal/show"
	"musubi/report"
	"musubi/report/rows"
	"musubi/routing/adaptive"
	"musubi/routing/nexthop"
)

// choice is a routing whose packets choose as they go, with its proof.
type choice struct {
	scheme  adaptive.Scheme
	proof   *nexthop.Proof
	elapsed time.Duration // to prepare and prove the routing
}

// choiceRow is such a routing in the JSON of the route command.
type choiceRow struct {
	Routing         string              `json:"routing"`
	VirtualChannels int                 `json:"virtual_channels"`
	DeadlockFree    bool                `json:"deadlock_free"`
	Cycle           []show.CycleChannel `json:"cycle"`
	Pairs           int64               `json:"pairs"`
	Unreachable     int64               `json:"unreachable"`
	Chooses         bool                `json:"chooses"`
	Channels        int                 `json:"channels"`
	Dependencies    int                 `json:"dependencies"`
	Escape          []int               `json:"escape"`
	Seconds         float64             `json:"seconds"`
}

// choose prepares a routing whose packets choose, and proves it.
func (c *comparison) choose(name string, seed uint64) error {
	start := time.Now()
	scheme, err := adaptive.Build(name, c.net, adaptive.Options{Seed: seed})
	if err != nil {
		return err
	}
	c.choices = append(c.choices, choice{scheme, adaptive.Prove(scheme), time.Since(start)})
	return nil
}

func (c *choice) row() choiceRow {
	p := c.proof
	row := choiceRow{
		Routing: c.scheme.Name(), VirtualChannels: c.scheme.VCs(), DeadlockFree: p.DeadlockFree(), Pairs: p.Pairs, Unreachable: p.Unreachable,
		Chooses: true, Channels: p.Channels, Dependencies: p.Dependencies, Escape: p.Escape, Seconds: c.elapsed.Seconds(),
	}
	for _, d := range p.Cycle {
		row.Cycle = append(row.Cycle, show.NewCycleChannel(p.Rules.Network(), d.Channel, d.Lane))
	}
	return row
}

// values is the routing as rows.
func (c *choice) values(network string) []rows.Row {
	var list []rows.Row
	for _, v := range []struct {
		metric string
		value  int
	}{{"virtual channels", c.scheme.VCs()}, {"channels", c.proof.Channels}, {"dependencies", c.proof.Dependencies}} {
		run := []rows.Label{{Name: "topology", Value: network}, {Name: "routing", Value: c.scheme.Name()}}
		list = append(list, rows.Row{Run: run, Metric: v.metric, Unit: "count", Value: float64(v.value)})
	}
	return list
}

// printChoices prints the routings whose packets choose.
func (c *comparison) printChoices(w io.Writer) error {
	t := report.NewTable(
		report.Column{Name: "routing", Left: true},
		report.Column{Name: "VCs"},
		report.Column{Name: "deadlock", Left: true},
		report.Column{Name: "pairs"},
		report.Column{Name: "unreachable"},
		report.Column{Name: "channels"},
		report.Column{Name: "dependencies"},
		report.Column{Name: "escape", Left: true},
		report.Column{Name: "time", Unit: "s"},
	)
	for _, r := range c.choices {
		verdict := report.Text("free").Good()
		if !r.proof.DeadlockFree() {
			verdict = report.Text("cycle").Bad()
		}
		t.Add(report.Text(r.scheme.Name()), report.Count(r.scheme.VCs()), verdict, report.Count(r.proof.Pairs), report.Count(r.proof.Unreachable),
			report.Count(r.proof.Channels), report.Count(r.proof.Dependencies), report.Text(lanesOf(r.proof)), report.Fixed(r.elapsed.Seconds(), 4))
	}
	if err := t.Print(w); err != nil {
		return err
	}
	for _, r := range c.choices {
		if r.proof.DeadlockFree() {
			continue
		}
		fmt.Fprintf(w, "\n%s can deadlock. ", r.scheme.Name())
		if err := show.PrintChoiceCycle(w, r.proof); err != nil {
			return err
		}
	}
	return nil
}

// lanesOf names the virtual channels to escape to.
func lanesOf(p *nexthop.Proof) string {
	if p.Escape == nil {
		return "-"
	}
	var names []string
	for _, lane := range p.Escape {
		names = append(names, p.Rules.LaneName(lane))
	}
	return strings.Join(names, ", ")
}

// refuseChoices fails if what is asked for needs paths.
func (f *routeFlags) refuseChoices(name string) error {
	for _, o := range []struct{ flag, value string }{{"export", f.export.Form}, {"draw", f.draw.Draw}} {
		if o.value != "" {
			return fmt.Errorf("--%s %s: packets of routing %s choose as they go and have no paths", o.flag, o.value, name)
		}
	}
	return nil
}
