package tuning

import "cmp"

// Case is an operation whose usual choice was measured beside each algorithm.
type Case struct {
	Operation string
	Ranks     int
	Bytes     int
	Auto      float64 // microseconds by the usual choice
	Best      float64 // microseconds by the fastest algorithm
	Algorithm string  // the fastest
}

// Off returns how many times as long the usual choice takes as the fastest algorithm, at least 1.
func (c *Case) Off() float64 {
	if c.Best <= 0 || c.Auto <= c.Best {
		return 1
	}
	return c.Auto / c.Best
}

// Cases returns what was measured by Auto and by at least one algorithm, in the order of Points.
func (t *Table) Cases() (list []Case) {
	for _, p := range t.Points() {
		last := len(list) - 1
		if last < 0 || cmp.Or(cmp.Compare(list[last].Operation, p.Operation), list[last].Ranks-p.Ranks, list[last].Bytes-p.Bytes) != 0 {
			list = append(list, Case{Operation: p.Operation, Ranks: p.Ranks, Bytes: p.Bytes, Auto: -1})
			last++
		}
		c := &list[last]
		switch {
		case p.Algorithm == Auto:
			c.Auto = p.Time
		case c.Algorithm == "" || p.Time < c.Best:
			c.Best, c.Algorithm = p.Time, p.Algorithm
		}
	}
	whole := list[:0]
	for _, c := range list {
		if c.Auto >= 0 && c.Algorithm != "" {
			whole = append(whole, c)
		}
	}
	return whole
}
