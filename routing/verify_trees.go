package routing

import (
	"fmt"
	"runtime"
	"sync"
)

// addTrees examines routes that are kept as trees, on all cores: each channel of a tree once, for
// all sources whose packets take it.
func (v *verifier) addTrees(r *Routes, t *trees) {
	ends := endSwitches(r.Net)
	sources := newTreeSources(r, ends)
	parts := make([]*treeVerifier, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i := range parts {
		parts[i] = newTreeVerifier(r, t, sources, v.graph.vcs)
		group.Go(func() {
			for _, dst := range ends[i*len(ends)/len(parts) : (i+1)*len(ends)/len(parts)] {
				parts[i].destination(dst)
			}
		})
	}
	group.Wait()
	for _, part := range parts {
		v.merge(part.verifier)
	}
}

// treeSources are the kinds of end points that send, by lane and switch.
type treeSources struct {
	ends  []int
	lanes [][]kindSet
	width int // virtual channels of a lane
}

func newTreeSources(r *Routes, ends []int) *treeSources {
	s := &treeSources{ends: ends, lanes: make([][]kindSet, r.computed.lanes), width: r.computed.vcs}
	for i := range s.lanes {
		s.lanes[i] = make([]kindSet, len(r.Net.Switches))
	}
	for e, sw := range r.computed.at {
		s.lanes[int(r.computed.base[e])/s.width][sw] |= 1 << r.Net.KindOf(e)
	}
	return s
}

// treeVerifier examines the trees to some destinations.
type treeVerifier struct {
	*verifier
	trees   *trees
	sources *treeSources
	census  census

	depth  []int32 // by switch: channels to the destination; 0: not known yet
	order  []int32 // switches of the tree but for the destination, each behind those nearer
	branch []int32
	kinds  []kindSet // by switch: of the end points whose packets pass it
}

// underWay is the depth of a switch on the branch that is being followed.
const underWay = -1

func newTreeVerifier(r *Routes, t *trees, sources *treeSources, vcs int) *treeVerifier {
	v := &treeVerifier{verifier: newVerifier(r.Net, vcs), trees: t, sources: sources, census: takeCensus(r.Net)}
	v.r = r
	v.depth, v.kinds = make([]int32, len(r.Net.Switches)), make([]kindSet, len(r.Net.Switches))
	return v
}

// destination examines the trees to the end points of a switch.
func (v *treeVerifier) destination(dst int) {
	columns := int(v.trees.next.Columns[dst])
	for j := range columns {
		if err := v.measure(dst, j); err != nil {
			if v.proof.Malformed == 0 {
				v.proof.FirstMalformed = err
			}
			v.proof.Malformed++
			continue
		}
		sinks := v.census.group(dst, j, columns).kinds
		for lane, kinds := range v.sources.lanes {
			copy(v.kinds, kinds)
			v.follow(dst, j, lane*v.sources.width, sinks)
		}
	}
}

// measure sets the order of the switches of a tree. It fails if one does not lead to the destination.
func (v *treeVerifier) measure(dst, j int) error {
	clear(v.depth)
	v.order = v.order[:0]
	column := v.trees.next.Column(dst, j)
	for _, src := range v.sources.ends {
		v.branch = v.branch[:0]
		at := src
		for at != dst && v.depth[at] == 0 {
			v.depth[at] = underWay
			v.branch = append(v.branch, int32(at))
			at = int(v.trees.outlet(column, at).to)
		}
		if at != dst && v.depth[at] == underWay {
			return fmt.Errorf("paths from switch %s to %s: they come to switch %s again and again",
				v.r.Net.SwitchName(src), v.r.Net.SwitchName(dst), v.r.Net.SwitchName(at))
		}
		depth := v.depth[at]
		for i := len(v.branch) - 1; i >= 0; i-- {
			depth++
			v.depth[v.branch[i]] = depth
			v.order = append(v.order, v.branch[i])
		}
	}
	return nil
}

// follow adds the channels of a tree on a virtual channel, and their dependencies, for the kinds of
// end points that send to some kinds of sinks.
func (v *treeVerifier) follow(dst, j, vc int, sinks kindSet) {
	column := v.trees.next.Column(dst, j)
	for i := len(v.order) - 1; i >= 0; i-- {
		at := int(v.order[i])
		if v.kinds[at] == 0 {
			continue
		}
		o := v.trees.outlet(column, at)
		from := v.graph.vertex(MakeHop(int(o.channel), vc))
		v.used[from] = true
		to := int(o.to)
		if to == dst {
			continue
		}
		v.kinds[to] |= v.kinds[at]
		next := v.graph.vertex(MakeHop(int(v.trees.outlet(column, to).channel), vc))
		v.graph.add(from, next, pairClasses(v.kinds[at], sinks))
	}
}
