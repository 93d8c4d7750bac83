package adaptive

import (
	"slices"
	"sync"

	"musubi/topology"
)

// Avoiding is a scheme whose packets avoid channels that are gone, and what leads only there. They
// take the scheme's own moves, and another one of these where the one that they have chosen leads to
// nothing. So no dependency among channels is added.
type Avoiding struct {
	Scheme
	net  *topology.Network
	gone []bool  // by channel
	to   []reach // by destination
	list []Move  // room
}

// reach tells from where packets can arrive at one switch. Each destination has its own, since those
// who prove a scheme ask for many at once.
type reach struct {
	sync.Mutex
	from map[place]bool // known so far; false while it is looked at
}

// place is where a packet is.
type place struct{ sw, state int32 }

// Avoid returns a scheme that avoids what Without names, which is nothing at first.
func Avoid(s Scheme) *Avoiding {
	net := s.Network()
	return &Avoiding{Scheme: s, net: net, gone: make([]bool, net.Channels()), to: make([]reach, len(net.Switches))}
}

// Without says what is gone. Nobody may ask meanwhile.
func (a *Avoiding) Without(loss topology.Loss) {
	for to := range a.to {
		clear(a.to[to].from)
	}
	for c := range a.gone {
		a.gone[c] = loss.Link(a.net, c>>1)
	}
}

// Reaches reports whether packets that enter at a switch can arrive at another one.
func (a *Avoiding) Reaches(sw, to int) bool {
	defer a.lock(to).Unlock()
	return a.arrives(place{int32(sw), Entering}, to)
}

// lock makes the caller the only one to ask about a destination.
func (a *Avoiding) lock(to int) *reach {
	r := &a.to[to]
	r.Lock()
	if r.from == nil {
		r.from = make(map[place]bool)
	}
	return r
}

// arrives reports whether packets can arrive from a place. The destination is locked.
func (a *Avoiding) arrives(at place, to int) bool {
	if int(at.sw) == to {
		return true
	}
	known := a.to[to].from
	ends, ok := known[at]
	if ok {
		return ends
	}
	known[at] = false
	for _, m := range a.Scheme.Moves(nil, int(at.sw), to, at.state) {
		ends = a.leads(m, to) || ends
	}
	known[at] = ends
	return ends
}

// leads reports whether packets that make a move can arrive. The destination is locked.
func (a *Avoiding) leads(m Move, to int) bool {
	return !a.gone[m.Channel] && a.arrives(place{int32(a.net.To(int(m.Channel)).Switch), m.State}, to)
}

// Moves implements Scheme.
func (a *Avoiding) Moves(list []Move, sw, to int, state int32) []Move {
	defer a.lock(to).Unlock()
	first := len(list)
	list = a.Scheme.Moves(list, sw, to, state)
	left := slices.DeleteFunc(list[first:], func(m Move) bool { return !a.leads(m, to) })
	return list[:first+len(left)]
}

// passes is leads of a destination that is not locked.
func (a *Avoiding) passes(m Move, to int) bool {
	defer a.lock(to).Unlock()
	return a.leads(m, to)
}

// Choose implements Scheme. If no move leads to the destination, the packet makes one all the same,
// and is lost.
func (a *Avoiding) Choose(v View, p Packet, sw int) Move {
	m := a.Scheme.Choose(v, p, sw)
	if a.passes(m, p.To) {
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
