package show

import (
	"slices"

	"musubi/topology"
)

// Describe sums a network up in one line.
func Describe(net *topology.Network) string { return net.Name + ": " + net.Summary() }

// DescribeWithNotes adds what the reader of a file had to assume, a line each.
func DescribeWithNotes(net *topology.Network) string {
	text := Describe(net)
	for _, note := range NotesOf(net) {
		text += "\n  note: " + note
	}
	return text
}

// NotesOf says what the reader of a file had to assume, and what the file leaves out.
func NotesOf(net *topology.Network) []string {
	notes := slices.Clone(net.Notes)
	for _, text := range net.LeftOut {
		notes = append(notes, "left out: "+text)
	}
	return notes
}

// CountKind counts the end points of a kind.
func CountKind(net *topology.Network, kind topology.Kind) int {
	n := 0
	for e := range net.EndPoints {
		if net.KindOf(e) == kind {
			n++
		}
	}
	return n
}
