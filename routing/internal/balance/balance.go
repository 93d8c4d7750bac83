package balance

import (
	"slices"

	"musubi/routing/internal/ways"
	"musubi/topology"
)

// Every destination is routed anew up to maxPasses times; idlePasses passes in a row without an
// improvement end the search.
const (
	maxPasses  = 8
	idlePasses = 2
)

// maxChoices bounds the memory for choices.
const maxChoices = 1 << 27

// Choices holds one move per destination end point and state. On large networks
// several end points of a switch share a column: the j-th uses column j modulo
// columns.
type Choices struct {
	states  int
	Columns []int32 // per switch
	first   []int32 // per switch: the number of its first column
	move    []uint16
}

// NewChoices returns a table in which no way is chosen yet.
func NewChoices(net *topology.Network, states int) *Choices {
	n := len(net.Switches)
	ch := &Choices{states: states, Columns: make([]int32, n), first: make([]int32, n)}
	most, total := max(1, maxChoices/(n*states)), 0
	for sw := range n {
		ch.first[sw] = int32(total)
		ch.Columns[sw] = int32(min(most, len(net.EndPointsAt(sw))))
		total += int(ch.Columns[sw])
	}
	ch.move = make([]uint16, total*states)
	return ch
}

// Column returns the choices for the j-th end point of a switch, by state.
func (ch *Choices) Column(dst, j int) []uint16 {
	first := (int(ch.first[dst]) + j%int(ch.Columns[dst])) * ch.states
	return ch.move[first : first+ch.states]
}

// balancer spreads the paths so that the most used channel carries few. The load
// of a channel is the number of pairs of hosts whose path uses it.
//
// Where links differ in rate, a pair counts for as much more as its channel is slower.
//
// It begins with the low-port paths and then routes one destination end point
// after the other anew, in view of all others. From the present loads it takes
// the cost of each state, nearest first; then it sends the traffic of all
// sources towards the destination, farthest first, each state choosing its
// cheapest move with the traffic collected there included. The best of several
// passes is kept.
type balancer struct {
	net   *topology.Network
	atlas *ways.Atlas
	load  []int64    // per channel
	slow  []int64    // per channel: see slowness
	flow  []int64    // per place: host pairs that pass it
	cost  []float64  // per place
	hosts []int64    // per switch with end points
	ways  *ways.Ways // to the present destination
}

// Balance chooses moves for all destinations.
func Balance(net *topology.Network, a *ways.Atlas) *Choices {
	b := &balancer{
		net: net, atlas: a,
		load:  make([]int64, net.Channels()),
		slow:  Slowness(net),
		flow:  make([]int64, a.Guide.States()),
		cost:  make([]float64, a.Guide.States()),
		hosts: make([]int64, len(a.Ends)),
	}
	for i, sw := range a.Ends {
		for _, e := range net.EndPointsAt(sw) {
			if net.KindOf(int(e)) == topology.Host {
				b.hosts[i]++
			}
		}
	}
	ch := NewChoices(net, a.Guide.States())
	b.pass(ch, b.restore)
	best, least := slices.Clone(ch.move), b.most()
	for pass, idle := 0, 0; pass < maxPasses && idle < idlePasses; pass++ {
		b.pass(ch, b.reroute)
		idle++
		if most := b.most(); most < least {
			least, idle = most, 0
			copy(best, ch.move)
		}
	}
	ch.move = best
	return ch
}

// most returns the load of the most used channel, by the time that it takes.
func (b *balancer) most() int64 {
	most := int64(0)
	for c, l := range b.load {
		most = max(most, l*b.slow[c])
	}
	return most
}

// pass calls f for every column of choices, with the number of hosts it is for.
func (b *balancer) pass(ch *Choices, f func(column []uint16, hosts int64)) {
	b.atlas.Each(func(i int, w *ways.Ways) error {
		b.atlas.Keep(i, w)
		b.ways = w
		dst := b.atlas.Ends[i]
		columns := int64(ch.Columns[dst])
		for j := range columns {
			f(ch.Column(dst, int(j)), (b.hosts[i]+columns-1-j)/columns)
		}
		return nil
	})
}

// restore adds the traffic that follows column to the channels.
func (b *balancer) restore(column []uint16, hosts int64) { b.shift(column, hosts, 1) }

// reroute chooses the moves to one destination anew.
func (b *balancer) reroute(column []uint16, hosts int64) {
	b.shift(column, hosts, -1)
	b.estimate()
	b.inject(hosts)
	b.send(column)
}

// inject adds the traffic of all hosts to the given number of hosts to the source states.
func (b *balancer) inject(hosts int64) {
	for i, n := range b.hosts {
		if x := b.ways.Entry[i]; x >= 0 {
			b.flow[x] += n * hosts
		}
	}
}

// shift adds the traffic that follows column, times sign, to the channels.
func (b *balancer) shift(column []uint16, hosts, sign int64) {
	b.inject(hosts)
	for x, state := range b.ways.State {
		f := b.flow[x]
		b.flow[x] = 0
		if moves := b.ways.From(int32(x)); f > 0 && len(moves) > 0 {
			m := moves[column[state]]
			b.load[m.Channel] += sign * f
			b.flow[m.To] += f
		}
	}
}

// price is the cost of a channel with a load. It grows faster than the load, so that many little
// used channels are cheaper than one heavily used one.
func price(load int64) float64 {
	l := float64(load)
	// The conversion keeps compilers from fusing this with a later addition, so
	// that all machines choose alike.
	return float64(l * l * l)
}

// estimate sets the cost of every place to the price of its cheapest path.
func (b *balancer) estimate() {
	for x := len(b.ways.State) - 1; x >= 0; x-- {
		b.cost[x] = 0
		for k, s := range b.ways.From(int32(x)) {
			if c := price(b.load[s.Channel]*b.slow[s.Channel]) + b.cost[s.To]; k == 0 || c < b.cost[x] {
				b.cost[x] = c
			}
		}
	}
}

// send chooses the move of every place and adds the traffic to the channels.
func (b *balancer) send(column []uint16) {
	for x, state := range b.ways.State {
		f := b.flow[x]
		b.flow[x] = 0
		moves := b.ways.From(int32(x))
		if len(moves) == 0 {
			continue
		}
		k := b.cheapest(moves, f)
		column[state] = uint16(k)
		b.load[moves[k].Channel] += f
		b.flow[moves[k].To] += f
	}
}

// cheapest returns the move at which traffic f adds the least cost.
func (b *balancer) cheapest(moves []ways.Move, f int64) int {
	best, least := 0, 0.0
	for k, s := range moves {
		if c := price((b.load[s.Channel]+f)*b.slow[s.Channel]) + b.cost[s.To]; k == 0 || c < least {
			best, least = k, c
		}
	}
	return best
}
