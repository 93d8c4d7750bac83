package main

import (
	"slices"
	"strings"

	"musubi"
	"musubi/report"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/topology/generate"
	"musubi/topology/networks"
)

// openNetwork opens the network of a scenario, or else of a machine.
func openNetwork(s musubi.Scenario, m *machine.Machine) (*topology.Network, error) {
	net, err := s.OpenNetwork(m)
	return net, hintTopology(s, err)
}

// nearTopology returns a hint if a name that was taken for a file looks like a
// misspelt kind of network.
func nearTopology(spec string) string {
	var families []string
	for _, g := range generate.All() {
		families = append(families, g.Name)
	}
	for _, n := range networks.All() {
		families = append(families, n.Name)
	}
	family, _, _ := strings.Cut(spec, ":")
	return didYouMean(family, families)
}

// describe sums a network up in one line.
func describe(net *topology.Network) string { return net.Name + ": " + net.Summary() }

// describeWithNotes adds what the reader of a file had to assume, a line each.
func describeWithNotes(net *topology.Network) string {
	text := describe(net)
	for _, note := range notesOf(net) {
		text += "\n  note: " + note
	}
	return text
}

// notesOf says what the reader of a file had to assume, and what the file leaves out.
func notesOf(net *topology.Network) []string {
	notes := slices.Clone(net.Notes)
	for _, text := range net.LeftOut {
		notes = append(notes, "left out: "+text)
	}
	return notes
}

func countKind(net *topology.Network, kind topology.Kind) int {
	n := 0
	for e := range net.EndPoints {
		if net.KindOf(e) == kind {
			n++
		}
	}
	return n
}

// plural says how many there are of something.
func plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return report.Count(n).Text + " " + many
}
