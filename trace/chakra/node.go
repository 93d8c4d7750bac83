package chakra

import (
	"errors"
	"fmt"
	"slices"
)

// Types of nodes.
const (
	metadataNode  = 1
	memLoadNode   = 2
	memStoreNode  = 3
	computeNode   = 4
	sendNode      = 5
	receiveNode   = 6
	collectNode   = 7
	lastKnownNode = collectNode
)

var nodeNames = [...]string{"INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV", "COMM_COLL"}

var errLarge = errors.New("a number beyond 2^63")

// node is a node of a graph.
type node struct {
	id         uint64
	name       string
	kind       uint64
	deps       []uint64 // nodes that end before
	control    []uint64 // likewise, or who has called; see waitsFor
	duration   uint64   // in microseconds
	attributes []attribute
	values     string // of a METADATA node: what it says
}

// readNode reads a node of any generation.
func readNode(data []byte) (n node, form generation, err error) {
	form = today
	if err := fields(data, func(f field) error {
		if f.number == 11 {
			form = unknown // of 2023; attributes tell which
		}
		return nil
	}); err != nil {
		return n, form, err
	}
	err = fields(data, func(f field) error { return n.readField(&f, &form) })
	if form == first && n.kind > 0 {
		n.kind++ // METADATA came later
	}
	return n, form, err
}

func (n *node) readField(f *field, form *generation) (err error) {
	switch {
	case f.number == 1:
		n.id = f.value
	case f.number == 2:
		n.name = string(f.bytes)
	case f.number == 3:
		n.kind = f.value
	case f.number == 4:
		n.control, err = f.appendNumbers(n.control)
	case f.number == 11:
		return n.addAttribute(f, form, readOldAttribute)
	case *form != today: // texts
	case f.number == 5:
		n.deps, err = f.appendNumbers(n.deps)
	case f.number == 7:
		n.duration = f.value
	case f.number == 8:
		return fields(f.bytes, func(f field) error {
			if f.number == 1 {
				n.values = string(f.bytes)
			}
			return nil
		})
	case f.number == 10:
		return n.addAttribute(f, form, readAttribute)
	}
	return err
}

func (n *node) addAttribute(f *field, form *generation, read func([]byte) (attribute, error)) error {
	a, err := read(f.bytes)
	if err != nil {
		return fmt.Errorf("node %d: attribute %q: %w", n.id, a.name, err)
	}
	if a.form > *form {
		*form = a.form
	}
	n.attributes = append(n.attributes, a)
	return nil
}

// attribute returns an attribute, nil if the node has none of that name.
func (n *node) attribute(name string) *attribute {
	for i := range n.attributes {
		if n.attributes[i].name == name {
			return &n.attributes[i]
		}
	}
	return nil
}

// waitsFor returns the nodes that end before this one starts. The converter of PyTorch's traces, whose nodes have the attribute
// tid, writes the caller of each function as its control dependency, be it in the file or not, and all else for
// which it waits as data dependencies.
func (n *node) waitsFor() []uint64 {
	if n.attribute(thread) == nil {
		n.deps, n.control = append(n.deps, n.control...), nil
	}
	slices.Sort(n.deps)
	return slices.Compact(n.deps)
}

// whole returns an attribute that is a number from 0 to most, or else a default. Without one, which is negative, there has
// to be the attribute.
func (n *node) whole(name string, most, or int64) (int64, error) {
	a := n.attribute(name)
	switch {
	case a == nil && or >= 0:
		return or, nil
	case a == nil:
		return 0, fmt.Errorf("node %d, %s: no attribute %s; expected a number", n.id, n.typeName(), name)
	case !a.isWhole || a.number < 0 || a.number > most:
		return 0, fmt.Errorf("node %d, %s: attribute %s; expected a number from 0 to %d", n.id, n.typeName(), name, most)
	}
	return a.number, nil
}

func (n *node) typeName() string {
	if n.kind <= lastKnownNode {
		return nodeNames[n.kind]
	}
	return fmt.Sprintf("type %d", n.kind)
}
