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
	"musubi/routing"
	"musubi/topology"
)

// verification is the JSON of the verify command. Pairs are ordered pairs of
// different end points of the judged kinds; if ports have several LIDs they are
// counted once for each LID of the port that has most. Switches and end points are
// given by ID. Cycle is a shortest one that the judged traffic closes, null if there
// is none. Hops, minimal fraction and channel load are computed as by the
// command route, for the first LID of each port.
type verification struct {
	Topology        string                 `json:"topology"`
	Tables          string                 `json:"tables"`
	OK              bool                   `json:"ok"`
	Classes         []string               `json:"classes"`
	VirtualChannels int                    `json:"virtual_channels"`
	Pairs           int64                  `json:"pairs"`
	Unreachable     int64                  `json:"unreachable"`
	Faults          []verificationFault    `json:"faults"`
	DeadlockFree    bool                   `json:"deadlock_free"`
	HostToHostFree  bool                   `json:"host_to_host_deadlock_free"`
	Cycle           []heldChannel          `json:"cycle"`
	CycleClasses    [][]string             `json:"cycle_classes"`
	Traffic         []verificationTraffic  `json:"traffic"`
	Channels        int                    `json:"channels"`
	Dependencies    int                    `json:"dependencies"`
	Hops            routing.HopStatistics  `json:"hops"`
	MinimalFraction float64                `json:"minimal_fraction"`
	ChannelLoad     routing.LoadStatistics `json:"channel_load"`
	Groups          []groupJSON            `json:"groups,omitempty"` // of multicast tables
	NotCovered      []string               `json:"not_covered"`      // what the answer says nothing about
}

type verificationFault struct {
	Kind   string `json:"kind"`
	Pairs  int64  `json:"pairs"`
	From   string `json:"from"`
	To     string `json:"to"`
	Detail string `json:"detail"`
}

// heldChannel is a channel of a cycle and the path that holds it while it waits
// for the next one.
type heldChannel struct {
	show.CycleChannel
	Path heldBy `json:"path"`
}

type heldBy struct {
	From     string   `json:"from"`
	To       string   `json:"to"`
	Switches []string `json:"switches"`
}

func newHeldChannel(net *topology.Network, d routing.Dependency) heldChannel {
	by := heldBy{From: show.EndPointID(net, d.By.Src), To: show.EndPointID(net, d.By.Dst)}
	for _, s := range show.SwitchesOf(net, d) {
		by.Switches = append(by.Switches, net.Switches[s].ID)
	}
	return heldChannel{show.NewCycleChannel(net, d.Hop.Channel(), d.Hop.VC()), by}
}

type verificationTraffic struct {
	Class        string   `json:"class"`
	Judged       bool     `json:"judged"`
	Pairs        int64    `json:"pairs"`
	Unreachable  int64    `json:"unreachable"`
	DeadlockFree bool     `json:"deadlock_free"` // by itself
	CycleWith    []string `json:"cycle_with"`
}

func (j *judgement) print(s cli.Shared) error {
	if s.JSON {
		return ordered.WriteJSON(s.Stdout, j.verification())
	}
	return j.printText(s.Stdout)
}

func (j *judgement) verification() verification {
	r, st := j.routes[0], j.routes[0].Statistics()
	v := verification{
		Topology: r.Net.Name, Tables: j.tables, OK: j.ok(), Classes: kindTexts(j.kinds), VirtualChannels: r.VCs,
		Faults: []verificationFault{}, DeadlockFree: j.deadlockFree(), HostToHostFree: j.proof.HostsDeadlockFree(),
		CycleClasses: [][]string{}, Channels: j.proof.Channels, Dependencies: j.proof.Dependencies,
		Hops: st.Hops, MinimalFraction: st.MinimalFraction, ChannelLoad: st.ChannelLoad,
		Groups: j.groups.rows(), NotCovered: append([]string{}, j.notCovered...),
	}
	v.Pairs, v.Unreachable = j.totals()
	for _, f := range j.proof.Faults {
		v.Faults = append(v.Faults, verificationFault{f.Kind.String(), f.Pairs,
			show.EndPointID(r.Net, f.First.Src), show.EndPointID(r.Net, f.First.Dst), f.Detail})
	}
	for _, d := range j.cycle {
		v.Cycle = append(v.Cycle, newHeldChannel(r.Net, d))
	}
	for _, set := range j.proof.CycleClasses {
		v.CycleClasses = append(v.CycleClasses, show.ClassNames(set))
	}
	for _, t := range j.traffic {
		v.Traffic = append(v.Traffic, verificationTraffic{t.class.String(), j.judged(t.class), t.pairs, t.unreachable, !t.alone, show.ClassNames(t.with)})
	}
	return v
}

