// Package check describes what a rank asks of a collective operation, so that the descriptions of
// all ranks can be compared: calls that do not fit together otherwise hang, or give wrong results.
package check

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"musubi/mpi/internal/fault"
)

// Said is what a rank says of an operation. All ranks have to say the same.
type Said struct {
	Call      string // function of package mpi
	Type      string // of the elements; empty: not known
	Op        string // that combines them; empty: none
	Algorithm string // that the program has set; empty: none
	Lengths   string // of the parts for each rank, if all ranks give them all; else empty
	Root      int    // -1: there is none
	Count     int    // elements, -1 if it may differ
	Element   int    // bytes of an element
}

// String describes a call, such as "Reduce of 8 float64 by Sum to rank 0".
func (s *Said) String() string {
	text := s.Call
	name := s.Type
	if name == "" && s.Element > 0 {
		name = fmt.Sprintf("elements of %d bytes", s.Element)
	}
	switch {
	case name == "":
	case s.Count >= 0:
		text += fmt.Sprintf(" of %d %s", s.Count, name)
	case s.Lengths != "":
		text += fmt.Sprintf(" of %s %s", s.Lengths, name)
	default:
		text += " of " + name
	}
	if s.Op != "" {
		text += " by " + s.Op
	}
	if s.Root >= 0 {
		text += fmt.Sprintf(" with root %d", s.Root)
	}
	if s.Algorithm != "" {
		text += fmt.Sprintf(", algorithm %s", s.Algorithm)
	}
	return text
}

// Difference returns what two ranks say differently first, and the class of that mistake; an empty
// string if they say the same.
func (s *Said) Difference(other *Said) (what string, class fault.Class) {
	switch {
	case s.Call != other.Call:
		return "operation", fault.Op
	case s.Root != other.Root:
		return "root", fault.Root
	case s.Type != other.Type || s.Element != other.Element:
		return "type of elements", fault.Type
	case s.Count != other.Count || s.Lengths != other.Lengths:
		return "number of elements", fault.Count
	case s.Op != other.Op:
		return "reduction", fault.Op
	case s.Algorithm != other.Algorithm:
		return "algorithm", fault.Op
	}
	return "", 0
}

// Append appends what a rank says to b.
func (s *Said) Append(b []byte) []byte {
	for _, text := range s.texts() {
		b = binary.AppendUvarint(b, uint64(len(*text)))
		b = append(b, *text...)
	}
	for _, number := range s.numbers() {
		b = binary.AppendVarint(b, int64(*number))
	}
	return b
}

// Read reads what Append has written. It fails if b begins with nothing like that.
func Read(b []byte) (s Said, err error) {
	for _, text := range s.texts() {
		n, used := binary.Uvarint(b)
		if used <= 0 || n > uint64(len(b)-used) {
			return s, errDescription
		}
		*text, b = string(b[used:][:n]), b[used+int(n):]
	}
	for _, number := range s.numbers() {
		n, used := binary.Varint(b)
		if used <= 0 {
			return s, errDescription
		}
		*number, b = int(n), b[used:]
	}
	return s, nil
}

var errDescription = fmt.Errorf("a description of a collective operation that cannot be read; expected Options.Check to be the same at all ranks")

func (s *Said) texts() []*string {
	return []*string{&s.Call, &s.Type, &s.Op, &s.Algorithm, &s.Lengths}
}

func (s *Said) numbers() []*int { return []*int{&s.Root, &s.Count, &s.Element} }

// Bytes is the length of a description in a message, and mostText that of each of its texts.
const (
	Bytes    = 256
	mostText = 44
)

// Fixed returns what a rank says in as many bytes as messages have. Long names lose their end.
func (s Said) Fixed() []byte {
	for _, text := range s.texts() {
		if len(*text) > mostText {
			*text = strings.ToValidUTF8((*text)[:mostText-3], "") + "..."
		}
	}
	return slices.Grow(s.Append(nil), Bytes)[:Bytes]
}

// Mismatch is the error of a rank that says something else than another one, of the same
// communicator, and its class; nil if both say the same.
func Mismatch(mine, theirs *Said, rank int) (fault.Class, error) {
	what, class := mine.Difference(theirs)
	if what == "" {
		return 0, nil
	}
	return class, fmt.Errorf("%v; rank %d has called %v: expected the same %s", mine, rank, theirs, what)
}
