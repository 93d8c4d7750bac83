package nexthop

import "slices"

// tracer finds ways that packets of one heading may take. It is slower than a walker and remembers
// where it came from.
type tracer struct {
	rules   Rules
	entries []Entry
	heading int32
}

// place is a state: a lane of a channel and a heading.
type place Step

// reached is a place that a search has come to.
type reached struct {
	place
	entry  int // where the packet came in
	before int // index of the place before; -1 at the entry
}

// next returns the steps that packets may take from a place.
func (t *tracer) next(p place) []Step {
	at := t.rules.Network().To(int(p.Channel))
	return next(t.rules, nil, at.Switch, at.Number, int(p.Lane), p.Heading)
}

// search looks breadth first for a step that is a goal, and returns a shortest way to it, with the
// step, and the entry where it begins; nil if there is none. before is the place before the step;
// its Channel is -1 at an entry.
func (t *tracer) search(goal func(before place, s Step) bool) (walk []Step, entry int) {
	seen := make(map[place]bool)
	var queue []reached
	look := func(steps []Step, from reached, index int) []Step {
		for _, s := range steps {
			if goal(from.place, s) {
				return append(wayTo(queue, index), s)
			}
			if _, ends := s.Outcome(); ends || s.Heading == Astray || seen[place(s)] {
				continue
			}
			seen[place(s)] = true
			queue = append(queue, reached{place(s), from.entry, index})
		}
		return nil
	}
	for i, e := range t.entries {
		steps := next(t.rules, nil, e.Switch, e.Port, e.Lane, t.heading)
		if walk := look(steps, reached{place{Channel: -1}, i, -1}, -1); walk != nil {
			return walk, i
		}
	}
	for head := 0; head < len(queue); head++ {
		if walk := look(t.next(queue[head].place), queue[head], head); walk != nil {
			return walk, queue[head].entry
		}
	}
	return nil, 0
}

// wayTo returns the places that lead to one of the queue.
func wayTo(queue []reached, index int) []Step {
	var way []Step
	for ; index >= 0; index = queue[index].before {
		way = append(way, Step(queue[index].place))
	}
	slices.Reverse(way)
	return way
}

// walkTo returns the channels of a way to an outcome.
func (t *tracer) walkTo(o Outcome) []Step {
	if o == Loop {
		return t.loop()
	}
	walk, _ := t.search(func(_ place, s Step) bool {
		got, ends := s.Outcome()
		return ends && got == o
	})
	return walk[:max(len(walk)-1, 0)] // it is empty if there was nowhere to go
}

// walkOver returns the channels of a way that goes over a channel and then another one, and on to
// its end if it has one.
func (t *tracer) walkOver(from, to place) (walk []Step, entry int) {
	walk, entry = t.search(func(before place, s Step) bool {
		return before.Channel == from.Channel && before.Lane == from.Lane && s.Channel == to.Channel && s.Lane == to.Lane
	})
	if walk == nil || walk[len(walk)-1].Heading == Astray {
		return walk, entry
	}
	rest := tracer{onward{t.rules, place(walk[len(walk)-1])}, []Entry{{}}, 0}
	return append(walk, rest.walkTo(Delivered)...), entry
}

// onward are rules under which packets enter at a place on their way.
type onward struct {
	Rules
	start place
}

func (o onward) Next(steps []Step, sw, port, lane int, heading int32) []Step {
	if port == 0 && sw == 0 { // the entry
		at := o.Network().To(int(o.start.Channel))
		return o.Rules.Next(steps, at.Switch, at.Number, int(o.start.Lane), o.start.Heading)
	}
	return o.Rules.Next(steps, sw, port, lane, heading)
}

// loop returns the channels of a way into a loop and once around, so that the last place is one of
// those before.
func (t *tracer) loop() []Step {
	finished := make(map[place]bool)
	position := make(map[place]int) // of those on the way
	type frame struct {
		steps []Step
		at    int
	}
	var way []Step
	var frames []frame
	for _, e := range t.entries {
		frames = append(frames, frame{steps: next(t.rules, nil, e.Switch, e.Port, e.Lane, t.heading)})
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.at == len(f.steps) {
				frames = frames[:len(frames)-1]
				if len(way) > 0 {
					last := place(way[len(way)-1])
					delete(position, last)
					finished[last] = true
					way = way[:len(way)-1]
				}
				continue
			}
			s := f.steps[f.at]
			f.at++
			if _, ends := s.Outcome(); ends || s.Heading == Astray || finished[place(s)] {
				continue
			}
			if _, on := position[place(s)]; on {
				return append(way, s)
			}
			position[place(s)] = len(way)
			way = append(way, s)
			frames = append(frames, frame{steps: t.next(place(s))})
		}
	}
	return nil
}
