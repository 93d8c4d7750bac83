package routing

import "musubi/topology"

// knownDependencies tells which dependencies have been added to a graph, as most paths add none. It has a place for each
// hop that may follow another one, which is found faster than the dependency among those of the graph.
type knownDependencies struct {
	vcs, width int
	turn       []int32    // per channel: its place among those that leave the same switch, times vcs
	classes    []classSet // per vertex, width of them; nil: they would take too much memory
}

// mostKnown is how many dependencies can be told from new ones.
const mostKnown = 1 << 25

func newKnownDependencies(net *topology.Network, vcs int) *knownDependencies {
	k := &knownDependencies{vcs: vcs, turn: make([]int32, net.Channels())}
	for sw := range net.Switches {
		out := net.Out(sw)
		k.width = max(k.width, len(out)*vcs)
		for i, c := range out {
			k.turn[c] = int32(i * vcs)
		}
	}
	if n := net.Channels() * vcs; n*k.width <= mostKnown {
		k.classes = make([]classSet, n*k.width)
	}
	return k
}

// take notes that packets of some classes go on from a hop to another one. It returns false if that was known.
func (k *knownDependencies) take(from, to Hop, classes classSet) bool {
	if k.classes == nil {
		return true
	}
	vertex := from.Channel()*k.vcs + from.VC()
	known := &k.classes[vertex*k.width+int(k.turn[to.Channel()])+to.VC()]
	fresh := classes&^*known != 0
	*known |= classes
	return fresh
}
