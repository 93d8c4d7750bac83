package adaptive

import (
	"slices"

	"musubi/topology"
)

// Avoiding is a scheme whose packets avoid channels that are gone, and what leads only there. They
// take the scheme's own moves, and another one of these where the one that they have chosen leads to
// nothing. So no dependency among channels is added.
type Avoiding struct {
	Scheme
	net  *topology.Network
	gone []bool         // by channel
	ends map[place]bool // known so far: whether packets can arrive from there; false while it is looked at
	list []Move         // room
}

// place is where a packet to a switch is.
type place struct{ sw, to, state int32 }

// Avoid returns a scheme that avoids what Without names, which is nothing at first.
func Avoid(s Scheme) *Avoiding {
	return &Avoiding{Scheme: s, net: s.Network(), gone: make([]bool, s.Network().Channels()), ends: make(map[place]bool)}
}

// Without says what is gone.
func (a *Avoiding) Without(loss topology.Loss) {
	clear(a.ends)
	for c := range a.gone {
		a.gone[c] = loss.Link(a.net, c>>1)
	}
}

// Reaches reports whether packets that enter at a switch can arrive at another one.
func (a *Avoiding) Reaches(sw, to int) bool { return a.arrives(place{int32(sw), int32(to), Entering}) }

// arrives reports whether packets can arrive from a place.
func (a *Avoiding) arrives(at place) bool {
	if at.sw == at.to {
		return true
	}
	ends, known := a.ends[at]
	if known {
		return ends
	}
	a.ends[at] = false
	for _, m := range a.Scheme.Moves(nil, int(at.sw), int(at.to), at.state) {
		ends = a.leads(m, int(at.to)) || ends
	}
	a.ends[at] = ends
	return ends
}

// leads reports whether packets that make a move can arrive.
func (a *Avoiding) leads(m Move, to int) bool {
	return !a.gone[m.Channel] && a.arrives(place{int32(a.net.To(int(m.Channel)).Switch), int32(to), m.State})
}

// Moves implements Scheme.
func (a *Avoiding) Moves(list []Move, sw, to int, state int32) []Move {
	first := len(list)
	list = a.Scheme.Moves(list, sw, to, state)
	left := slices.DeleteFunc(list[first:], func(m Move) bool { return !a.leads(m, to) })
	return list[:first+len(left)]
}

// Choose implements Scheme. If no move leads to the destination, the packet makes one all the same,
// and is lost.
func (a *Avoiding) Choose(v View, p Packet, sw int) Move {
	m := a.Scheme.Choose(v, p, sw)
	if a.leads(m, p.To) {
		return m
	}
	a.list = a.Moves(a.list[:0], sw, p.To, p.State)
	if len(a.list) == 0 {
		return m
	}
	best := a.list[mix(uint64(p.Src)<<42^uint64(p.Dst)<<21^uint64(sw))%uint64(len(a.list))]
	if a.Name() == "ecmp" {
		return best
	}
	for _, other := range a.list {
		if v.Queue(int(other.Channel)) < v.Queue(int(best.Channel)) {
			best = other
		}
	}
	return best
}
