package nexthop

// Escaping is Rules with lanes to escape to, on which packets wait in the end (Duato, IEEE TPDS
// 4(12), 1993). A packet goes on to another lane only if it can at once; else it waits for an escape
// lane.
type Escaping interface {
	Rules
	EscapeLane(lane int) bool
}

// escapes returns which lanes are to escape to, nil if there are none that a proof can rest on. It
// can if packets on other lanes always have an escape lane among their next steps, and those on
// escape lanes have no others. Then nobody waits for ever on the other lanes, which therefore count as
// lanes that hold nothing up.
func escapes(rules Rules) []bool {
	r, ok := rules.(Escaping)
	if !ok {
		return nil
	}
	lanes, any := make([]bool, r.Lanes()), false
	for lane := range lanes {
		lanes[lane] = r.EscapeLane(lane)
		any = any || lanes[lane]
	}
	if !any {
		return nil
	}
	for heading := range r.Headings() {
		if !escapesFrom(r, lanes, int32(heading)) {
			return nil
		}
	}
	return lanes
}

// escapesFrom follows the packets of a heading.
func escapesFrom(r Rules, escape []bool, heading int32) bool {
	seen := make(map[Step]bool)
	var stack []Step
	// take looks at the steps that packets have who come by a lane, and adds those to the stack.
	take := func(steps []Step, bound bool) bool {
		out := false
		for _, s := range steps {
			_, ends := s.Outcome()
			switch {
			case ends || s.Heading == Astray:
				out = true
				continue
			case escape[s.Lane]:
				out = true
			case bound:
				return false
			}
			if !seen[s] {
				seen[s] = true
				stack = append(stack, s)
			}
		}
		return out
	}
	for _, e := range r.Entries(heading) {
		if !take(next(r, nil, e.Switch, e.Port, e.Lane, heading), false) {
			return false
		}
	}
	var steps []Step
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := r.Network().To(int(s.Channel))
		steps = next(r, steps[:0], at.Switch, at.Number, int(s.Lane), s.Heading)
		if !take(steps, escape[s.Lane]) {
			return false
		}
	}
	return true
}
