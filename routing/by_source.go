package routing

import (
	"runtime"
	"sync"

	"musubi/internal/memory"
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
	r.paths, r.hops = memory.Large[stored](len(old.paths)), memory.Large[Hop](len(old.hops))
	r.paths[len(r.paths)-1].first = uint32(len(r.hops))
	r.eachFromBlocks(func(src int, p *pair) {
		at := &next[src]
		count := uint32(p.rows) * uint32(p.cols)
		from, end := old.paths[p.first], old.paths[p.first+count]
		hops := old.hops[from.first:end.first]
		copy(r.hops[at.hop:], hops)
		for i, path := range old.paths[p.first : p.first+count] {
			path.first += at.hop - from.first
			r.paths[at.path+uint32(i)] = path
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
		first[src].hop += r.paths[p.first+count].first - r.paths[p.first].first
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
