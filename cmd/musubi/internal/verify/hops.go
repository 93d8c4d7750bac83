package verify

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/routing/nexthop"
	"musubi/topology"
	"musubi/watch"
)

// choices is what verify finds out about tables with sets of next hops.
type choices struct {
	tables     string // file
	proof      *nexthop.Proof
	notes      []string // what the tables tell besides
	groups     *groups  // of multicast tables that were read besides, if any
	notCovered []string // what the answer says nothing about
}

// choicesJSON is the JSON of verify for sets of next hops. Pairs are ordered pairs of an end point
// and another one. Unreachable are those whose packets need not arrive. Lanes are classes of
// Ethernet or virtual lanes of InfiniBand.
type choicesJSON struct {
	Topology     string         `json:"topology"`
	Tables       string         `json:"tables"`
	OK           bool           `json:"ok"`
	Lanes        []string       `json:"lanes"`
	Pairs        int64          `json:"pairs"`
	Unreachable  int64          `json:"unreachable"`
	Faults       []choiceFault  `json:"faults"`
	LoopCure     *loopCureJSON  `json:"loop_cure"`
	DeadlockFree bool           `json:"deadlock_free"`
	Cycle        []choiceHeld   `json:"cycle"`
	Shortest     bool           `json:"cycle_is_shortest"`
	CycleCure    *cycleCureJSON `json:"cycle_cure"`
	Escape       []string       `json:"escape"` // lanes to which each packet can escape
	Channels     int            `json:"channels"`
	Dependencies int            `json:"dependencies"`
	Groups       []groupJSON    `json:"groups,omitempty"` // of multicast tables
	Notes        []string       `json:"notes"`
	NotCovered   []string       `json:"not_covered"`
}

type choiceFault struct {
	Kind         string     `json:"kind"`
	Pairs        int64      `json:"pairs"`
	Destinations int        `json:"destinations"`
	Flow         choiceFlow `json:"flow"`
}

// choiceFlow is packets of an end point and a way that they may take.
type choiceFlow struct {
	From     string   `json:"from"`
	To       string   `json:"to"`
	Switches []string `json:"switches"`
}

type choiceChannel struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Lane     string `json:"lane"`
	FromPort int    `json:"from_port"`
	ToPort   int    `json:"to_port"`
}

type choiceHeld struct {
	choiceChannel
	Destinations int        `json:"destinations"`
	Flow         choiceFlow `json:"path"`
}

type loopCureJSON struct {
	Destination string          `json:"destination"`
	TakeOut     []choiceChannel `json:"take_out"`
	Least       bool            `json:"least"`
	Unreachable int64           `json:"unreachable"`
}

type cycleCureJSON struct {
	Turns     []choiceTurn `json:"turns"`
	Least     bool         `json:"least"`
	MoreLanes int          `json:"more_lossless_lanes"`
}

type choiceTurn struct {
	At           string `json:"at"`
	From         string `json:"from"`
	To           string `json:"to"`
	Lane         string `json:"lane"`
	Destinations int    `json:"destinations"`
}

func (c *choices) print(s cli.Shared) error {
	if s.JSON {
		return ordered.WriteJSON(s.Stdout, c.json())
	}
	return c.printText(s.Stdout)
}

func (c *choices) ok() bool { return c.proof.OK() && c.groups.ok() }

// summary is what monitoring is told.
func (c *choices) summary() watch.Verdict {
	return c.groups.addTo(watch.Verdict{OK: c.proof.OK(), Pairs: c.proof.Pairs, Lost: c.proof.Unreachable, Cycle: len(c.proof.Cycle)})
}

func (c *choices) net() *topology.Network { return c.proof.Rules.Network() }

// escape names the lanes to which each packet can escape.
func (c *choices) escape() []string {
	names := []string{}
	for _, lane := range c.proof.Escape {
		names = append(names, c.proof.Rules.LaneName(lane))
	}
	return names
}

func (c *choices) json() choicesJSON {
	p := c.proof
	v := choicesJSON{
		Topology: c.net().Name, Tables: c.tables, OK: c.ok(), Pairs: p.Pairs, Unreachable: p.Unreachable, Faults: []choiceFault{}, Escape: c.escape(),
		DeadlockFree: p.DeadlockFree(), Shortest: p.Shortest, Channels: p.Channels, Dependencies: p.Dependencies,
		Groups: c.groups.rows(), Notes: append([]string{}, c.notes...), NotCovered: append([]string{}, c.notCovered...),
	}
	for lane := range p.Rules.Lanes() {
		v.Lanes = append(v.Lanes, p.Rules.LaneName(lane))
	}
	for _, f := range p.Faults {
		v.Faults = append(v.Faults, choiceFault{f.Outcome.String(), f.Pairs, f.Headings, c.flow(f.Flow, switchID)})
	}
	for _, d := range p.Cycle {
		v.Cycle = append(v.Cycle, choiceHeld{c.channel(nexthop.Step{Channel: int32(d.Channel), Lane: uint8(d.Lane)}), d.Headings, c.flow(d.Flow, switchID)})
	}
	if l := p.LoopCure; l != nil {
		v.LoopCure = &loopCureJSON{p.Rules.HeadingName(l.Heading), []choiceChannel{}, l.Least, l.Unreachable}
		for _, cut := range l.Cuts {
			v.LoopCure.TakeOut = append(v.LoopCure.TakeOut, c.channel(nexthop.Step{Channel: cut.Channel}))
		}
	}
	if cure := p.CycleCure; cure != nil {
		v.CycleCure = &cycleCureJSON{[]choiceTurn{}, cure.Least, cure.MoreLanes}
		for _, t := range cure.Turns {
			from, to := c.channel(t.From), c.channel(t.To)
			v.CycleCure.Turns = append(v.CycleCure.Turns, choiceTurn{to.From, from.From, to.To, from.Lane, t.Headings})
		}
	}
	return v
}

