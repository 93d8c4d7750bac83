package loss

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/routing"
	"musubi/routing/change"
	"musubi/routing/tables"
	"musubi/topology"
)

// assessment is what reroute finds out.
type assessment struct {
	previous, next string
	without        []string
	result         *change.Result
	tables         *tables.InfiniBand // the new ones, on what is left
	before, after  state
	transition     *change.Transition
	order          *change.Order    // nil: it does not matter
	remedies       []*change.Remedy // with and without lanes, if they are needed
}

// state is a fabric with tables.
type state struct {
	proof *routing.Proof
	st    routing.Statistics
}

func stateOf(t *tables.InfiniBand) (state, error) {
	routes, err := t.Routes()
	if err != nil {
		return state{}, err
	}
	return state{routing.Verify(routes[0], routes[1:]...), routes[0].Statistics()}, nil
}

func assess(f *rerouteFlags, r *change.Result, t *change.Transition) (a *assessment, err error) {
	a = &assessment{previous: f.tables.Previous, next: f.Next, without: f.Without, result: r, transition: t}
	if a.tables, err = r.Tables(); err != nil {
		return nil, err
	}
	if a.before, err = stateOf(r.Old.Tables); err != nil {
		return nil, err
	}
	if a.after, err = stateOf(a.tables); err != nil {
		return nil, err
	}
	if t.AnyOrder() || !t.OldFree || !t.NewFree {
		return a, nil
	}
	order := t.FindOrder()
	a.order = &order
	if lanes := t.FindRemedy(f.VLs); len(lanes.Move) > 0 {
		a.remedies = append(a.remedies, lanes)
	}
	a.remedies = append(a.remedies, t.FindRemedy(0))
	return a, nil
}

// ok is the answer: the new tables are sound, and switches may change in any order.
func (a *assessment) ok() bool { return a.after.proof.OK() && a.transition.AnyOrder() }

// maxDifferences is how many entries that change are printed at most.
const maxDifferences = 16

