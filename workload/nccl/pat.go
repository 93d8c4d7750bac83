package nccl

import "math/bits"

// pat makes the programs of parallel aggregated trees: Bruck's algorithm from far to near, in which a rank
// sends each block to a rank at a distance of a power of two; for reductions the same backwards.
func (a *algorithm) pat(reduce bool) (all []program) {
	n := a.ranks()
	block := a.bytes / n
	for c := range a.channels {
		var p program
		at, m := part(block, c, a.channels)
		pieces(at, m, a.chunk, func(at, m int) {
			a.rounds(reduce, func(level, distance, offset int) {
				behind, before := (a.rank+distance)%n, (a.rank-distance+n)%n
				if reduce {
					behind, before = before, behind
				}
				connection := c*patConnections + level
				s := blank()
				// A rank has, from offset on, block rank-offset, and passes it to rank+distance.
				sent, received := (a.rank-offset+n)%n, (a.rank-offset-distance+2*n)%n
				if reduce {
					sent, received = received, sent
				}
				s.from, s.into, s.bytes, s.reduce = sent*block+at, received*block+at, m, reduce
				s.send, s.receive = []target{{behind, connection}}, []source{{before, connection}}
				s.delay = a.hop(a.rank, behind)
				p = append(p, split(s)...)
			})
		})
		all = append(all, p)
	}
	return all
}

// patConnections is how many distances a channel of PAT has at most.
const patConnections = 20

// rounds calls do for each block that is passed: the number of its distance, that, and how far the block has come.
func (a *algorithm) rounds(backwards bool, do func(level, distance, offset int)) {
	n := a.ranks()
	levels := bits.Len(uint(n - 1))
	for i := range levels {
		level := levels - 1 - i
		if backwards {
			level = i
		}
		d := 1 << level
		for offset := 0; offset+d < n; offset += 2 * d {
			do(level, d, offset)
		}
	}
}

// split makes two steps of one in which what is sent does not depend on what is received.
func split(s step) []step {
	send, receive := s, s
	send.receive, receive.send, receive.delay = nil, nil, 0
	return []step{send, receive}
}