func switchID(net *topology.Network, sw int) string { return net.Switches[sw].ID }

func (c *choices) channel(s nexthop.Step) choiceChannel {
	from, to := c.net().From(int(s.Channel)), c.net().To(int(s.Channel))
	return choiceChannel{c.net().Switches[from.Switch].ID, c.net().Switches[to.Switch].ID, c.proof.Rules.LaneName(int(s.Lane)), from.Number, to.Number}
}

func (c *choices) flow(f nexthop.Flow, name func(*topology.Network, int) string) choiceFlow {
	return choiceFlow{c.net().EndPointName(int(f.Source)), c.proof.Rules.HeadingName(f.Heading), show.SwitchesOfFlow(c.net(), f, name)}
}

func (c *choices) printText(w io.Writer) error {
	p := c.proof
	lanes := make([]string, p.Rules.Lanes())
	for i := range lanes {
		lanes[i] = p.Rules.LaneName(i)
	}
	fmt.Fprintf(w, "%s\n%s: sets of next hops, %s; %s among %s\n", show.DescribeWithNotes(c.net()), c.tables, strings.Join(lanes, ", "),
		cli.Plural(p.Dependencies, "dependency", "dependencies"), cli.Plural(p.Channels, "channel", "channels"))
	if escape := c.escape(); len(escape) > 0 {
		fmt.Fprintf(w, "  escape: whatever packets wait for, each can go on by %s, which %s no cycle\n", strings.Join(escape, ", "),
			map[bool]string{true: "has", false: "have"}[len(escape) == 1])
	}
	for _, note := range c.notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	fmt.Fprintln(w)
	c.printFaults(w)
	if err := show.PrintChoiceCycle(w, p); err != nil {
		return err
	}
	if err := cmp.Or(report.Paragraph(w, c.verdict()), c.groups.printBelow(w)); err != nil {
		return err
	}
	return printNotCovered(w, c.notCovered)
}

func (c *choices) printFaults(w io.Writer) {
	p := c.proof
	for _, f := range p.Faults {
		flow := c.flow(f.Flow, (*topology.Network).SwitchName)
		fmt.Fprintf(w, "%v: %s to %s, such as %s -> %s, by way of %s\n", f.Outcome, cli.Plural(f.Pairs, "pair", "pairs"),
			cli.Plural(f.Headings, "destination", "destinations"), flow.From, flow.To, strings.Join(flow.Switches, ", "))
		if cure := p.LoopCure; f.Outcome == nexthop.Loop && cure != nil {
			which := "a cure"
			if cure.Least {
				which = "the least cure"
			}
			fmt.Fprintf(w, "  %s of %s is to take out as next hop: %s\n", which, flow.To, c.cuts(cure))
		}
	}
	if len(p.Faults) > 0 {
		fmt.Fprintln(w)
	}
}

// cuts says which next hops a cure of loops takes out.
func (c *choices) cuts(cure *nexthop.LoopCure) string {
	var list []string
	for _, cut := range cure.Cuts {
		from, to := c.net().From(int(cut.Channel)), c.net().To(int(cut.Channel))
		list = append(list, fmt.Sprintf("%s at %s[%d]", c.net().SwitchName(to.Switch), c.net().SwitchName(from.Switch), from.Number))
	}
	text := strings.Join(list, "; ")
	if cure.Unreachable > 0 {
		text += fmt.Sprintf("; %s then still not sure to arrive", cli.Plural(cure.Unreachable, "pair is", "pairs are"))
	}
	return text
}

// verdict is the answer in a sentence.
func (c *choices) verdict() string {
	p := c.proof
	if p.OK() {
		yes := "Yes: "
		if len(c.net().LeftOut) > 0 {
			yes = "Yes, but for what is left out below: "
		}
		return yes + fmt.Sprintf("whatever next hops they take, packets of all %s arrive, and no deadlock is possible.", cli.Plural(p.Pairs, "pair", "pairs"))
	}
	var faults []string
	if p.Unreachable > 0 {
		faults = append(faults, fmt.Sprintf("packets of %s of %s pairs need not arrive", report.Count(p.Unreachable).Text, report.Count(p.Pairs).Text))
	}
	if !p.DeadlockFree() {
		faults = append(faults, "a deadlock is possible")
	}
	return "No: " + strings.Join(faults, ", and ") + "."
}
