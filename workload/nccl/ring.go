package nccl

// ringOf returns the ranks in the order of the ring of a channel. Inside a node it begins at the rank whose
// interface the channel enters by, and ends at the one that it leaves by; every other node is passed backwards, so
// that rings stay on their rails where there is an even number of nodes.
func (a *algorithm) ringOf(channel int) (order []int) {
	k := a.each()
	for i, ranks := range a.nodes {
		for j := range k {
			at := (channel + j) % k
			if i%2 == 1 {
				at = (channel + k - 1 - j) % k
			}
			order = append(order, ranks[at])
		}
	}
	return order
}

// neighbours returns the position of the rank in the ring of a channel, and the ranks before and behind it.
func (a *algorithm) neighbours(channel int) (order []int, me, before, behind int) {
	order = a.ringOf(channel)
	for i, r := range order {
		if r == a.rank {
			me = i
		}
	}
	n := len(order)
	return order, me, order[(me+n-1)%n], order[(me+1)%n]
}

// ring returns a step of a ring: what is received, if anything, from before, and what is sent behind.
func (a *algorithm) ring(channel, before, behind int, receive, send bool) step {
	s := blank()
	if receive {
		s.receive = []source{{before, connectionsOf * channel}}
	}
	if send {
		s.send = []target{{behind, connectionsOf * channel}}
		s.delay = a.hop(a.rank, behind)
	}
	return s
}

// ringPasses makes the programs of rings in which blocks go round: first those that are reduced on the way,
// then those that are copied. With blocks, each rank has a block of the buffer by itself; else a loop divides the
// next part of the buffer among the ranks.
func (a *algorithm) ringPasses(reduce, gather, blocks bool) (all []program) {
	n := a.ranks()
	for c := range a.channels {
		order, me, before, behind := a.neighbours(c)
		var p program
		loop := func(at func(i int) (int, int)) {
			pass := func(i int, receive, send, reduced bool) {
				s := a.ring(c, before, behind, receive, send)
				at, m := at((i%n + n) % n)
				s.into, s.from, s.bytes, s.reduce = at, at, m, reduced
				p = append(p, s)
			}
			if reduce {
				pass(me-1, false, true, false)
				for j := 2; j < n; j++ {
					pass(me-j, true, true, true)
				}
				pass(me, true, gather, true)
			} else {
				pass(me, false, true, false)
			}
			if gather {
				for j := 1; j < n-1; j++ {
					pass(me-j, true, true, false)
				}
				pass(me+1, true, false, false)
			}
		}
		if blocks {
			block := a.bytes / n
			at, m := part(block, c, a.channels)
			pieces(at, m, a.chunk, func(at, m int) {
				loop(func(i int) (int, int) { return order[i]*block + at, m })
			})
		} else {
			at, m := part(a.bytes, c, a.channels)
			pieces(at, m, n*a.chunk, func(at, m int) {
				each := ((m+n-1)/n + 15) / 16 * 16
				loop(func(i int) (int, int) {
					first := min(i*each, m)
					return at + first, min(each, m-first)
				})
			})
		}
		all = append(all, p)
	}
	return all
}

// line makes the programs of a pipeline along the rings from the root, or with reduce to it.
func (a *algorithm) line(reduce bool) (all []program) {
	for c := range a.channels {
		order, me, before, behind := a.neighbours(c)
		n := len(order)
		first, last := a.root, a.root
		for i, r := range order {
			if r == a.root && reduce {
				first = order[(i+1)%n]
			} else if r == a.root {
				last = order[(i+n-1)%n]
			}
		}
		var p program
		at, m := part(a.bytes, c, a.channels)
		pieces(at, m, a.chunk, func(at, m int) {
			s := a.ring(c, before, behind, order[me] != first, order[me] != last)
			s.into, s.from, s.bytes, s.reduce = at, at, m, reduce
			p = append(p, s)
		})
		all = append(all, p)
	}
	return all
}
