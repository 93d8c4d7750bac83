package show

import (
	"fmt"
	"io"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/report"
	"musubi/routing/nexthop"
	"musubi/topology"
)

// SwitchesOfFlow names the switches that packets pass.
func SwitchesOfFlow(net *topology.Network, f nexthop.Flow, name func(*topology.Network, int) string) []string {
	list := []string{name(net, net.EndPoints[f.Source].At.Switch)}
	for _, s := range f.Walk {
		list = append(list, name(net, net.To(int(s.Channel)).Switch))
	}
	return list
}

// PrintChoiceCycle prints the cycle of a proof of sets of next hops, if there is one, and a cure.
func PrintChoiceCycle(w io.Writer, p *nexthop.Proof) error {
	net := p.Rules.Network()
	if p.DeadlockFree() {
		return nil
	}
	which := "A shortest cycle has"
	if !p.Shortest {
		which = "A cycle has"
	}
	fmt.Fprintf(w, "%s %d channels, each held while waiting for the next:\n\n", which, len(p.Cycle))
	for _, d := range p.Cycle[:min(len(p.Cycle), MaxShown)] {
		from, to := net.From(d.Channel), net.To(d.Channel)
		flow := d.Flow
		fmt.Fprintf(w, "  %s[%d] -> %s[%d] %s\n", net.SwitchName(from.Switch), from.Number, net.SwitchName(to.Switch), to.Number, p.Rules.LaneName(d.Lane))
		fmt.Fprintf(w, "      held by %s -> %s, by way of %s (%s)\n", net.EndPointName(int(flow.Source)), p.Rules.HeadingName(flow.Heading), strings.Join(SwitchesOfFlow(net, flow, (*topology.Network).SwitchName), ", "),
			cli.Plural(d.Headings, "destination", "destinations"))
	}
	if hidden := len(p.Cycle) - MaxShown; hidden > 0 {
		fmt.Fprintf(w, "  and %d more\n", hidden)
	}
	fmt.Fprintln(w)
	if err := printCure(w, p); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// printCure says which packets must change their lane.
func printCure(w io.Writer, p *nexthop.Proof) error {
	net, cure := p.Rules.Network(), p.CycleCure
	if cure == nil {
		return report.Paragraph(w, "No small change leaves no cycle.")
	}
	which := "The least change that leaves no cycle"
	if !cure.Least {
		which = "A change that leaves no cycle"
	}
	how := "become lossy here"
	if cure.MoreLanes > 0 {
		how += fmt.Sprintf(", or go up to a further lossless lane (%d in all)", cure.MoreLanes)
	}
	if err := report.Paragraph(w, fmt.Sprintf("%s: packets that take %s %s:", which,
		theseTurns(len(cure.Turns)), how)); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, t := range cure.Turns[:min(len(cure.Turns), MaxShown)] {
		in, out := net.From(int(t.From.Channel)), net.To(int(t.To.Channel))
		at := net.From(int(t.To.Channel))
		fmt.Fprintf(w, "  at %s: from %s[%d] to %s[%d] %s (%s)\n", net.SwitchName(at.Switch), net.SwitchName(in.Switch), in.Number,
			net.SwitchName(out.Switch), out.Number, p.Rules.LaneName(int(t.From.Lane)), cli.Plural(t.Headings, "destination", "destinations"))
	}
	if hidden := len(cure.Turns) - MaxShown; hidden > 0 {
		fmt.Fprintf(w, "  and %d more\n", hidden)
	}
	return nil
}

func theseTurns(n int) string {
	if n == 1 {
		return "this turn"
	}
	return "these " + report.Count(n).Text + " turns"
}
