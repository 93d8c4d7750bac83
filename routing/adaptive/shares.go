package adaptive

import (
	"fmt"

	"musubi/topology"
)

// Shares is what channels carry in the mean, where packets choose by chance alone: each next hop that a scheme
// offers equally often, and of detours each place. Schemes that look at queues come close to that as long as queues
// are short, or equal; UGAL then takes no detours.
type Shares struct {
	// Load is how many of the pairs of end points use a channel, each pair in parts.
	Load []float64
	// Pairs are those on different switches, and Hops the mean number of links between switches on their ways.
	Pairs, Hops float64
}

// SharesOf returns the shares of all ordered pairs of hosts.
func SharesOf(s Scheme) (*Shares, error) {
	net := s.Network()
	hosts := make([]float64, len(net.Switches))
	for e := range net.Hosts() {
		hosts[net.EndPoints[e].At.Switch]++
	}
	return sharesOf(s, func(sw, to int) float64 { return hosts[sw] * hosts[to] })
}

// SharesBetween returns the shares of one pair of switches.
func SharesBetween(s Scheme, from, end int) (*Shares, error) {
	return sharesOf(s, func(sw, to int) float64 {
		if sw == from && to == end {
			return 1
		}
		return 0
	})
}

// SharesAre says in words what the shares of a scheme are.
func SharesAre(s Scheme) string {
	if by, says := s.(sharer); says {
		return by.division()
	}
	return ""
}

// sharer is a scheme that says how it divides packets.
type sharer interface {
	// divide sends packets; weight is how many go from a switch to another one.
	divide(f *flows, weight func(sw, to int) float64)
	// division says in words how.
	division() string
}

func sharesOf(s Scheme, weight func(sw, to int) float64) (*Shares, error) {
	by, says := s.(sharer)
	if !says {
		return nil, fmt.Errorf("routing %s does not say how it divides packets", s.Name())
	}
	f := &flows{net: s.Network(), load: make([]float64, s.Network().Channels())}
	between := func(sw, to int) float64 {
		if sw == to {
			return 0
		}
		return weight(sw, to)
	}
	by.divide(f, between)
	shares := &Shares{Load: f.load}
	for sw := range f.net.Switches {
		for to := range f.net.Switches {
			shares.Pairs += between(sw, to)
		}
	}
	for _, load := range f.load {
		shares.Hops += load
	}
	if shares.Pairs > 0 {
		shares.Hops /= shares.Pairs
	}
	return shares, nil
}

// flows adds up what channels carry.
type flows struct {
	net  *topology.Network
	load []float64
}

// hopper is the next hops to a switch, or to a place.
type hopper interface {
	hops(list []Hop, sw, to int) []Hop
}

// toAll sends packets from all switches to all others by the next hops of a basis.
func (f *flows) toAll(b hopper, weight func(sw, to int) float64) {
	demand := make([]float64, len(f.net.Switches))
	for to := range f.net.Switches {
		any := false
		for sw := range demand {
			demand[sw] = weight(sw, to)
			any = any || demand[sw] > 0
		}
		if any {
			f.push(b, to, demand)
		}
	}
}

// push sends packets to a switch, or place, and divides them equally among the next hops. It changes demand, which then says how
// many have come to each switch.
func (f *flows) push(b hopper, to int, demand []float64) {
	order, next := f.sorted(b, to, demand)
	for i := len(order) - 1; i >= 0; i-- {
		sw := order[i]
		hops := next[sw]
		part := demand[sw] / float64(len(hops))
		for _, h := range hops {
			f.load[h.Channel] += part
			demand[f.net.To(int(h.Channel)).Switch] += part
		}
		if len(hops) > 0 {
			demand[sw] = 0
		}
	}
}

// sorted returns the switches that packets pass, each behind all that they come to from there, and their next hops.
func (f *flows) sorted(b hopper, to int, demand []float64) (order []int, next map[int][]Hop) {
	next = make(map[int][]Hop)
	var visit func(sw int)
	visit = func(sw int) {
		if _, seen := next[sw]; seen {
			return
		}
		next[sw] = b.hops(nil, sw, to)
		for _, h := range next[sw] {
			visit(f.net.To(int(h.Channel)).Switch)
		}
		order = append(order, sw)
	}
	for sw, packets := range demand {
		if packets > 0 {
			visit(sw)
		}
	}
	return order, next
}

