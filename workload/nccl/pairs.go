package nccl

import (
	"math"
	"math/rand/v2"
)

// allToAll makes the programs of an exchange of blocks between all: in round i a rank sends to the one i places
// behind. The buffer has what is sent and, behind it, what is received, and then what is passed on for others. Rounds are dealt
// out to channels. It returns the size of the buffer as well.
func (a *algorithm) allToAll() (all []program, buffer int) {
	n := a.ranks()
	all = make([]program, a.channels)
	for i := range n {
		c, behind, before := i%a.channels, (a.rank+i)%n, (a.rank-i+n)%n
		out, in := a.block(a.rank, behind), a.block(before, a.rank)
		s := blank()
		s.from, s.into = a.blockAt(a.rank, behind), a.bytes+a.arrivesAt(before)
		send, receive := s, s
		a.leaves(&send, target{behind, i}, a.relayTo(a.rank, behind))
		receive.receive = []source{a.arrives(source{before, i})}
		pieces(0, max(out, in), a.chunk, func(at, m int) {
			for _, t := range []struct {
				step
				bytes int
			}{{send, out}, {receive, in}} {
				if at > 0 && at >= t.bytes {
					continue
				}
				t.step.from += at
				t.step.into += at
				t.step.bytes = min(m, t.bytes-at)
				all[c] = append(all[c], t.step)
			}
		})
	}
	relays, buffer := a.relays(a.bytes + a.received())
	return append(all, relays...), buffer
}

// relayTo is the connection of blocks that a rank sends to another node by way of one of its own.
func (a *algorithm) relayTo(from, to int) int {
	return a.ranks() + a.local[from]*len(a.nodes) + a.node[to]
}

// relays makes the programs that pass on blocks of the others of the node, for each of them in the order of its rounds. The blocks
// lie in the buffer from at on; end is behind them.
func (a *algorithm) relays(at int) (all []program, end int) {
	n := a.ranks()
	for _, from := range a.nodes[a.node[a.rank]] {
		var list []relay
		for i := 1; i < n; i++ {
			to := (from + i) % n
			if a.via(from, to) != a.rank {
				continue
			}
			m := a.block(from, to)
			list = append(list, relay{source{from, a.relayTo(from, to)}, source{to, i}, at, m})
			at += m
		}
		if list != nil {
			all = append(all, a.relayed(list))
		}
	}
	return all, at
}

// block returns how many bytes a rank has for another: as many for each, or with skew, as the experts of a
// mixture that are liked more have more to do, parts by Zipf's law in a random order of ranks.
func (a *algorithm) block(_, to int) int {
	n := a.ranks()
	if a.skew == 0 {
		return a.bytes / n
	}
	return int(float64(a.bytes) * a.weights()[to])
}

// weights returns the parts of the bytes of a rank that are for each rank.
func (a *algorithm) weights() []float64 {
	n := a.ranks()
	weights, sum := make([]float64, n), 0.0
	for i, at := range rand.New(rand.NewPCG(a.seed, 0x6d6f65)).Perm(n) {
		weights[at] = math.Pow(float64(i+1), -a.skew)
		sum += weights[at]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// blockAt returns where a rank has what is for another.
func (a *algorithm) blockAt(from, to int) (at int) {
	for r := range to {
		at += a.block(from, r)
	}
	return at
}

// arrivesAt returns where a rank wants what comes of another.
func (a *algorithm) arrivesAt(from int) int { return from * a.block(from, a.rank) }

// received returns how many bytes the rank receives in an exchange, and most how many any does.
func (a *algorithm) received() (most int) {
	for r := range a.ranks() {
		most = max(most, a.ranks()*a.block(0, r))
	}
	return most
}

// sendReceive makes the programs in which each rank sends to the next and receives from the one before. It returns the size of
// the buffer as well: what is sent, what is received, and what is passed on for others.
func (a *algorithm) sendReceive() (all []program, buffer int) {
	n := a.ranks()
	behind, before := (a.rank+1)%n, (a.rank+n-1)%n
	for c := range a.channels {
		var p program
		at, m := part(a.bytes, c, a.channels)
		pieces(at, m, a.chunk, func(at, m int) {
			s := blank()
			s.from, s.into, s.bytes = at, a.bytes+at, m
			a.leaves(&s, target{behind, c}, a.nextTo(a.rank, c))
			s.receive = []source{a.arrives(source{before, c})}
			p = append(p, split(s)...)
		})
		all = append(all, p)
	}
	buffer = 2 * a.bytes
	for _, from := range a.nodes[a.node[a.rank]] {
		to := (from + 1) % n
		if a.via(from, to) != a.rank {
			continue
		}
		for c := range a.channels {
			at, m := part(a.bytes, c, a.channels)
			all = append(all, a.relayed([]relay{{source{from, a.nextTo(from, c)}, source{to, c}, buffer + at, m}}))
		}
		buffer += a.bytes
	}
	return all, buffer
}

// nextTo is the connection of what a rank sends to the next one by way of one of its node.
func (a *algorithm) nextTo(from, channel int) int { return (1+a.local[from])*a.channels + channel }
