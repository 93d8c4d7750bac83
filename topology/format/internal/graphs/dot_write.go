package graphs

import (
	"bufio"
	"fmt"
	"math"
	"strings"

	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/layout"
)

// WriteDOT writes a graph of Graphviz.
func WriteDOT(w *bufio.Writer, n *topology.Network) error {
	fmt.Fprintln(w, "graph {\n  node [shape=box]")
	at := newDotPlaces(n)
	for i := range n.Switches {
		s := &n.Switches[i]
		fmt.Fprintf(w, "  %s%s\n", dotQuote(s.ID), dotAttributes(append(draft.SwitchAttributes(s), at.ofSwitch(i)...)))
	}
	for i := range n.Adapters {
		a := &n.Adapters[i]
		fmt.Fprintf(w, "  %s%s\n", dotQuote(a.ID), dotAttributes(append(draft.AdapterAttributes(a), at.ofAdapter(i)...)))
	}
	for i := range n.Links {
		l := &n.Links[i]
		fmt.Fprintf(w, "  %s -- %s%s\n", dotQuote(n.Switches[l.A.Switch].ID), dotQuote(n.Switches[l.B.Switch].ID), dotAttributes(draft.LinkAttributes(l)))
	}
	for i := range n.EndPoints {
		e := &n.EndPoints[i]
		fmt.Fprintf(w, "  %s -- %s%s\n", dotQuote(n.Switches[e.At.Switch].ID), dotQuote(n.Adapters[e.Adapter].ID), dotAttributes(draft.EndPointAttributes(e)))
	}
	fmt.Fprintln(w, "}")
	return nil
}

// dotPlaces is where nodes are, for "neato -n": attribute pos, in points. It has no places for large
// networks that are not regular.
type dotPlaces struct {
	switches, adapters []layout.Point
}

// Places of hosts: how far they are from their switch, and from each other, in dotStep.
const (
	dotStep    = 144 // points between neighbouring switches
	dotHosts   = 0.33
	dotBetween = 0.5 // radians
)

func newDotPlaces(n *topology.Network) dotPlaces {
	places, err := layout.Of(n)
	if err != nil {
		return dotPlaces{}
	}
	p := dotPlaces{places.At, make([]layout.Point, len(n.Adapters))}
	seen := make([]int, len(n.Switches))
	for _, e := range n.EndPoints {
		sin, cos := math.Sincos(-1 + dotBetween*float64(seen[e.At.Switch]))
		seen[e.At.Switch]++
		at := places.At[e.At.Switch]
		p.adapters[e.Adapter] = layout.Point{X: at.X + dotHosts*cos, Y: at.Y + dotHosts*sin}
	}
	return p
}

func (p *dotPlaces) ofSwitch(sw int) []draft.Attribute       { return dotPlace(p.switches, sw) }
func (p *dotPlaces) ofAdapter(adapter int) []draft.Attribute { return dotPlace(p.adapters, adapter) }

func dotPlace(at []layout.Point, i int) []draft.Attribute {
	if at == nil {
		return nil
	}
	return []draft.Attribute{{Key: "pos", Value: fmt.Sprintf("%.1f,%.1f", dotStep*at[i].X, dotStep*at[i].Y)}}
}

func dotAttributes(as []draft.Attribute) string {
	var parts []string
	for _, a := range as {
		key := a.Key
		switch key {
		case "name":
			key = "label"
		case "sourceport":
			key = "taillabel"
		case "targetport":
			key = "headlabel"
		}
		parts = append(parts, key+"="+dotQuote(a.Value))
	}
	return " [" + strings.Join(parts, " ") + "]"
}

func dotQuote(s string) string { return `"` + dotEscape.Replace(s) + `"` }