func kindTexts(kinds []topology.Kind) []string {
	var texts []string
	for _, k := range kinds {
		texts = append(texts, k.String())
	}
	return texts
}

func (j *judgement) printText(w io.Writer) error {
	fmt.Fprintf(w, "%s\n%s: %s, %d dependencies among %d channels\n\n", show.DescribeWithNotes(j.proof.Net), j.tables,
		cli.Plural(j.routes[0].VCs, "virtual channel", "virtual channels"), j.proof.Dependencies, j.proof.Channels)
	if err := j.printTraffic(w); err != nil {
		return err
	}
	j.printFaults(w)
	fmt.Fprintln(w)
	if err := j.printCycles(w); err != nil {
		return err
	}
	if err := cmp.Or(report.Paragraph(w, j.verdict()), j.groups.printBelow(w)); err != nil {
		return err
	}
	return printNotCovered(w, j.notCovered)
}

// printCycles prints a cycle if it matters for the verdict, and else only what
// traffic closes one.
func (j *judgement) printCycles(w io.Writer) error {
	switch {
	case j.proof.DeadlockFree():
		return nil
	case j.deadlockFree():
		if err := report.Paragraph(w, show.ExplainClasses(j.proof)); err != nil {
			return err
		}
	default:
		if err := show.PrintCycle(w, j.proof, j.cycle); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (j *judgement) printTraffic(w io.Writer) error {
	t := report.NewTable(
		report.Column{Name: "traffic", Left: true},
		report.Column{Name: "pairs"},
		report.Column{Name: "unreachable"},
		report.Column{Name: "deadlock", Left: true},
	)
	for _, c := range j.traffic {
		unreachable := report.Count(c.unreachable)
		if c.unreachable > 0 {
			unreachable = unreachable.Bad()
		}
		t.Add(report.Text(c.class.String()), report.Count(c.pairs), unreachable, c.verdict())
	}
	return t.Print(w)
}

// verdict says whether traffic of this class can deadlock.
func (t *traffic) verdict() report.Cell {
	switch {
	case t.alone:
		return report.Text("cycle").Bad()
	case len(t.with) > 0:
		return report.Text("free by itself, cycle with " + strings.Join(show.ClassNames(t.with), ", ")).Bad()
	}
	return report.Text("free").Good()
}

func (j *judgement) printFaults(w io.Writer) {
	for i, f := range j.proof.Faults {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%v: %s, %s\n", f.Kind, cli.Plural(f.Pairs, "pair", "pairs"), f.Detail)
	}
	if j.proof.Malformed > 0 {
		fmt.Fprintf(w, "\n%s, such as the %v\n", cli.Plural(j.proof.Malformed, "unsound path", "unsound paths"), j.proof.FirstMalformed)
	}
}

// verdict is the answer in a sentence.
func (j *judgement) verdict() string {
	about := "these tables connect every pair of end points"
	if len(j.kinds) < len(topology.Kinds()) {
		about = "among end points of kind " + strings.Join(kindTexts(j.kinds), ", ") + " these tables connect every pair"
	}
	if j.sound() {
		yes := "Yes: "
		if len(j.proof.Net.LeftOut) > 0 {
			yes = "Yes, but for what is left out below: "
		}
		return yes + about + ", and no deadlock is possible."
	}
	var faults []string
	pairs, unreachable := j.totals()
	if unreachable > 0 {
		faults = append(faults, fmt.Sprintf("%d of %d pairs are not connected", unreachable, pairs))
	}
	if j.proof.Malformed > 0 {
		faults = append(faults, cli.Plural(j.proof.Malformed, "path is", "paths are")+" unsound")
	}
	if !j.deadlockFree() {
		faults = append(faults, "a deadlock is possible")
	}
	return "No: " + strings.Join(faults, ", and ") + "."
}
