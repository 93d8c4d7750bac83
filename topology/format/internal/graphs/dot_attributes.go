package graphs

import "slices"
import (
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// attributes reads any number of lists [key=value, ...].
func (r *dotReader) attributes() ([]draft.Attribute, error) {
	var as []draft.Attribute
	for r.lex.is("[") {
		if err := r.lex.next(); err != nil {
			return nil, err
		}
		for !r.lex.is("]") {
			a, err := r.attribute()
			if err != nil {
				return nil, err
			}
			as = append(as, a)
		}
		if err := r.lex.next(); err != nil {
			return nil, err
		}
	}
	return as, nil
}

// attribute reads key=value and the comma or semicolon that may follow.
func (r *dotReader) attribute() (draft.Attribute, error) {
	key, err := r.lex.takeID()
	if err != nil {
		return draft.Attribute{}, err
	}
	if err := r.lex.take("="); err != nil {
		return draft.Attribute{}, err
	}
	value, err := r.lex.takeID()
	if err == nil && (r.lex.is(",") || r.lex.is(";")) {
		err = r.lex.next()
	}
	return draft.Attribute{Key: key, Value: value}, err
}

// merge adds attributes that mean something to us to others, replacing those
// with the same key.
func merge(as, more []draft.Attribute) []draft.Attribute {
	for _, a := range more {
		i := slices.IndexFunc(as, func(b draft.Attribute) bool { return b.Key == a.Key })
		switch {
		case i >= 0:
			as[i] = a
		case isDOTAttribute(a.Key):
			as = append(as, a)
		}
	}
	return as
}

func isDOTAttribute(key string) bool {
	return key == "kind" || key == "type" || key == "role" || key == "label" || dotPorts[key] != "" ||
		slices.Contains(draft.NodeAttributes, key) || slices.Contains(draft.CableAttributes, key)
}

// dotPorts maps the attributes of edges that drawings show to our names.
var dotPorts = map[string]string{"taillabel": "sourceport", "headlabel": "targetport"}

func apply(as []draft.Attribute, set func(key, value string) error) error {
	for _, a := range as {
		if err := set(a.Key, a.Value); err != nil {
			return err
		}
	}
	return nil
}

// setNode takes the label that Graphviz gives to nodes without one, \N, for no
// name.
func setNode(n *draft.Node, line int) func(key, value string) error {
	return func(key, value string) error {
		if key == "label" && value == `\N` {
			return nil
		}
		return n.SetAttribute(line, key, value)
	}
}

// setCable takes labels at the ends of an edge for ports if they are numbers.
func setCable(c *draft.CableText, line int) func(key, value string) error {
	return func(key, value string) error {
		if port := dotPorts[key]; port != "" {
			if _, ok := scan.PortNumber(value); !ok {
				return nil
			}
			key = port
		}
		return c.Set(line, key, value)
	}
}
