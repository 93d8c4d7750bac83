package show

import (
	"fmt"
	"io"
	"strings"

	"musubi/report"
	"musubi/routing"
	"musubi/topology"
)

// MaxShown is how many channels of a cycle are printed at most.
const MaxShown = 24

// PrintCycle prints a shortest cycle of channel dependencies with the paths that
// close it, and says what traffic closes any.
func PrintCycle(w io.Writer, p *routing.Proof, cycle []routing.Dependency) error {
	fmt.Fprintf(w, "A shortest cycle has %d channels, each held while waiting for the next:\n\n", len(cycle))
	for _, d := range cycle[:min(len(cycle), MaxShown)] {
		from, to := p.Net.From(d.Hop.Channel()), p.Net.To(d.Hop.Channel())
		fmt.Fprintf(w, "  %s[%d] -> %s[%d] VC %d\n", p.Net.SwitchName(from.Switch), from.Number, p.Net.SwitchName(to.Switch), to.Number, d.Hop.VC())
		fmt.Fprintf(w, "      held by %s -> %s, by way of %s\n", p.Net.EndPointName(d.By.Src), p.Net.EndPointName(d.By.Dst),
			strings.Join(SwitchNames(p.Net, SwitchesOf(p.Net, d)), ", "))
	}
	if hidden := len(cycle) - MaxShown; hidden > 0 {
		fmt.Fprintf(w, "  and %d more\n", hidden)
	}
	fmt.Fprintln(w)
	return report.Paragraph(w, ExplainClasses(p))
}

// SwitchesOf lists the switches on the path that makes a dependency.
func SwitchesOf(net *topology.Network, d routing.Dependency) []int {
	switches := []int{net.EndPoints[d.By.Src].At.Switch}
	for _, h := range d.Path {
		switches = append(switches, net.To(h.Channel()).Switch)
	}
	return switches
}

// SwitchNames are the names of switches.
func SwitchNames(net *topology.Network, switches []int) []string {
	var names []string
	for _, s := range switches {
		names = append(names, net.SwitchName(s))
	}
	return names
}

// ExplainClasses says what traffic closes a cycle, and what is safe without it.
func ExplainClasses(p *routing.Proof) string {
	var sets []string
	for _, set := range p.CycleClasses {
		sets = append(sets, strings.Join(ClassNames(set), " with "))
	}
	text := "Traffic that closes a cycle: " + strings.Join(sets, "; or ") + "."
	if p.HostsDeadlockFree() {
		text += " Traffic among hosts alone is free of deadlock."
	}
	return text
}

// ClassNames are the names of classes of traffic.
func ClassNames(set []routing.Class) []string {
	names := make([]string, 0, len(set))
	for _, c := range set {
		names = append(names, c.String())
	}
	return names
}
