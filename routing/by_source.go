package routing

import (
	"runtime"
	"sync"
)

// sourceBlock is how many sources are put in order at a time. Of the paths to a destination, those of as many sources
// lie together.
const sourceBlock = 16

// position is where a path lies: its number, and that of its first hop.
type position struct{ path, hop uint32 }

// bySource puts paths that were added destination by destination into the order of their sources. Proofs, statistics and
// simulations go through them in that order, and would find each path in another place of memory. It works on all cores.
func (b *Builder) bySource() {
	r := &b.r
	next := r.firstOfSources()
	old := *r
	r.start, r.hops, r.idle = make([]uint32, len(old.start)), make([]Hop, len(old.hops)), make([]uint8, len(old.idle))
	r.eachFromBlocks(func(src int, p *pair) {
		at := &next[src]
		count := uint32(p.rows) * uint32(p.cols)
		start := old.start[p.first : p.first+count+1]
		hops := old.hops[start[0]:start[count]]
		copy(r.hops[at.hop:], hops)
		copy(r.idle[at.path:], old.idle[p.first:p.first+count])
		for i, end := range start[1:] {
			r.start[at.path+uint32(i)+1] = at.hop + end - start[0]
		}
		p.first = at.path
		at.path += count
		at.hop += uint32(len(hops))
	})
}

// firstOfSources returns where the paths of each source begin if they lie together.
func (r *Routes) firstOfSources() []position {
	first := make([]position, r.ends)
	r.eachFromBlocks(func(src int, p *pair) {
		count := uint32(p.rows) * uint32(p.cols)
		first[src].path += count
		first[src].hop += r.start[p.first+count] - r.start[p.first]
	})
	var sum position
	for i, n := range first {
		first[i] = sum
		sum.path, sum.hop = sum.path+n.path, sum.hop+n.hop
	}
	return first
}

// eachFromBlocks calls f for all pairs of switches with end points, those from one source in order of the destination. On
// each core a part of the sources is taken, block by block.
func (r *Routes) eachFromBlocks(f func(src int, p *pair)) {
	blocks := (r.ends + sourceBlock - 1) / sourceBlock
	parts := min(runtime.GOMAXPROCS(0), blocks)
	var group sync.WaitGroup
	for part := range parts {
		group.Go(func() {
			for block := part * blocks / parts; block < (part+1)*blocks/parts; block++ {
				first := block * sourceBlock
				for dst := range r.ends {
					for src := first; src < min(first+sourceBlock, r.ends); src++ {
						f(src, &r.pairs[src*r.ends+dst])
					}
				}
			}
		})
	}
	group.Wait()
}
