package routing

import (
	"fmt"

	"musubi/routing/internal/balance"
	"musubi/routing/internal/ways"
	"musubi/topology"
)

// trees are the paths of a fabric that forwards by destination alone, where packets stay on one
// virtual channel: those to an end point form a tree. A tree takes two bytes per switch, and is a
// column of choices.
type trees struct {
	next    *balance.Choices // by column and switch: which of the channels out of the switch packets take
	out     []outlet         // of all switches, in their order
	first   []int32          // by switch: its first in out; at the end len(out)
	maxHops int              // of a path
}

// outlet is a channel out of a switch. A walk looks at one per hop, and at nothing else of the network, which does not fit in
// the processor's nearest caches.
type outlet struct {
	channel int32
	to      int32 // the switch that it leads to
}

// newTrees returns trees of choices that are to be made yet.
func newTrees(net *topology.Network, next *balance.Choices) *trees {
	t := &trees{next: next, first: make([]int32, 1, len(net.Switches)+1), out: make([]outlet, 0, net.Channels())}
	for sw := range net.Switches {
		for _, c := range net.Out(sw) {
			t.out = append(t.out, outlet{c, int32(net.To(int(c)).Switch)})
		}
		t.first = append(t.first, int32(len(t.out)))
	}
	return t
}

// outlets returns the channels out of a switch.
func (t *trees) outlets(sw int) []outlet { return t.out[t.first[sw]:t.first[sw+1]] }

// treeSwitches is the number of switches with end points up to which paths are kept one by one.
const treeSwitches = 64

// keepsTrees reports whether the paths of an algorithm that keeps packets on one virtual channel
// are kept as trees.
func keepsTrees(net *topology.Network, opt Options) bool {
	return opt.DestinationOnly && len(endSwitches(net)) > treeSwitches
}

// mostTreeSwitches bounds the time that trees take, which grows with the square of the switches: some
// minutes.
const mostTreeSwitches = 1 << 15

// checkTrees fails if the trees of a network take more time than anybody waits for, or more
// memory than is free.
func checkTrees(net *topology.Network, free func() int64) error {
	if n := len(net.Switches); n > mostTreeSwitches {
		return fmt.Errorf("the network has %d switches; paths by destination are sought for at most %d", n, mostTreeSwitches)
	}
	return checkFree(treeBytes(net), free)
}

// treeBytes returns how many bytes the trees of a network take.
func treeBytes(net *topology.Network) int64 {
	return 2 * int64(len(net.EndPoints)) * int64(len(net.Switches))
}

// buildTrees is build for routes that are kept as trees.
func (p *plan) buildTrees() (*Routes, error) {
	p.atlas = ways.NewAtlas(p.guide, endSwitches(p.net))
	sel := newSelector(p)
	choices := sel.balanced
	if choices == nil {
		choices = balance.NewChoices(p.net, len(p.net.Switches))
	}
	t := newTrees(p.net, choices)
	var hops []int32
	err := p.atlas.Each(func(i int, w *ways.Ways) error {
		dst := p.atlas.Ends[i]
		for k, src := range p.atlas.Ends {
			if w.Entry[k] < 0 {
				return p.noPath(src, dst)
			}
		}
		for j := range int(t.next.Columns[dst]) {
			hops = t.grow(hops, sel, w, dst, j)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newComputed(p, t), nil
}

// grow sets the tree to the j-th end point of a switch to what the selector takes of the legal moves.
func (t *trees) grow(hops []int32, sel *selector, w *ways.Ways, dst, j int) []int32 {
	column := t.next.Column(dst, j)
	hops = append(hops[:0], make([]int32, len(w.State))...)
	for x := len(w.State) - 1; x >= 0; x-- { // the nearest first
		moves := w.From(int32(x))
		if len(moves) == 0 {
			continue
		}
		m := moves[sel.toDestination(moves, w.State[x], dst, j)]
		hops[x] = hops[m.To] + 1
		t.maxHops = max(t.maxHops, int(hops[x]))
		for k, o := range t.outlets(int(w.State[x])) {
			if o.channel == m.Channel {
				column[w.State[x]] = uint16(k)
			}
		}
	}
	return hops
}

// channel returns which channel packets take from a switch to the j-th end point of another one.
func (t *trees) channel(at, dst, j int) int {
	return int(t.outlet(t.next.Column(dst, j), at).channel)
}

// outlet returns which channel packets take from a switch, by the column of choices for where they go.
func (t *trees) outlet(column []uint16, at int) outlet {
	return t.out[int(t.first[at])+int(column[at])]
}

// walk implements rule. It ends in trees that lead round in a ring, too.
func (t *trees) walk(p Path, base, src, dst, _, j int) Path {
	column := t.next.Column(dst, j)
	for at, left := src, len(t.first)-1; at != dst && left > 0; left-- {
		o := t.outlet(column, at)
		p = append(p, MakeHop(int(o.channel), base))
		at = int(o.to)
	}
	return p
}

// forks implements rule.
func (t *trees) forks() (bySource, byDestination bool) { return false, true }

// longest implements rule.
func (t *trees) longest() int { return t.maxHops }

// statistics implements rule: all paths are looked at.
func (t *trees) statistics(int64) (Statistics, bool) { return Statistics{}, false }

// covers implements rule: all trees are looked at.
func (t *trees) covers(*Routes) bool { return false }

// prove implements rule.
func (t *trees) prove(int) (string, error) {
	return "", fmt.Errorf("trees have no structure; expected all of them to be looked at")
}

// Trees reports whether all packets to an end point follow one tree and stay on one virtual channel,
// whatever switch they come from, so that NextToward gives the paths.
func (r *Routes) Trees() bool {
	_, ok := r.treesRule()
	return ok
}

func (r *Routes) treesRule() (*trees, bool) {
	if r.computed == nil {
		return nil, false
	}
	t, ok := r.computed.rule.(*trees)
	return t, ok
}

// NextToward returns the channel by which packets to an end point leave a switch with end points,
// or one that such packets pass; -1 at the switch of the end point. The routes must be Trees.
func (r *Routes) NextToward(sw, dst int) int {
	at := int(r.computed.at[dst])
	if sw == at {
		return -1
	}
	return r.computed.rule.(*trees).channel(sw, at, int(r.local[dst]))
}
