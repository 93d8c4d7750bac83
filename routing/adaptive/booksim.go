package adaptive

import (
	"errors"
	"fmt"
	"slices"

	"musubi/topology"
)

// bookSimMin is min_dragonflynew of BookSim2 (commit 28f4329, src/networks/dragonfly.cpp): the
// shortest way, on virtual channel 0 up to the hop between groups, and on 1 from there on. The
// virtual channel of the last hop is that to the end point, too.
type bookSimMin struct{ inGroups }

// States of packets of bookSimMin: whether they have come to the hop between groups.
const bookSimPassed int32 = 1

var errNoGroups = errors.New("the network has no groups; expected one such as dragonfly:a=4,h=2,p=2,absolute=1")

func newBookSimMin(name string, net *topology.Network, opt Options) (*bookSimMin, error) {
	c, err := newCommon(name, net, opt)
	switch {
	case err != nil:
		return nil, err
	case net.Groups == nil:
		return nil, fmt.Errorf("%s: %w", name, errNoGroups)
	}
	return &bookSimMin{inGroups{*newToGroups(&c)}}, nil
}

// errNotJoined says that the shortest ways of BookSim2 do not do.
var errNotJoined = errors.New("links are missing between or in groups of the dragonfly; booksim-min takes only one way")

func buildBookSimMin(net *topology.Network, opt Options) (Scheme, error) {
	b, err := newBookSimMin("booksim-min", net, opt)
	if err == nil && (!b.near.whole || !b.joined()) {
		err = errNotJoined
	}
	return b, err
}

func (b *bookSimMin) VCs() int                { return 3 }
func (b *bookSimMin) States() int             { return 2 }
func (b *bookSimMin) Arrival(state int32) int { return int(state) }

// Entry is inject_vc of BookSim2, which is random.
func (b *bookSimMin) Entry() int { return b.random.IntN(b.VCs()) }

// between tells whether a channel leads to another group.
func (b *bookSimMin) between(channel int32) bool {
	return b.net.Groups[b.net.From(int(channel)).Switch] != b.net.Groups[b.net.To(int(channel)).Switch]
}

func (b *bookSimMin) Moves(list []Move, sw, to int, state int32) []Move {
	for _, h := range b.hops(nil, sw, to) {
		s := state
		if b.between(h.Channel) {
			s = bookSimPassed
		}
		list = append(list, Move{Channel: h.Channel, VC: uint8(s), State: s})
	}
	return list
}

func (b *bookSimMin) Choose(_ View, p Packet, sw int) Move { return b.Moves(nil, sw, p.To, p.State)[0] }

// bookSimUGAL is ugal_dragonflynew: see Choose. The first part of a detour goes to a router on
// virtual channel 0, in three hops at most, of which the last one and the first are alike: so these
// close cycles.
type bookSimUGAL struct {
	bookSimMin
	ends []int32 // switch of each end point
}

// States of packets of bookSimUGAL besides Entering: on their shortest way (ph 1 of BookSim2), after
// the hop between groups or in their own group (ph 2), and from bookSimDetour on to a router (ph 0).
const (
	bookSimShort  int32 = 1
	bookSimLast   int32 = 2
	bookSimDetour int32 = 3
)

// bookSimBias is adaptive_threshold of BookSim2.
const bookSimBias = 30

func buildBookSimUGAL(net *topology.Network, opt Options) (Scheme, error) {
	b, err := newBookSimMin("booksim-ugal", net, opt)
	if err != nil {
		return nil, err
	}
	u := &bookSimUGAL{bookSimMin: *b}
	for _, e := range net.EndPoints {
		u.ends = append(u.ends, int32(e.At.Switch))
	}
	return u, nil
}

func (b *bookSimUGAL) States() int { return int(bookSimDetour) + len(b.net.Switches) }

// Arrival of a packet that enters and leaves at one switch is on that of its group.
func (b *bookSimUGAL) Arrival(state int32) int {
	switch {
	case state == Entering:
		return int(bookSimLast)
	case state >= bookSimDetour: // the destination's switch is that of the detour
		return int(bookSimShort)
	}
	return int(state)
}

// step returns the move of a packet in a state.
func (b *bookSimUGAL) step(sw, to int, state int32) Move {
	if state >= bookSimDetour && int(state-bookSimDetour) == sw {
		state = bookSimShort
	}
	if state >= bookSimDetour {
		h := b.hops(nil, sw, int(state-bookSimDetour))[0]
		return Move{Channel: h.Channel, VC: 0, State: state}
	}
	h := b.hops(nil, sw, to)[0]
	if state == bookSimShort && b.between(h.Channel) {
		state = bookSimLast
	}
	return Move{Channel: h.Channel, VC: uint8(state), State: state}
}

func (b *bookSimUGAL) Moves(list []Move, sw, to int, state int32) []Move {
	groups := b.net.Groups
	switch {
	case state != Entering:
		return append(list, b.step(sw, to, state))
	case groups[sw] == groups[to]:
		return append(list, b.step(sw, to, bookSimLast))
	}
	if b.length(sw, to) > 0 {
		list = append(list, b.step(sw, to, bookSimShort))
	}
	for via := range b.net.Switches {
		if groups[via] != groups[sw] && slices.Contains(b.ends, int32(via)) && b.leads(sw, via, to) {
			list = append(list, b.step(sw, to, bookSimDetour+int32(via)))
		}
	}
	return list
}

// leads tells whether packets get to a switch by way of another one.
func (b *bookSimUGAL) leads(sw, via, to int) bool {
	return b.length(sw, via) >= 0 && b.length(via, to) >= 0
}

// Choose draws an end point of all, and takes the shortest way unless twice the queue towards its
// router, and the bias, is shorter than the queue of the shortest way.
func (b *bookSimUGAL) Choose(v View, p Packet, sw int) Move {
	groups := b.net.Groups
	switch {
	case p.State != Entering:
		return b.step(sw, p.To, p.State)
	case groups[sw] == groups[p.To]:
		return b.step(sw, p.To, bookSimLast)
	}
	via := b.ends[b.random.IntN(len(b.ends))]
	if b.length(sw, p.To) < 0 { // no link joins the groups
		for groups[via] == groups[sw] || !b.leads(sw, int(via), p.To) {
			via = b.ends[b.random.IntN(len(b.ends))]
		}
		return b.step(sw, p.To, bookSimDetour+via)
	}
	straight := b.step(sw, p.To, bookSimShort)
	if groups[via] == groups[sw] || !b.leads(sw, int(via), p.To) {
		return straight
	}
	round := b.step(sw, p.To, bookSimDetour+via)
	if v.Queue(int(straight.Channel)) <= 2*v.Queue(int(round.Channel))+bookSimBias {
		return straight
	}
	return round
}
