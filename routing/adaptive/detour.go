package adaptive

import "musubi/topology"

// detour sends packets on a basis, or first to an intermediate place and from there on a basis. The
// first part of the way has virtual channels of its own, before those of the basis, so that a packet
// never comes back to them.
type detour struct {
	common
	basis
	first stage
	when  decision
	lanes int // virtual channels of the first stage
	room  []Hop
}

// stage is the way to an intermediate place.
type stage interface {
	basis // with the number of a place in place of a switch
	places() int
	// reached tells whether a switch is at a place; suits whether it lies off the shortest ways
	// between two switches that are none.
	reached(sw, place int) bool
	suits(sw, to, place int) bool
	// way returns the number of hops to the place, and at which switch packets get there.
	way(sw, place int) (hops, at int)
}

// States of packets besides Entering: on the basis, and from onDetour on to a place.
const (
	onBasis  int32 = 1
	onDetour int32 = 2
)

// decision says when packets take a detour.
type decision int

const (
	always decision = iota // Valiant
	local                  // UGAL-L
	global                 // UGAL-G
)

// detourBy returns how schemes are built that decide so.
func detourBy(name string, when decision) func(*topology.Network, Options) (Scheme, error) {
	return func(net *topology.Network, opt Options) (Scheme, error) {
		c, err := newCommon(name, net, opt)
		if err != nil {
			return nil, err
		}
		d := &detour{common: c, when: when}
		d.basis = basisOf(&c, true)
		if g, ok := d.basis.(*inGroups); ok {
			d.first = &g.toGroups
		} else {
			d.first = &toSwitches{d.basis, &c}
		}
		d.lanes = d.first.vcs()
		return d, nil
	}
}

func (d *detour) VCs() int    { return d.lanes + d.basis.vcs() }
func (d *detour) States() int { return int(onDetour) + d.first.places() }

// state returns the state of a packet at a switch, at which it may have come to its place.
func (d *detour) state(sw int, state int32) int32 {
	if state >= onDetour && d.first.reached(sw, int(state-onDetour)) {
		return onBasis
	}
	return state
}

func (d *detour) Moves(list []Move, sw, to int, state int32) []Move {
	state = d.state(sw, state)
	if state >= onDetour {
		return d.towards(list, sw, int(state-onDetour))
	}
	for _, h := range d.basis.hops(nil, sw, to) {
		list = append(list, d.onward(h))
	}
	if state == Entering {
		for place := range d.first.places() {
			if d.first.suits(sw, to, place) {
				list = d.towards(list, sw, place)
			}
		}
	}
	return list
}

// towards appends the moves to a place.
func (d *detour) towards(list []Move, sw, place int) []Move {
	for _, h := range d.first.hops(nil, sw, place) {
		list = append(list, Move{Channel: h.Channel, VC: h.VC, State: onDetour + int32(place)})
	}
	return list
}

// onward returns the move over a hop of the basis.
func (d *detour) onward(h Hop) Move {
	return Move{Channel: h.Channel, VC: uint8(d.lanes) + h.VC, State: onBasis}
}

func (d *detour) Choose(v View, p Packet, sw int) Move {
	switch state := d.state(sw, p.State); {
	case state == onBasis:
		return d.onward(d.best(v, d.basis, sw, p.To))
	case state >= onDetour:
		return d.toPlace(v, sw, int(state-onDetour))
	}
	place := d.draw(sw, p.To)
	if g, ok := d.first.(*toGroups); ok && g.length(sw, int(d.net.Groups[p.To])) < 0 {
		if place < 0 {
			place = g.by(sw, p.To)
		}
		return d.toPlace(v, sw, place) // no link joins the groups
	}
	if place < 0 {
		return d.onward(d.best(v, d.basis, sw, p.To))
	}
	straight, round := d.onward(d.best(v, d.basis, sw, p.To)), d.toPlace(v, sw, place)
	if d.when == always || d.when == local && d.longer(v, straight, round, sw, p.To, place) ||
		d.when == global && d.fuller(v, straight, round, sw, p.To, place) {
		return round
	}
	return straight
}

// best returns the hop to a switch, or place, with the shortest queue.
func (d *detour) best(v View, b basis, sw, to int) Hop {
	d.room = b.hops(d.room[:0], sw, to)
	if len(d.room) == 1 {
		return d.room[0]
	}
	return d.shortest(v, d.room)
}

func (d *detour) toPlace(v View, sw, place int) Move {
	h := d.best(v, d.first, sw, place)
	return Move{Channel: h.Channel, VC: h.VC, State: onDetour + int32(place)}
}

// draws is how often a place is drawn at random before a packet goes without a detour.
const draws = 16

// draw returns a place at random that suits a packet, -1 if there seems to be none.
func (d *detour) draw(sw, to int) int {
	for range draws {
		if place := d.random.IntN(d.first.places()); d.first.suits(sw, to, place) {
			return place
		}
	}
	return -1
}

// longer tells whether the queues of this switch speak for the detour: the queue times the number of
// hops is longer on the shortest way, by more than the bias (UGAL-L). Where both begin with the same
// channel, the queues of their virtual channels count.
func (d *detour) longer(v View, straight, round Move, sw, to, place int) bool {
	near, far := v.Queue(int(straight.Channel)), v.Queue(int(round.Channel))
	if straight.Channel == round.Channel {
		near, far = v.Lane(int(straight.Channel), int(straight.VC)), v.Lane(int(round.Channel), int(round.VC))
	}
	hops, at := d.first.way(sw, place)
	return near*d.basis.length(sw, to) > far*(hops+d.basis.length(at, to))+d.bias
}

// fuller tells whether all queues of both ways speak for the detour (UGAL-G).
func (d *detour) fuller(v View, straight, round Move, sw, to, place int) bool {
	near := d.along(v, straight, d.basis, to)
	_, at := d.first.way(sw, place)
	far := d.along(v, round, d.first, place)
	if at != to {
		far += d.along(v, d.onward(d.best(v, d.basis, at, to)), d.basis, to)
	}
	return near > far+d.bias
}

// along adds up the queues on the way to a switch, or place, that begins with a move.
func (d *detour) along(v View, m Move, b basis, to int) int {
	for channel, sum := int(m.Channel), 0; ; {
		sum += v.Queue(channel)
		d.room = b.hops(d.room[:0], d.net.To(channel).Switch, to)
		if len(d.room) == 0 {
			return sum
		}
		channel = int(d.shortest(v, d.room).Channel)
	}
}

// toSwitches is the ways of a basis to all switches.
type toSwitches struct {
	basis
	*common
}

func (t *toSwitches) places() int                { return len(t.net.Switches) }
func (t *toSwitches) reached(sw, place int) bool { return sw == place }

// suits is whether a switch with end points is neither end.
func (t *toSwitches) suits(sw, to, place int) bool {
	return place != sw && place != to && len(t.net.EndPointsAt(place)) > 0
}

func (t *toSwitches) way(sw, place int) (hops, at int) { return t.length(sw, place), place }
