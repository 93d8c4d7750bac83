package nccl

// Kinds of the keys of network operations, besides those of nvls.go and collnet.go.
const (
	gatherBetween = 5 + iota
	gatherInside
	scatterInside
	scatterBetween
)

// nvlsBlocks makes the programs of an all-gather, or of a reduce-scatter, by the switches of a scale-up domain. In an
// all-gather the switches copy the block of each rank to all of its node; between nodes the switches of the network
// first copy it to the ranks with the same number. A reduce-scatter goes the other way: in each node the switches combine
// a block, for the rank that has the number of the one that gets it, and those of the network combine what these have.
func (a *algorithm) nvlsBlocks(reduce bool) (all []program) {
	for c := range a.channels {
		all = append(all, a.blocksOf(len(all), c, reduce)...)
	}
	return all
}

// blocksOf makes the programs of a channel: one inside the node for each number of a rank in it, and one between nodes
// for each node. first is the number of the first of them.
func (a *algorithm) blocksOf(first, channel int, reduce bool) []program {
	block := a.bytes / a.ranks()
	at, n := part(block, channel, a.channels)
	count := 0
	pieces(at, n, a.chunk, func(int, int) { count++ })
	inside, between := make([]program, a.each()), []program(nil)
	if len(a.nodes) > 1 {
		between = make([]program, len(a.nodes))
	}
	for node, ranks := range a.nodes {
		for local, owner := range ranks {
			i := 0
			pieces(owner*block+at, n, a.chunk, func(at, m int) {
				s := blank()
				s.into, s.from, s.bytes = at, at, m
				in := a.insideStep(s, reduce, channel*a.each()+local, local, node*count+i)
				if local == a.local[a.rank] && between != nil {
					out := a.betweenStep(s, reduce, channel*a.each()+local, owner, i)
					later, before, done := &in, first+a.each()+node, i+1
					if reduce {
						later, before, done = &out, first+local, node*count+i+1
					}
					later.after, later.done = before, done
					between[node] = append(between[node], out)
				}
				inside[local] = append(inside[local], in)
				i++
			})
		}
	}
	return append(inside, between...)
}

// insideStep is a piece that the switches of the node copy from the rank with a number, or combine for it.
func (a *algorithm) insideStep(s step, reduce bool, group, local, i int) step {
	members := a.nodes[a.node[a.rank]]
	head := []int{members[local]}
	s.network = &networkStep{from: head, to: members, key: key(gatherInside, a.node[a.rank], group, i)}
	if reduce {
		s.network = &networkStep{from: members, to: head, key: key(scatterInside, a.node[a.rank], group, i)}
	}
	if reduce || members[local] == a.rank {
		s.delay = a.hop(a.rank, members[(a.local[a.rank]+1)%len(members)])
	}
	return s
}

// betweenStep is a piece that the switches of the network copy from its owner to its rail, or combine for it.
func (a *algorithm) betweenStep(s step, reduce bool, group, owner, i int) step {
	rail := a.rail(a.local[owner])
	s.network = &networkStep{from: []int{owner}, to: rail, key: key(gatherBetween, a.node[owner], group, i)}
	if reduce {
		s.network = &networkStep{from: rail, to: []int{owner}, key: key(scatterBetween, a.node[owner], group, i)}
	}
	s.delay = a.hop(a.rank, rail[(a.node[a.rank]+1)%len(rail)])
	return s
}

// key returns the key of a network operation: its kind, a node, a channel and head, and its number among theirs.
func key(kind, node, group, i int) uint64 {
	return uint64(kind)<<60 | uint64(node)<<44 | uint64(group)<<28 | uint64(i)
}
