package main

import (
	"fmt"
	"io"
	"strings"

	"musubi/report"
	"musubi/routing"
	"musubi/topology"
)

// maxShown is how many channels of a cycle are printed at most.
const maxShown = 24

// printCycle prints a shortest cycle of channel dependencies with the paths that
// close it, and says which traffic it needs. routes are those given to Verify.
func printCycle(w io.Writer, p *routing.Proof, routes []*routing.Routes) error {
	fmt.Fprintf(w, "A shortest cycle has %d channels, each held while waiting for the next:\n\n", len(p.Cycle))
	for _, d := range p.Cycle[:min(len(p.Cycle), maxShown)] {
		from, to := p.Net.From(d.Hop.Channel()), p.Net.To(d.Hop.Channel())
		fmt.Fprintf(w, "  %s[%d] -> %s[%d] VC %d\n", p.Net.SwitchName(from.Switch), from.Number, p.Net.SwitchName(to.Switch), to.Number, d.Hop.VC())
		fmt.Fprintf(w, "      held by %s -> %s, by way of %s\n", p.Net.EndPointName(d.By.Src), p.Net.EndPointName(d.By.Dst),
			strings.Join(switchNames(p.Net, switchesOf(routes[d.Routes], d.By)), ", "))
	}
	if hidden := len(p.Cycle) - maxShown; hidden > 0 {
		fmt.Fprintf(w, "  and %d more\n", hidden)
	}
	fmt.Fprintln(w)
	return report.Paragraph(w, explainClasses(p))
}

// switchesOf lists the switches on the path of a pair of end points.
func switchesOf(r *routing.Routes, pair routing.Pair) []int {
	switches := []int{r.Net.EndPoints[pair.Src].At.Switch}
	path, _ := r.Path(pair.Src, pair.Dst)
	for _, h := range path {
		switches = append(switches, r.Net.To(h.Channel()).Switch)
	}
	return switches
}

func switchNames(net *topology.Network, switches []int) []string {
	var names []string
	for _, s := range switches {
		names = append(names, net.SwitchName(s))
	}
	return names
}

// explainClasses says what traffic closes a cycle, and what is safe without it.
func explainClasses(p *routing.Proof) string {
	var sets []string
	for _, set := range p.CycleClasses {
		sets = append(sets, strings.Join(classNames(set), " with "))
	}
	text := "Traffic that closes a cycle: " + strings.Join(sets, "; or ") + "."
	if p.HostsDeadlockFree() {
		text += " Traffic among hosts alone is free of deadlock."
	}
	return text
}

func classNames(set []routing.Class) []string {
	names := make([]string, 0, len(set))
	for _, c := range set {
		names = append(names, c.String())
	}
	return names
}
