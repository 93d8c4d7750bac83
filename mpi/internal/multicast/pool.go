package multicast

import (
	"slices"

	"musubi/rma"
)

const (
	poolBytes  = 256 << 10
	blockBytes = 256 // unit of allocation
)

// Pool is memory for the multicast buffers of a process. The process exposes it before anything
// else, so that it has the same segment number at all processes: switches copy data only to the same
// address everywhere. Ranks that make and free buffers in the same order get the same offsets.
type Pool struct {
	segment int
	memory  []byte // nil: there is none
	taken   []bool // blocks
}

// Open exposes the pool.
func (p *Pool) Open(process rma.Process) {
	p.memory = make([]byte, poolBytes)
	p.taken = make([]bool, poolBytes/blockBytes)
	p.segment = process.Expose(p.memory)
}

// blocksOf is how many blocks a buffer takes.
func blocksOf(bytes int) int { return (bytes + blockBytes - 1) / blockBytes }

// allocate returns memory for a buffer whose size is a power of two, aligned to its size; nil if
// there is none.
func (p *Pool) allocate(bytes int) (memory []byte, offset int) {
	n := blocksOf(bytes)
	for first := 0; first+n <= len(p.taken); first += n {
		if !slices.Contains(p.taken[first:][:n], true) {
			p.mark(first, n, true)
			return p.memory[first*blockBytes:][:bytes:bytes], first * blockBytes
		}
	}
	return nil, 0
}

// free takes back the memory of a buffer, and clears it, so that the next buffer there finds no old
// rounds in its trailers.
func (p *Pool) free(memory []byte, offset int) {
	clear(memory)
	p.mark(offset/blockBytes, blocksOf(len(memory)), false)
}

func (p *Pool) mark(first, n int, taken bool) {
	for i := range p.taken[first:][:n] {
		p.taken[first+i] = taken
	}
}
