package generate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/topology"
)

// number reads a decimal number from low to MaxParameter.
func number(s, what string, low int) (int, error) {
	v, err := strconv.Atoi(s)
	if err != nil || v < low || v > topology.MaxParameter {
		return 0, fmt.Errorf("%s is %q; expected a whole number from %d to %d", what, s, low, topology.MaxParameter)
	}
	return v, nil
}

// sizes reads dimensions such as 4x4x2.
func sizes(s string) ([]int, error) {
	var dims []int
	for i, part := range strings.Split(s, "x") {
		d, err := number(part, fmt.Sprintf("dimension %d", i+1), 1)
		if err != nil {
			return nil, err
		}
		dims = append(dims, d)
	}
	return dims, nil
}

// parameter is a key=value argument of a generator.
type parameter struct {
	key      string
	value    int // default, and then what was read
	low      int
	optional bool
	given    bool
	several  bool  // there may be several values, such as 4x4x2
	list     []int // all of them, if there may be several; value is the first
}

// assignments reads a list such as a=4,h=2 into params.
func assignments(s string, params ...*parameter) error {
	var keys []string
	for _, p := range params {
		keys = append(keys, p.key)
	}
	for part := range strings.SplitSeq(s, ",") {
		key, value, ok := strings.Cut(part, "=")
		i := slices.Index(keys, key)
		if !ok || i < 0 {
			return fmt.Errorf("%q; expected key=value with the keys %s", part, strings.Join(keys, ", "))
		}
		p := params[i]
		if p.given {
			return fmt.Errorf("%s is given twice", key)
		}
		p.given = true
		if err := p.read(value); err != nil {
			return err
		}
	}
	for _, p := range params {
		if !p.given && !p.optional {
			return fmt.Errorf("%s is missing", p.key)
		}
	}
	return nil
}

// read reads the value of a parameter.
func (p *parameter) read(text string) error {
	if !p.several {
		var err error
		p.value, err = number(text, p.key, p.low)
		return err
	}
	for i, part := range strings.Split(text, "x") {
		v, err := number(part, fmt.Sprintf("number %d of %s", i+1, p.key), p.low)
		if err != nil {
			return err
		}
		p.list = append(p.list, v)
	}
	p.value = p.list[0]
	return nil
}