func (a *assessment) print(s cli.Shared) error {
	if s.JSON {
		return ordered.WriteJSON(s.Stdout, a.document())
	}
	w, r := s.Stdout, a.result
	fmt.Fprintf(w, "%s\n%s", show.DescribeWithNotes(r.Old.Net), a.previous)
	if len(a.without) > 0 {
		fmt.Fprintf(w, ", without %s", strings.Join(a.without, ", "))
	}
	fmt.Fprint(w, "\n\n")
	if err := a.printStates(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := report.Paragraph(w, a.difference()); err != nil {
		return err
	}
	if err := a.printChanges(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if !a.after.proof.DeadlockFree() {
		if err := show.PrintCycle(w, a.after.proof, a.after.proof.Cycle); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if a.result.NotAnew != nil {
		fmt.Fprintf(w, "%s left without a way, and a new routing does not help: %v.\n", cli.Plural(len(r.Stuck), "entry is", "entries are"), r.NotAnew)
	}
	return a.printTransition(w)
}

func (a *assessment) printStates(w io.Writer) error {
	t := report.NewTable(
		report.Column{Name: "tables", Left: true},
		report.Column{Name: "deadlock", Left: true},
		report.Column{Name: "pairs"},
		report.Column{Name: "unreachable"},
		report.Column{Name: "mean hops"},
		report.Column{Name: "max load"},
	)
	for _, x := range []struct {
		name string
		state
	}{{"before", a.before}, {"after", a.after}} {
		unreachable := report.Count(x.proof.Unreachable)
		if x.proof.Unreachable > 0 {
			unreachable = unreachable.Bad()
		}
		t.Add(report.Text(x.name), show.Verdict(x.proof), report.Count(x.proof.Pairs), unreachable, report.Fixed(x.st.Hops.Mean, 2), report.Count(x.st.ChannelLoad.Max))
	}
	return t.Print(w)
}

// difference says how much changes.
func (a *assessment) difference() string {
	r := a.result
	text := fmt.Sprintf("Of %s, %s used what has gone, and %s.",
		cli.Plural(r.Entries, "entry to end points", "entries to end points"), report.Count(r.Affected).Text, cli.Plural(r.Changed, "changes", "change"))
	if r.Added > 0 {
		text += fmt.Sprintf(" %s where there was none.", cli.Plural(r.Added, "entry is new", "entries are new"))
	}
	if own := len(r.Changes) - r.Changed - r.Added; own > 0 {
		text += fmt.Sprintf(" %s to switches, which serve management.", cli.Plural(own, "more entry leads", "more entries lead"))
	}
	if len(r.Moves) > 0 {
		text += fmt.Sprintf(" %s to another service level.", cli.Plural(len(r.Moves), "path moves", "paths move"))
	}
	if r.Anew {
		text += " No repair was found that keeps the others, so all of them come from Up*/Down* routing of what is left."
	}
	return text
}

func (a *assessment) printChanges(w io.Writer) error {
	r := a.result
	if len(r.Changes) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := report.NewTable(
		report.Column{Name: "switch", Left: true},
		report.Column{Name: "LID"},
		report.Column{Name: "destination", Left: true},
		report.Column{Name: "port before"},
		report.Column{Name: "port after"},
	)
	for _, c := range r.Changes[:min(len(r.Changes), maxDifferences)] {
		from, to := r.Ports(c)
		t.Add(report.Text(r.Old.Net.SwitchName(c.Switch)), report.Count(int(r.Old.Destinations[c.Destination].LID)),
			report.Text(r.Old.Name(c.Destination)), port(from), port(to))
	}
	if err := t.Print(w); err != nil {
		return err
	}
	if more := len(r.Changes) - maxDifferences; more > 0 {
		fmt.Fprintf(w, "and %s; --json lists all\n", cli.Plural(more, "more", "more"))
	}
	return nil
}

// port is an output port, or none.
func port(n int) report.Cell {
	if n < 0 {
		return report.None()
	}
	return report.Count(n)
}

func (a *assessment) printTransition(w io.Writer) error {
	t := a.transition
	switch {
	case len(t.Switches) == 0 && len(t.Destinations) == 0:
		return report.Paragraph(w, "Nothing changes for end points.")
	case t.AnyOrder():
		who := cli.Plural(len(t.Switches), "switch", "switches")
		if a.levelsOnly() {
			who = "service levels"
		}
		return report.Paragraph(w, fmt.Sprintf("Transition: %s may change in any order. No mix of old and new entries and service levels closes a cycle.", who))
	}
	what := cli.Plural(len(t.Switches), "switch changes", "switches change")
	if a.levelsOnly() {
		what = "service levels change"
	}
	fmt.Fprintf(w, "Transition: a deadlock is possible while %s. A shortest cycle of mixes has %d channels:\n\n", what, len(t.Cycle))
	for _, h := range t.Cycle[:min(len(t.Cycle), show.MaxShown)] {
		from, to := t.Old.Net.From(h.Channel), t.Old.Net.To(h.Channel)
		fmt.Fprintf(w, "  %s[%d] -> %s[%d] VL %d, held by packets to %s\n", t.Old.Net.SwitchName(from.Switch), from.Number,
			t.Old.Net.SwitchName(to.Switch), to.Number, h.Lane, t.Old.Name(h.Destination))
	}
	if hidden := len(t.Cycle) - show.MaxShown; hidden > 0 {
		fmt.Fprintf(w, "  and %d more\n", hidden)
	}
	fmt.Fprintln(w)
	for _, text := range a.advice() {
		if err := report.Paragraph(w, text); err != nil {
			return err
		}
	}
	return nil
}

// advice says how to get from the old tables to the new ones.
func (a *assessment) advice() []string {
	t := a.transition
	switch {
	case !t.OldFree:
		return []string{"The old tables can deadlock by themselves. Stop the traffic, or change the switches as fast as possible."}
	case !t.NewFree:
		return []string{"The new tables can deadlock by themselves."}
	}
	var list []string
	switch {
	case len(a.order.Switches) > 0:
		list = append(list, fmt.Sprintf("This order is safe, if each switch waits until packets that the one before forwarded by its old entries have left: %s.",
			strings.Join(show.SwitchNames(t.Old.Net, a.order.Switches), ", ")))
	case a.levelsOnly(): // there is nothing to put in order
	case a.order.Exhausted:
		list = append(list, "No order of the switches is safe.")
	default:
		list = append(list, "No safe order of the switches was found; there may be one.")
	}
	for _, r := range a.remedies {
		list = append(list, "Any order is safe, "+a.condition(r)+".")
	}
	return list
}

// levelsOnly reports whether sources take other service levels, and no switch changes.
func (a *assessment) levelsOnly() bool { return len(a.transition.Switches) == 0 }

// condition says under which condition any order is safe.
func (a *assessment) condition(r *change.Remedy) string {
	var parts []string
	byLevel := make(map[int][]int)
	var levels []int
	for _, d := range a.transition.Destinations {
		if level, ok := r.Move[d]; ok {
			if byLevel[level] == nil {
				levels = append(levels, level)
			}
			byLevel[level] = append(byLevel[level], d)
		}
	}
	slices.Sort(levels)
	for _, level := range levels {
		parts = append(parts, fmt.Sprintf("packets to %s move to service level %d before", a.names(byLevel[level]), level))
	}
	if len(r.Drain) > 0 {
		last := ", and get their new entries to these last"
		if a.levelsOnly() {
			last = " until all sources have changed"
		}
		parts = append(parts, "the switches first discard packets to "+a.names(r.Drain)+last)
	}
	return "if " + strings.Join(parts, "; and ")
}

// maxNames is how many destinations a sentence names.
const maxNames = 8

func (a *assessment) names(list []int) string {
	var names []string
	for _, d := range list[:min(len(list), maxNames)] {
		names = append(names, a.transition.Old.Name(d))
	}
	text := strings.Join(names, ", ")
	if more := len(list) - maxNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// rerouting is the JSON of the reroute command. Switches and end points are given by ID; ports are
// null where there is no entry.
type rerouting struct {
	Topology   string           `json:"topology"`
	Previous   string           `json:"previous"`
	Next       any              `json:"next"`
	Without    []string         `json:"without"`
	OK         bool             `json:"ok"`
	Entries    int              `json:"entries"`
	Affected   int              `json:"affected"`
	Changed    int              `json:"changed"`
	Added      int              `json:"added"`
	Levels     int              `json:"level_changes"` // paths from a switch that move to another service level
	Anew       bool             `json:"anew"`
	LostPairs  int64            `json:"lost_pairs"`
	Before     stateJSON        `json:"before"`
	After      stateJSON        `json:"after"`
	Transition transitionJSON   `json:"transition"`
	Changes    []differenceJSON `json:"changes"`
}

type stateJSON struct {
	DeadlockFree bool                   `json:"deadlock_free"`
	Cycle        []show.CycleChannel    `json:"cycle"`
	Pairs        int64                  `json:"pairs"`
	Unreachable  int64                  `json:"unreachable"`
	Hops         routing.HopStatistics  `json:"hops"`
	ChannelLoad  routing.LoadStatistics `json:"channel_load"`
}

type transitionJSON struct {
	AnyOrder bool                `json:"any_order"`
	Switches []string            `json:"switches"` // that change
	Cycle    []show.CycleChannel `json:"cycle"`
	Order    []string            `json:"order"` // null: none is needed, or none was found
	NoOrder  bool                `json:"no_order"`
	Remedies []remedyJSON        `json:"remedies"`
}

type remedyJSON struct {
	Move  []movedJSON `json:"move"`
	Drain []int       `json:"drain"` // LIDs
}

type movedJSON struct {
	LID   int `json:"lid"`
	Level int `json:"level"`
}

type differenceJSON struct {
	Switch      string `json:"switch"`
	LID         int    `json:"lid"`
	Destination string `json:"destination"`
	From        any    `json:"from_port"`
	To          any    `json:"to_port"`
}

func newState(x state) stateJSON {
	return stateJSON{x.proof.DeadlockFree(), show.CycleChannels(x.proof), x.proof.Pairs, x.proof.Unreachable, x.st.Hops, x.st.ChannelLoad}
}

func (a *assessment) document() rerouting {
	r := a.result
	net := r.Old.Net
	doc := rerouting{
		Topology: net.Name, Previous: a.previous, Next: ordered.OrNull(a.next), Without: append([]string{}, a.without...), OK: a.ok(),
		Entries: r.Entries, Affected: r.Affected, Changed: r.Changed, Added: r.Added, Levels: len(r.Moves), Anew: r.Anew, LostPairs: r.Apart,
		Before: newState(a.before), After: newState(a.after), Transition: a.transitionJSON(), Changes: []differenceJSON{},
	}
	for _, c := range r.Changes {
		from, to := r.Ports(c)
		doc.Changes = append(doc.Changes, differenceJSON{net.Switches[c.Switch].ID, int(r.Old.Destinations[c.Destination].LID),
			destinationID(r.Old, c.Destination), portOrNull(from), portOrNull(to)})
	}
	return doc
}

func (a *assessment) transitionJSON() transitionJSON {
	t := a.transition
	doc := transitionJSON{AnyOrder: t.AnyOrder(), Switches: switchIDs(t.Old.Net, t.Switches), Remedies: []remedyJSON{}}
	for _, h := range t.Cycle {
		doc.Cycle = append(doc.Cycle, show.NewCycleChannel(t.Old.Net, h.Channel, h.Lane))
	}
	if a.order != nil {
		if len(a.order.Switches) > 0 {
			doc.Order = switchIDs(t.Old.Net, a.order.Switches)
		}
		doc.NoOrder = a.order.Exhausted && doc.Order == nil
	}
	for _, r := range a.remedies {
		x := remedyJSON{[]movedJSON{}, []int{}}
		for _, d := range t.Destinations {
			if level, ok := r.Move[d]; ok {
				x.Move = append(x.Move, movedJSON{int(t.Old.Destinations[d].LID), level})
			}
		}
		for _, d := range r.Drain {
			x.Drain = append(x.Drain, int(t.Old.Destinations[d].LID))
		}
		doc.Remedies = append(doc.Remedies, x)
	}
	return doc
}

func switchIDs(net *topology.Network, switches []int) []string {
	ids := []string{}
	for _, s := range switches {
		ids = append(ids, net.Switches[s].ID)
	}
	return ids
}

func destinationID(f *change.Forwarding, d int) string {
	if e := f.Destinations[d].EndPoint; e >= 0 {
		return show.EndPointID(f.Net, e)
	}
	return f.Net.Switches[f.Destinations[d].Switch].ID
}

func portOrNull(n int) any {
	if n < 0 {
		return nil
	}
	return n
}
