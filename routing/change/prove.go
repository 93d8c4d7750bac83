package change

import (
	"slices"

	"musubi/topology"
)

// Transition is what is known of the way from old tables to new ones, while switches change one
// after the other and sources keep service levels from before for a while.
type Transition struct {
	Old, New *Forwarding
	Loss     topology.Loss // what packets cannot pass in the meantime
	// OldFree and NewFree say that the old and the new tables are free of deadlock by themselves.
	OldFree, NewFree bool
	// Destinations and Switches have entries or lanes that differ.
	Destinations, Switches []int
	// Cycle is a shortest cycle of dependencies that mixes of old and new entries close. nil: the
	// switches may change in any order, and without waiting for each other.
	Cycle []Held
}

// Held is a channel of a lane in a cycle: packets to Destination hold it and wait for the next.
type Held struct {
	Channel, Lane int
	Destination   int
}

// AnyOrder reports whether switches may change in any order.
func (t *Transition) AnyOrder() bool { return t.Cycle == nil }

// Prove examines the transition from one set of tables to another of the same network with the same
// LIDs. What the loss names is gone before it begins.
func Prove(old, new *Forwarding, loss topology.Loss) *Transition {
	t := &Transition{Old: old, New: new, Loss: loss}
	t.OldFree = free(newMixture(old, old, loss))
	t.NewFree = free(newMixture(new, new, loss))
	for d := range old.Destinations {
		if t.differs(d) {
			t.Destinations = append(t.Destinations, d)
		}
	}
	for s := range old.Net.Switches {
		if t.changes(s) {
			t.Switches = append(t.Switches, s)
		}
	}
	t.Cycle = shortest(newMixture(old, new, loss))
	return t
}

// differs reports whether packets to a destination may go another way, or on another level.
func (t *Transition) differs(d int) bool {
	to := t.Old.Destinations[d]
	if to.EndPoint < 0 || t.Loss.Switches[to.Switch] {
		return false
	}
	for s := range t.Old.Net.Switches {
		if t.Loss.Switches[s] {
			continue
		}
		if t.Old.next[d][s] != t.New.next[d][s] || t.Old.lane.at(to, s) != t.New.lane.at(to, s) {
			return true
		}
	}
	return !t.sameLanes()
}

// changes reports whether the tables of a switch change.
func (t *Transition) changes(s int) bool {
	if t.Loss.Switches[s] {
		return false
	}
	for d, to := range t.Old.Destinations {
		if to.EndPoint >= 0 && !t.Loss.Switches[to.Switch] && t.Old.next[d][s] != t.New.next[d][s] {
			return true
		}
	}
	if t.Old.lane.plain && t.New.lane.plain {
		return false
	}
	a, b := t.Old.Tables.Lanes, t.New.Tables.Lanes
	return (a == nil) != (b == nil) || a != nil && !slices.Equal(a[s], b[s])
}

func (t *Transition) sameLanes() bool {
	return t.Old.lane.plain && t.New.lane.plain || slices.EqualFunc(t.Old.Tables.Lanes, t.New.Tables.Lanes, slices.Equal[[]uint8])
}

// dependencies collects all dependencies of a mixture, as a graph.
func dependencies(m *mixture) [][]int32 {
	next := make([][]int32, vertices(m.side[0].Net))
	for d := range m.side[0].Destinations {
		m.walk(d, func(from, to int32) bool {
			if !slices.Contains(next[from], to) {
				next[from] = append(next[from], to)
			}
			return true
		})
	}
	return next
}

// free reports whether the dependencies of a mixture close no cycle.
func free(m *mixture) bool { return len(onCycles(dependencies(m))) == 0 }

// onCycles returns the vertices that lie on cycles or between them: those that are left when, again
// and again, those without successors or without predecessors are taken away.
func onCycles(next [][]int32) []int32 {
	gone := make([]bool, len(next))
	prior := make([][]int32, len(next))
	for v, list := range next {
		for _, w := range list {
			prior[w] = append(prior[w], int32(v))
		}
	}
	strip(prior, next, gone)
	strip(next, prior, gone)
	var left []int32
	for v := range next {
		if !gone[v] {
			left = append(left, int32(v))
		}
	}
	return left
}

// strip takes away vertices to which no edge leads, again and again. next are the edges, prior the
// same backwards.
func strip(next, prior [][]int32, gone []bool) {
	degree := make([]int, len(next))
	var queue []int32
	for v := range next {
		for _, w := range prior[v] {
			if !gone[w] {
				degree[v]++
			}
		}
		if !gone[v] && degree[v] == 0 {
			queue = append(queue, int32(v))
		}
	}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		gone[v] = true
		for _, w := range next[v] {
			if degree[w]--; degree[w] == 0 && !gone[w] {
				queue = append(queue, w)
			}
		}
	}
}

// maxStarts bounds the vertices from which a shortest cycle is looked for.
const maxStarts = 2000

// shortest returns a shortest cycle of the dependencies of a mixture, or nearly so in large graphs.
func shortest(m *mixture) []Held {
	next := dependencies(m)
	left := onCycles(next)
	var best []int32
	parent := make([]int32, len(next))
	seen := make([]int32, len(next))
	for i, root := range left[:min(len(left), maxStarts)] {
		if c := cycleThrough(next, root, parent, seen, int32(i+1), len(best)); c != nil {
			best = c
		}
	}
	if best == nil && len(left) > 0 { // no start lay on a cycle
		for i, root := range left {
			if best = cycleThrough(next, root, parent, seen, int32(maxStarts+i+1), 0); best != nil {
				break
			}
		}
	}
	return witnesses(m, best)
}

// cycleThrough returns a shortest cycle through root if it is shorter than limit, 0 for any.
func cycleThrough(next [][]int32, root int32, parent, seen []int32, stamp int32, limit int) []int32 {
	queue := []int32{root}
	depth := map[int32]int{root: 1}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		if limit > 0 && depth[v] >= limit {
			return nil
		}
		for _, w := range next[v] {
			if w == root {
				cycle := []int32{v}
				for v != root {
					v = parent[v]
					cycle = append(cycle, v)
				}
				slices.Reverse(cycle)
				return cycle
			}
			if seen[w] != stamp {
				seen[w], parent[w] = stamp, v
				depth[w] = depth[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return nil
}

// witnesses finds a destination for each dependency of a cycle.
func witnesses(m *mixture, cycle []int32) []Held {
	if cycle == nil {
		return nil
	}
	held := make([]Held, len(cycle))
	place := make(map[[2]int32]int)
	for i, v := range cycle {
		held[i] = Held{int(v / numLevels), int(v % numLevels), -1}
		place[[2]int32{v, cycle[(i+1)%len(cycle)]}] = i
	}
	for d := range m.side[0].Destinations {
		m.walk(d, func(from, to int32) bool {
			if i, ok := place[[2]int32{from, to}]; ok && held[i].Destination < 0 {
				held[i].Destination = d
			}
			return true
		})
	}
	return held
}
