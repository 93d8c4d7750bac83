package format

import (
	"bufio"
	"fmt"
	"strings"

	"musubi/topology"
)

func writeDOT(w *bufio.Writer, n *topology.Network) error {
	fmt.Fprintln(w, "graph {\n  node [shape=box]")
	for i := range n.Switches {
		s := &n.Switches[i]
		fmt.Fprintf(w, "  %s%s\n", dotQuote(s.ID), dotAttributes(switchAttributes(s)))
	}
	for i := range n.Adapters {
		a := &n.Adapters[i]
		fmt.Fprintf(w, "  %s%s\n", dotQuote(a.ID), dotAttributes(adapterAttributes(a)))
	}
	for i := range n.Links {
		l := &n.Links[i]
		fmt.Fprintf(w, "  %s -- %s%s\n", dotQuote(n.Switches[l.A.Switch].ID), dotQuote(n.Switches[l.B.Switch].ID), dotAttributes(linkAttributes(l)))
	}
	for i := range n.EndPoints {
		e := &n.EndPoints[i]
		fmt.Fprintf(w, "  %s -- %s%s\n", dotQuote(n.Switches[e.At.Switch].ID), dotQuote(n.Adapters[e.Adapter].ID), dotAttributes(endPointAttributes(e)))
	}
	fmt.Fprintln(w, "}")
	return nil
}

func dotAttributes(as []attribute) string {
	var parts []string
	for _, a := range as {
		key := a.key
		switch key {
		case "name":
			key = "label"
		case "sourceport":
			key = "taillabel"
		case "targetport":
			key = "headlabel"
		}
		parts = append(parts, key+"="+dotQuote(a.value))
	}
	return " [" + strings.Join(parts, " ") + "]"
}

func dotQuote(s string) string { return `"` + dotEscape.Replace(s) + `"` }
