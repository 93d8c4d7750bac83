package loss

import (
	"fmt"
	"io"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/routing/faults"
	"musubi/topology"
)

// survey is what faults finds out.
type survey struct {
	*faults.Survey
	net    *topology.Network
	flags  *faultsFlags
	intact faults.Cost
}

// ok is the answer: each failure leaves routes that are free of deadlock for all hosts that are
// still connected. Of those that an interrupt came before nobody knows.
func (v *survey) ok() bool {
	return !v.interrupted() && v.Verdicts[faults.Deadlock]+v.Verdicts[faults.Unrouted] == 0
}

// interrupted reports whether there are failures that were not looked at.
func (v *survey) interrupted() bool { return v.Done < v.All }

// names says what fails.
func (v *survey) names(f faults.Failure) []string {
	var names []string
	for _, x := range f.Items {
		if x.Switch >= 0 {
			names = append(names, v.net.SwitchName(x.Switch))
			continue
		}
		at := v.net.Links[x.Link].A
		names = append(names, fmt.Sprintf("%s[%d]", v.net.SwitchName(at.Switch), at.Number))
	}
	return names
}

func (v *survey) print(s cli.Shared) error {
	if s.JSON {
		return ordered.WriteJSON(s.Stdout, v.document())
	}
	return v.printTable(s.Stdout)
}

func (v *survey) printTable(w io.Writer) error {
	fmt.Fprintf(w, "%s\n%s; %s\n\n", show.DescribeWithNotes(v.net), v.flags.tables.Previous+v.flags.Routing, v.busiest())
	t := report.NewTable(
		report.Column{Name: "without", Left: true},
		report.Column{Name: "hosts gone"},
		report.Column{Name: "pairs lost"},
		report.Column{Name: "outcome", Left: true},
		report.Column{Name: "used"},
		report.Column{Name: "changed"},
		report.Column{Name: "added"},
		report.Column{Name: "max load"},
	)
	for _, f := range v.shown() {
		lost := report.Count(f.Apart)
		if f.Apart > 0 {
			lost = lost.Bad()
		}
		t.Add(report.Text(strings.Join(v.names(f), ", ")), report.Count(f.HostsGone), lost, outcomeOf(f.Cost),
			count(f.Affected), count(f.Changed), count(f.Added), v.load(f))
	}
	if err := t.Print(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, f := range v.shown() {
		if f.Reason != "" {
			fmt.Fprintf(w, "%s: %s\n", strings.Join(v.names(f), ", "), f.Reason)
		}
	}
	return report.Paragraph(w, v.summary())
}

// busiest says what the busiest link carries while nothing fails.
func (v *survey) busiest() string {
	if v.flags.chooses() {
		return "packets choose as they go, so no load of links is known"
	}
	return fmt.Sprintf("the busiest link carries %s of hosts in one direction", cli.Plural(v.intact.Most, "pair", "pairs"))
}

// load is that of the busiest link after a failure, if it is known.
func (v *survey) load(f faults.Failure) report.Cell {
	if v.flags.chooses() {
		return report.None()
	}
	return report.Count(f.Most)
}

// count is a number, or nothing for 0.
func count(n int) report.Cell {
	if n == 0 {
		return report.None()
	}
	return report.Count(n)
}

func outcomeOf(c faults.Cost) report.Cell {
	switch {
	case c.Cycle > 0:
		return report.Text(fmt.Sprintf("cycle of %d", c.Cycle)).Bad()
	case c.Verdict == faults.Unrouted:
		return report.Text(c.Verdict.String()).Bad()
	case c.Verdict <= faults.Widened:
		return report.Text(c.Verdict.String()).Good()
	}
	return report.Text(c.Verdict.String())
}

// summary counts the failures.
func (v *survey) summary() string {
	kind := "single failures"
	if v.flags.Double {
		kind = "pairs of failures"
	}
	number := report.Count(v.Done).Text
	if v.interrupted() {
		number = fmt.Sprintf("Interrupted after %s of %s", number, report.Count(v.All).Text)
	}
	text := fmt.Sprintf("%s %s: %s disconnect hosts that are left.", number, kind, report.Count(v.Apart).Text)
	var parts []string
	for i, n := range v.Verdicts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %v", report.Count(n).Text, faults.Verdict(i)))
		}
	}
	return text + " Outcomes: " + strings.Join(parts, ", ") + "."
}

// faultSurvey is the JSON of the faults command. Switches are given by ID.
type faultSurvey struct {
	Topology string           `json:"topology"`
	Tables   any              `json:"tables"`
	Routing  any              `json:"routing"`
	React    string           `json:"react"`
	OK       bool             `json:"ok"`
	Intact   int64            `json:"intact_max_load"`
	Failures int64            `json:"failures"`
	All      int64            `json:"all"` // failures; an interrupt leaves some out
	Apart    int64            `json:"disconnecting"`
	Outcomes map[string]int64 `json:"outcomes"`
	Worst    []faultJSON      `json:"worst"`
}

type faultJSON struct {
	Without   []itemJSON         `json:"without"`
	HostsGone int                `json:"hosts_gone"`
	LostPairs int64              `json:"lost_pairs"`
	Outcome   string             `json:"outcome"`
	Cycle     int                `json:"cycle"` // length, 0 for none
	Reason    any                `json:"reason"`
	Affected  int                `json:"affected"`
	Changed   int                `json:"changed"`
	Added     int                `json:"added"`
	MaxLoad   int64              `json:"max_load"`
	Busiest   *show.CycleChannel `json:"busiest"`
}

// itemJSON is a switch, or a link by one of its ends.
type itemJSON struct {
	Switch string `json:"switch"`
	Port   any    `json:"port"` // null: the switch itself
}

func (v *survey) document() faultSurvey {
	doc := faultSurvey{
		Topology: v.net.Name, Tables: ordered.OrNull(v.flags.tables.Previous), Routing: ordered.OrNull(v.flags.Routing), React: v.react(),
		OK: v.ok(), Intact: v.intact.Most, Failures: v.Done, All: v.All, Apart: v.Apart, Outcomes: map[string]int64{}, Worst: []faultJSON{},
	}
	for i, n := range v.Verdicts {
		doc.Outcomes[faults.Verdict(i).String()] = n
	}
	for _, f := range v.shown() {
		doc.Worst = append(doc.Worst, v.faultJSON(f))
	}
	return doc
}

// react is what follows a failure.
func (v *survey) react() string {
	if v.flags.anew() {
		return byRouting
	}
	return v.flags.React
}

func (v *survey) faultJSON(f faults.Failure) faultJSON {
	x := faultJSON{
		HostsGone: f.HostsGone, LostPairs: f.Apart, Outcome: f.Verdict.String(), Cycle: f.Cycle, Reason: ordered.OrNull(f.Reason),
		Affected: f.Affected, Changed: f.Changed, Added: f.Added, MaxLoad: f.Most,
	}
	for _, i := range f.Items {
		if i.Switch >= 0 {
			x.Without = append(x.Without, itemJSON{v.net.Switches[i.Switch].ID, nil})
			continue
		}
		at := v.net.Links[i.Link].A
		x.Without = append(x.Without, itemJSON{v.net.Switches[at.Switch].ID, at.Number})
	}
	if f.Busiest >= 0 {
		c := show.NewCycleChannel(v.net, f.Busiest, 0)
		x.Busiest = &c
	}
	return x
}
