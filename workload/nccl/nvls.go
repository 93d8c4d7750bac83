package nccl

// nvls makes the programs of reductions by the switches of a scale-up domain: each rank is the head of a part of
// the buffer, which the switches combine for it, and copy from it to all. Between nodes the heads of a part
// reduce by double trees (NVLSTree), or switches of the network do (SHARP).
func (a *algorithm) nvls(trees bool) (all []program) {
	members := a.nodes[a.node[a.rank]]
	k := len(members)
	for c := range a.channels {
		at, m := part(a.bytes, c, a.channels)
		for h, head := range members {
			first, n := part(m, h, k)
			all = append(all, a.headed(len(all), c, h, head, at+first, n, trees)...)
		}
	}
	return all
}

// headed makes the programs of a part of the buffer that has a head: to it, between the nodes, and from it.
// first is the number of the first of them.
func (a *algorithm) headed(first, channel, h, head, at, n int, trees bool) []program {
	members := a.nodes[a.node[a.rank]]
	group := (channel*a.each() + h)
	reduce, copied := program{}, program{}
	programs := []program{nil, nil, nil, nil}
	single := len(a.nodes) == 1
	if a.rank == head && !single {
		up, down := blank(), blank()
		if trees {
			root := a.between(channel, h, group, &up, &down)
			copy(programs[2:], a.passes(at, n, root, up, down))
		} else {
			pieces(at, n, a.chunk, func(at, n int) {
				s := blank()
				s.network = &networkStep{from: a.rail(h), to: a.rail(h), key: key(3, 0, group, len(programs[2]))}
				s.into, s.from, s.bytes, s.delay = at, at, n, a.hop(a.rank, a.rail(h)[(a.node[a.rank]+1)%len(a.nodes)])
				programs[2] = append(programs[2], s)
			})
		}
		for i := range programs[2] {
			programs[2][i].after, programs[2][i].done = first, i+1
		}
	}
	last := first + 2 // program whose steps make what is copied complete
	if len(programs[3]) > 0 {
		last = first + 3
	}
	if single {
		last = first
	}
	i := 0
	pieces(at, n, a.chunk, func(at, n int) {
		s := blank()
		s.into, s.from, s.bytes = at, at, n
		s.network = &networkStep{from: members, to: []int{head}, key: key(1, a.node[a.rank], group, i)}
		reduce = append(reduce, s)
		s.network = &networkStep{from: []int{head}, to: members, key: key(2, a.node[a.rank], group, i)}
		if a.rank == head {
			s.after, s.done = last, i+1
			s.delay = a.hop(a.rank, members[(h+1)%len(members)])
		}
		copied = append(copied, s)
		i++
	})
	programs[0], programs[1] = reduce, copied
	return programs
}

// rail returns the ranks with a number in their nodes.
func (a *algorithm) rail(local int) (ranks []int) {
	for _, n := range a.nodes {
		ranks = append(ranks, n[local])
	}
	return ranks
}