func (m *minimal) divide(f *flows, weight func(sw, to int) float64) { f.toAll(m.basis, weight) }

func (m *minimal) division() string { return "each next hop of the shortest ways equally often" }

func (b *bookSimMin) division() string { return "the shortest ways" }

func (b *bookSimMin) divide(f *flows, weight func(sw, to int) float64) { f.toAll(first{b}, weight) }

// first takes the first of some next hops.
type first struct{ hopper }

func (o first) hops(list []Hop, sw, to int) []Hop {
	all := o.hopper.hops(nil, sw, to)
	return append(list, all[:min(1, len(all))]...)
}

func (d *detour) division() string {
	if d.when != always {
		return "each next hop of the shortest ways equally often, as while queues are short; detours are not in it"
	}
	return "each intermediate place equally often, and each next hop on the way there and from there"
}

// divide sends packets by detours if the scheme always takes them, or no link joins the groups.
func (d *detour) divide(f *flows, weight func(sw, to int) float64) {
	n := len(f.net.Switches)
	ways := make([]int, n*n) // places that packets go by from a switch to another one; 0: they go straight
	for sw := range n {
		for to := range n {
			if sw == to || !d.strays(sw, to) || weight(sw, to) == 0 {
				continue
			}
			for place := range d.first.places() {
				if d.first.suits(sw, to, place) {
					ways[sw*n+to]++
				}
			}
		}
	}
	second := make([][]float64, n) // by destination and switch: packets that have come there by a detour
	for to := range second {
		second[to] = make([]float64, n)
		for sw := range n {
			if ways[sw*n+to] == 0 {
				second[to][sw] = weight(sw, to)
			}
		}
	}
	for place := range d.first.places() {
		d.toPlaceFrom(f, place, func(sw, to int) float64 {
			if all := ways[sw*n+to]; all > 0 && d.first.suits(sw, to, place) {
				return weight(sw, to) / float64(all)
			}
			return 0
		}, second)
	}
	for to, demand := range second {
		f.push(d.basis, to, demand)
	}
}

// strays tells whether packets between two switches always take a detour.
func (d *detour) strays(sw, to int) bool {
	g, groups := d.first.(*toGroups)
	return d.when == always || groups && g.length(sw, int(d.net.Groups[to])) < 0
}

// toPlaceFrom sends packets to a place, and enters where they get there for each destination. Those that pass their destination
// on the way stay there.
func (d *detour) toPlaceFrom(f *flows, place int, weight func(sw, to int) float64, second [][]float64) {
	n := len(f.net.Switches)
	at, from := make([][]float64, n), make([]float64, n) // by switch: packets for each destination, and of all
	for sw := range at {
		at[sw] = make([]float64, n)
		for to := range n {
			at[sw][to] = weight(sw, to)
			from[sw] += at[sw][to]
		}
	}
	order, next := f.sorted(d.first, place, from)
	for i := len(order) - 1; i >= 0; i-- {
		sw := order[i]
		if len(next[sw]) == 0 {
			for to, packets := range at[sw] {
				second[to][sw] += packets
			}
		}
		for _, h := range next[sw] {
			on := f.net.To(int(h.Channel)).Switch
			for to, packets := range at[sw] {
				part := packets / float64(len(next[sw]))
				f.load[h.Channel] += part
				if to != on {
					at[on][to] += part
				}
			}
		}
	}
}

func (b *bookSimUGAL) division() string {
	return "the shortest ways, as while queues are short; detours are not in it"
}

// divide sends packets the shortest way, and where no link joins two groups by way of a router, each that has end
// points equally often.
func (b *bookSimUGAL) divide(f *flows, weight func(sw, to int) float64) {
	f.toAll(first{b}, func(sw, to int) float64 {
		if b.length(sw, to) < 0 {
			return 0
		}
		return weight(sw, to)
	})
	for sw := range f.net.Switches {
		for to := range f.net.Switches {
			if sw == to || b.length(sw, to) >= 0 || weight(sw, to) == 0 {
				continue
			}
			var via []int
			for _, at := range b.ends {
				if b.net.Groups[at] != b.net.Groups[sw] && b.leads(sw, int(at), to) {
					via = append(via, int(at))
				}
			}
			for _, at := range via {
				demand := make([]float64, len(f.net.Switches))
				demand[sw] = weight(sw, to) / float64(len(via))
				f.push(first{b}, at, demand)
				f.push(first{b}, to, demand)
			}
		}
	}
}
