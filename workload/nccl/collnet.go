package nccl

// collNet makes the programs of reductions by the switches of the network (CollNetDirect): inside a node each rank
// is the head of a part, to which the others send theirs; the switches of the network combine the parts of heads
// with the same number; and each head sends its part to the others of its node.
func (a *algorithm) collNet() (all []program) {
	members := a.nodes[a.node[a.rank]]
	k, me := len(members), a.local[a.rank]
	for c := range a.channels {
		at, m := part(a.bytes, c, a.channels)
		// Connections: by the number of the sender, up and then down.
		up := func(from, head int) int { return 2*k*(c*k+head)/1 + from }
		down := func(from, head int) int { return up(from, head) + k }
		first := len(all)
		var gather, combine, scatter program
		for h, head := range members {
			place, n := part(m, h, k)
			var there, back program
			i := 0
			pieces(at+place, n, a.chunk, func(at, n int) {
				s := blank()
				s.into, s.from, s.bytes = at, at, n
				if h != me {
					send, receive := s, s
					send.send, send.delay = []target{{head, up(me, h)}}, a.hop(a.rank, head)
					receive.receive = []source{{head, down(me, h)}}
					there, back = append(there, send), append(back, receive)
					return
				}
				for j, r := range members {
					if j != me {
						s.receive = append(s.receive, source{r, up(j, h)})
					}
				}
				s.reduce = true
				gather = append(gather, s)
				on := blank()
				on.into, on.from, on.bytes = at, at, n
				on.after, on.done = first, i+1
				on.network = &networkStep{from: a.rail(h), to: a.rail(h), key: key(4, c, h, i)}
				on.delay = a.hop(a.rank, a.rail(h)[(a.node[a.rank]+1)%len(a.nodes)])
				combine = append(combine, on)
				on.network, on.after = nil, first+1
				for j, r := range members {
					if j != me {
						on.send = append(on.send, target{r, down(j, h)})
						on.delay = a.hop(a.rank, r)
					}
				}
				scatter = append(scatter, on)
				i++
			})
			if h == me {
				continue
			}
			all = append(all, there, back)
		}
		all = append(all[:first], append([]program{gather, combine, scatter}, all[first:]...)...)
	}
	return all
}
