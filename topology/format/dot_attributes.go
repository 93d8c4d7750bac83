package format

import "slices"

// attributes reads any number of lists [key=value, ...].
func (r *dotReader) attributes() ([]attribute, error) {
	var as []attribute
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
func (r *dotReader) attribute() (attribute, error) {
	key, err := r.lex.takeID()
	if err != nil {
		return attribute{}, err
	}
	if err := r.lex.take("="); err != nil {
		return attribute{}, err
	}
	value, err := r.lex.takeID()
	if err == nil && (r.lex.is(",") || r.lex.is(";")) {
		err = r.lex.next()
	}
	return attribute{key: key, value: value}, err
}

// merge adds attributes that mean something to us to others, replacing those
// with the same key.
func merge(as, more []attribute) []attribute {
	for _, a := range more {
		i := slices.IndexFunc(as, func(b attribute) bool { return b.key == a.key })
		switch {
		case i >= 0:
			as[i] = a
		case isDOTAttribute(a.key):
			as = append(as, a)
		}
	}
	return as
}

func isDOTAttribute(key string) bool {
	return key == "kind" || key == "type" || key == "role" || key == "label" || dotPorts[key] != "" ||
		slices.Contains(nodeAttributes, key) || slices.Contains(cableAttributes, key)
}

// dotPorts maps the attributes of edges that drawings show to our names.
var dotPorts = map[string]string{"taillabel": "sourceport", "headlabel": "targetport"}

func apply(as []attribute, set func(key, value string) error) error {
	for _, a := range as {
		if err := set(a.key, a.value); err != nil {
			return err
		}
	}
	return nil
}

// setNode takes the label that Graphviz gives to nodes without one, \N, for no
// name.
func setNode(n *node, line int) func(key, value string) error {
	return func(key, value string) error {
		if key == "label" && value == `\N` {
			return nil
		}
		return n.setAttribute(line, key, value)
	}
}

// setCable takes labels at the ends of an edge for ports if they are numbers.
func setCable(c *cableText, line int) func(key, value string) error {
	return func(key, value string) error {
		if port := dotPorts[key]; port != "" {
			if _, ok := portNumber(value); !ok {
				return nil
			}
			key = port
		}
		return c.set(line, key, value)
	}
}
