package nexthop

import (
	"math/bits"

	"musubi/topology"
)

// outcomeSet has bit o set for each Outcome o that packets can meet.
type outcomeSet uint8

const onStack outcomeSet = 1 << outcomes // not an outcome: the walk from here is not finished

func (s outcomeSet) has(o Outcome) bool { return s>>o&1 != 0 }

// walker follows the packets of one heading at a time, depth first. It visits each state, which is a
// lane of a channel and a heading, once. Where the next hops do not depend on the port of arrival, it
// visits a lane of a switch and a heading once, and each state only adds its dependencies.
type walker struct {
	rules    Rules
	net      *topology.Network
	lanes    int
	lossless []bool // by lane of a channel
	turns    *turns
	used     []bool // by lane of a channel

	number   uint32  // of walks so far
	headings []int32 // of this walk; the first is the one that packets enter with
	visits   []visits
	frames   []frame
	steps    []Step // of all frames
	masks    []mask // of the switches that were visited

	watched []bool // by lane of a channel: turned is told of the turns from here
	turned  func(from, to int32)
}

// visits says for a heading what has been visited: the number of the walk, and what packets meet from
// there.
type visits struct {
	state   []uint32   // by lane of a channel
	uniform []uint32   // by lane of a switch
	mask    [][2]int32 // by lane of a switch: the dependencies of those that come there, in masks
}

// frame is a place whose next steps are being followed.
type frame struct {
	heading     int32   // index into headings
	state       int32   // that packets come by, if it matters; else -1
	done        *uint32 // visit
	first, next int32   // steps
	end         int32
	met         outcomeSet
}

func newWalker(rules Rules, lossless []bool, turns *turns) *walker {
	w := &walker{rules: rules, net: rules.Network(), lanes: rules.Lanes(), lossless: lossless, turns: turns}
	w.used = make([]bool, len(lossless))
	return w
}

// losslessLanes lists which lanes of channels are lossless.
func losslessLanes(rules Rules) []bool {
	lanes := rules.Lanes()
	list := make([]bool, rules.Network().Channels()*lanes)
	for i := range list {
		list[i] = rules.Lossless(i/lanes, i%lanes)
	}
	return list
}

// begin starts the walks of a heading.
func (w *walker) begin(heading int32) {
	w.number++
	w.headings = w.headings[:0]
	w.masks = w.masks[:0]
	w.headingIndex(heading)
}

// headingIndex returns the index of a heading among those of this walk. There are few.
func (w *walker) headingIndex(heading int32) int32 {
	for i, h := range w.headings {
		if h == heading {
			return int32(i)
		}
	}
	if len(w.headings) == len(w.visits) {
		switches := len(w.net.Switches) * w.lanes
		w.visits = append(w.visits, visits{make([]uint32, len(w.lossless)), make([]uint32, switches), make([][2]int32, switches)})
	}
	w.headings = append(w.headings, heading)
	return int32(len(w.headings) - 1)
}

// enter follows the packets that enter somewhere, and returns what they can meet.
func (w *walker) enter(e Entry) outcomeSet {
	w.steps = next(w.rules, w.steps[:0], e.Switch, e.Port, e.Lane, w.headings[0])
	w.frames = append(w.frames[:0], frame{state: -1, end: int32(len(w.steps))})
	for {
		f := &w.frames[len(w.frames)-1]
		if f.next == f.end {
			met := f.met
			if f.done == nil {
				return met
			}
			*f.done = w.number<<8 | uint32(met)
			w.steps = w.steps[:f.first]
			w.frames = w.frames[:len(w.frames)-1]
			w.frames[len(w.frames)-1].met |= met
			continue
		}
		s := w.steps[f.next]
		f.next++
		if o, ends := s.Outcome(); ends {
			f.met |= 1 << o
			continue
		}
		state := s.Channel*int32(w.lanes) + int32(s.Lane)
		w.used[state] = true
		if f.state >= 0 && w.lossless[f.state] && w.lossless[state] {
			w.turn(f.state, state)
		}
		if s.Heading == Astray {
			continue
		}
		h := int32(0)
		if s.Heading != w.headings[0] {
			h = w.headingIndex(s.Heading)
		}
		w.arrive(h, state, s)
	}
}

// arrive comes to a switch, and goes on from there if it has not been visited.
func (w *walker) arrive(h, state int32, s Step) {
	f, to := &w.frames[len(w.frames)-1], w.turns.to[s.Channel]
	v := &w.visits[h]
	visit, uniform := &v.state[state], w.rules.Uniform(int(to), int(s.Lane), s.Heading)
	at := int(to)*w.lanes + int(s.Lane)
	if uniform {
		visit = &v.uniform[at]
	}
	if *visit>>8 == w.number {
		met := outcomeSet(*visit)
		if met&onStack != 0 {
			met = 1 << Loop
		}
		f.met |= met
	} else {
		*visit = w.number<<8 | uint32(onStack)
		first := int32(len(w.steps))
		w.steps = next(w.rules, w.steps, int(to), w.net.To(int(s.Channel)).Number, int(s.Lane), s.Heading)
		w.frames = append(w.frames, frame{heading: h, state: state, done: visit, first: first, next: first, end: int32(len(w.steps))})
		if uniform {
			w.frames[len(w.frames)-1].state = -1
			v.mask[at] = w.maskOf(w.steps[first:])
		}
	}
	if uniform && w.lossless[state] {
		list := w.masks[v.mask[at][0]:v.mask[at][1]]
		w.turns.addMask(state, list)
		if w.watched != nil && w.watched[state] {
			w.tell(state, list)
		}
	}
}

// maskOf adds the lossless steps of a switch to the masks, and returns where they stand.
func (w *walker) maskOf(steps []Step) [2]int32 {
	first := len(w.masks)
	for _, s := range steps {
		if _, ends := s.Outcome(); !ends && w.lossless[int(s.Channel)*w.lanes+int(s.Lane)] {
			w.masks = w.turns.maskOf(w.masks, first, s)
		}
	}
	return [2]int32{int32(first), int32(len(w.masks))}
}

func (w *walker) turn(from, to int32) {
	w.turns.add(int(from)/w.lanes, int(from)%w.lanes, int(to)/w.lanes, int(to)%w.lanes)
	if w.watched != nil && w.watched[from] {
		w.turned(from, to)
	}
}

// tell tells of all turns of a mask.
func (w *walker) tell(from int32, list []mask) {
	out := w.turns.out[w.turns.to[int(from)/w.lanes]]
	for _, m := range list {
		for b := m.bits; b != 0; b &= b - 1 {
			bit := int(m.word)<<6 + bits.TrailingZeros64(b)
			w.turned(from, out[bit/w.lanes]*int32(w.lanes)+int32(bit%w.lanes))
		}
	}
}
