package balance

import (
	"math"
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

// Choices holds one move per destination end point and state, or place of the ways to it. On large networks
// several end points of a switch share a column: the j-th uses column j modulo
// columns.
type Choices struct {
	Columns []int32    // per switch
	first   []int32    // per switch: the number of its first column
	move    [][]uint16 // per column
}

// NewChoices returns a table by state in which no way is chosen yet.
func NewChoices(net *topology.Network, states int) *Choices {
	ch := newColumns(net, states)
	all := make([]uint16, len(ch.move)*states)
	for i := range ch.move {
		ch.move[i], all = all[:states:states], all[states:]
	}
	return ch
}

// newColumns returns a table whose columns do not exist yet.
func newColumns(net *topology.Network, states int) *Choices {
	n := len(net.Switches)
	ch := &Choices{Columns: make([]int32, n), first: make([]int32, n)}
	most, total := max(1, maxChoices/(n*states)), 0
	for sw := range n {
		ch.first[sw] = int32(total)
		ch.Columns[sw] = int32(min(most, len(net.EndPointsAt(sw))))
		total += int(ch.Columns[sw])
	}
	ch.move = make([][]uint16, total)
	return ch
}

// Column returns the choices for the j-th end point of a switch, by state or place.
func (ch *Choices) Column(dst, j int) []uint16 { return ch.move[ch.number(dst, j)] }

func (ch *Choices) number(dst, j int) int {
	if columns := int(ch.Columns[dst]); j >= columns { // mostly not, and a division takes as long as all the rest
		j %= columns
	}
	return int(ch.first[dst]) + j
}

// clone returns a copy that shares no choices.
func (ch *Choices) clone() *Choices {
	c := *ch
	c.move = make([][]uint16, len(ch.move))
	for i, column := range ch.move {
		c.move[i] = slices.Clone(column)
	}
	return &c
}

// copyTo sets the choices of a clone.
func (ch *Choices) copyTo(c *Choices) {
	for i, column := range ch.move {
		copy(c.move[i], column)
	}
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
// passes is kept. What each destination adds to the channels is kept as well, as that
// is faster to take off than to find again along the moves.
type balancer struct {
	net      *topology.Network
	atlas    *ways.Atlas
	channels []channel
	flow     []float64  // per place: host pairs that pass it
	cost     []float64  // per place
	hosts    []int64    // per switch with end points
	ways     *ways.Ways // to the present destination
	places   []int32    // 0 and so on, if columns are by place; nil: they are by state
	all      int64      // hosts
	hostless bool       // some switch with end points has no host
	added    []share    // by the traffic to the present destination, in its order
	kept     [][]share  // per column: what its traffic has added; nil: there was no room
	room     int        // for these, in bytes
}

// share is so many pairs of hosts that use a channel.
type share struct{ channel, pairs uint32 }

const (
	keptShares = 1 << 28 // room for what is added to channels, in bytes
	shareBytes = 8
)

// channel has whole numbers, which float64 holds exactly far beyond the pairs of any network.
type channel struct {
	load float64 // pairs of hosts that use it, times slow
	slow float64 // see Slowness
}

// ByState chooses moves for all destinations, by state.
func ByState(net *topology.Network, a *ways.Atlas) *Choices {
	return newBalancer(net, a).choose(NewChoices(net, a.Guide.States()))
}

// ByPlace chooses the same moves, by place. Where there are several states for each switch, most are no place of the ways
// to a destination.
func ByPlace(net *topology.Network, a *ways.Atlas) *Choices {
	b := newBalancer(net, a)
	b.places = make([]int32, a.Guide.States())
	for x := range b.places {
		b.places[x] = int32(x)
	}
	return b.choose(newColumns(net, len(b.places)))
}

func newBalancer(net *topology.Network, a *ways.Atlas) *balancer {
	b := &balancer{
		net: net, atlas: a,
		channels: make([]channel, net.Channels()),
		flow:     make([]float64, a.Guide.States()),
		cost:     make([]float64, a.Guide.States()),
		hosts:    make([]int64, len(a.Ends)),
		room:     keptShares,
	}
	for c, slow := range Slowness(net) {
		b.channels[c].slow = float64(slow)
	}
	for i, sw := range a.Ends {
		for _, e := range net.EndPointsAt(sw) {
			if net.KindOf(int(e)) == topology.Host {
				b.hosts[i]++
			}
		}
		b.all += b.hosts[i]
		b.hostless = b.hostless || b.hosts[i] == 0
	}
	return b
}

// choose sets the moves to the best that several passes find.
func (b *balancer) choose(ch *Choices) *Choices {
	b.kept = make([][]share, len(ch.move))
	b.pass(ch, b.restore)
	best, least := ch.clone(), b.most()
	bound := b.bound()
	for pass, idle := 0, 0; pass < maxPasses && idle < idlePasses && least > bound; pass++ {
		b.pass(ch, b.reroute)
		idle++
		if most := b.most(); most < least {
			least, idle = most, 0
			ch.copyTo(best)
		}
	}
	return best
}

// bound returns what the load of the most used channel cannot be less than, by the time that it takes: what the
// hosts of one switch send to all others, shared out among its channels. A balanced fat tree reaches it.
func (b *balancer) bound() (most float64) {
	for i, hosts := range b.hosts {
		rate := 0.0
		for _, c := range b.net.Out(b.atlas.Ends[i]) {
			rate += 1 / b.channels[c].slow
		}
		if rate > 0 {
			most = max(most, float64(hosts*(b.all-hosts))/rate)
		}
	}
	return most
}

// most returns the load of the most used channel, by the time that it takes.
func (b *balancer) most() float64 {
	most := 0.0
	for _, c := range b.channels {
		most = max(most, c.load)
	}
	return most
}

// pass calls f for every column of choices, with its number and the number of hosts it is for.
func (b *balancer) pass(ch *Choices, f func(column []uint16, number int, hosts int64)) {
	b.atlas.Each(func(i int, w *ways.Ways) error {
		b.atlas.Keep(i, w)
		b.ways = w
		dst := b.atlas.Ends[i]
		columns := int64(ch.Columns[dst])
		for j := range columns {
			number := ch.number(dst, int(j))
			if ch.move[number] == nil {
				ch.move[number] = make([]uint16, len(w.State))
			}
			f(ch.move[number], number, (b.hosts[i]+columns-1-j)/columns)
		}
		return nil
	})
}

// restore adds the traffic that follows column to the channels.
func (b *balancer) restore(column []uint16, number int, hosts int64) {
	b.shift(column, hosts, 1)
	b.keep(number, hosts)
}

// reroute chooses the moves to one destination anew.
func (b *balancer) reroute(column []uint16, number int, hosts int64) {
	b.takeOff(column, number, hosts)
	b.estimate()
	b.inject(hosts)
	b.send(column, b.hostless || hosts == 0)
	b.keep(number, hosts)
}

// keep keeps what the traffic to some hosts has added to the channels, if there is room.
func (b *balancer) keep(number int, hosts int64) {
	kept := &b.kept[number]
	b.room += cap(*kept) * shareBytes
	if len(b.added)*shareBytes > b.room || b.all*hosts > math.MaxUint32 {
		*kept = nil
		return
	}
	*kept = append((*kept)[:0], b.added...)
	b.room -= cap(*kept) * shareBytes
}

// takeOff takes the traffic that follows column off the channels.
func (b *balancer) takeOff(column []uint16, number int, hosts int64) {
	kept := b.kept[number]
	if kept == nil {
		b.shift(column, hosts, -1)
	}
	channels := b.channels
	for _, s := range kept {
		c := &channels[s.channel]
		c.load -= float64(s.pairs) * c.slow
	}
}

// inject adds the traffic of all hosts to the given number of hosts to the source states.
func (b *balancer) inject(hosts int64) {
	flow, entry := b.flow, b.ways.Entry
	for i, n := range b.hosts {
		if x := entry[i]; x >= 0 {
			flow[x] += float64(n * hosts)
		}
	}
}

// shift adds the traffic that follows column, times sign, to the channels.
func (b *balancer) shift(column []uint16, hosts int64, sign float64) {
	b.inject(hosts)
	b.added = b.added[:0]
	for x, key := range b.keys() {
		f := b.flow[x]
		b.flow[x] = 0
		if moves := b.ways.From(int32(x)); f > 0 && len(moves) > 0 {
			b.move(moves[column[key]], f, sign)
		}
	}
}

// move sends traffic f over a channel, which changes its load by sign times f.
func (b *balancer) move(m ways.Move, f, sign float64) {
	c := &b.channels[m.Channel]
	c.load += sign * f * c.slow
	b.flow[m.To] += f
	b.added = append(b.added, share{uint32(m.Channel), uint32(f)})
}

// keys returns where the choice of each place stands in a column.
func (b *balancer) keys() []int32 {
	if b.places == nil {
		return b.ways.State
	}
	return b.places[:len(b.ways.State)]
}

// price is the cost of a channel with a load. It grows faster than the load, so that many little
// used channels are cheaper than one heavily used one.
func price(load float64) float64 {
	// The conversion keeps compilers from fusing this with a later addition, so
	// that all machines choose alike.
	return float64(load * load * load)
}

// order is a cost as a number of the same order, as costs are never negative. Processors find the least of
// whole numbers without a branch.
func order(cost float64) uint64 { return math.Float64bits(cost) }

// estimate sets the cost of every place that a move leads to, to the price of its cheapest path. The switches of a tree, to which
// no packets for others come, have half of all moves.
func (b *balancer) estimate() {
	const most = math.MaxUint64
	channels, cost := b.channels, b.cost
	moves, begins := b.ways.InnerMoves()
	x := len(b.ways.State) - 1
	for ; x >= 0 && len(b.ways.From(int32(x))) == 0; x-- {
		cost[x] = 0
	}
	least := uint64(most)
	for i, m := range slices.Backward(moves) {
		least = min(least, order(price(channels[m.Channel].load)+cost[m.To]))
		cost[x] = math.Float64frombits(least)
		begin := uint64(begins[i])
		x -= int(begin)
		least |= -begin // most, if the next move is of another place
	}
}

// send chooses the move of every place, or of every place that traffic passes, and adds the traffic to the channels. What it
// needs of the balancer stays in registers.
func (b *balancer) send(column []uint16, everywhere bool) {
	ways, flow, channels, added := b.ways, b.flow, b.channels, b.added[:0]
	for x, key := range b.keys() {
		f := flow[x]
		if f == 0 && !everywhere {
			continue
		}
		flow[x] = 0
		moves := ways.From(int32(x))
		k := 0
		switch len(moves) {
		case 0:
			continue
		case 1:
		default:
			k = b.cheapest(moves, f)
		}
		column[key] = uint16(k)
		m := moves[k]
		c := &channels[m.Channel]
		c.load += f * c.slow
		flow[m.To] += f
		added = append(added, share{uint32(m.Channel), uint32(f)})
	}
	b.added = added
}

// cheapest returns the move at which traffic f adds the least cost, the first of several.
func (b *balancer) cheapest(moves []ways.Move, f float64) int {
	channels, cost := b.channels, b.cost
	best, least := 0, order(math.Inf(1))
	for k, m := range moves {
		c := &channels[m.Channel]
		if o := order(price(c.load+f*c.slow) + cost[m.To]); o < least {
			best, least = k, o
		}
	}
	return best
}
