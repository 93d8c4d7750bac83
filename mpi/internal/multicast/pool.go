package multicast

import (
	"slices"

	"musubi/rma"
)

const (
	poolBytes  = 256 << 10
	blockBytes = 256 // bytes that are given away together
)

// Pool is memory for the multicast buffers of a process. The process exposes it before anything
// else, so that it has the same address everywhere: switches copy what goes to the same address.
// Ranks that make and free buffers in the same order find the same room there.
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

// take finds room for a buffer whose bytes are a power of two, aligned to them. Nil: there
// is none.
func (p *Pool) take(bytes int) (memory []byte, offset int) {
	n := blocksOf(bytes)
	for first := 0; first+n <= len(p.taken); first += n {
		if !slices.Contains(p.taken[first:][:n], true) {
			p.mark(first, n, true)
			return p.memory[first*blockBytes:][:bytes:bytes], first * blockBytes
		}
	}
	return nil, 0
}

// giveBack takes back what a buffer has had, and leaves nothing there that another one could
// take for its own.
func (p *Pool) giveBack(memory []byte, offset int) {
	clear(memory)
	p.mark(offset/blockBytes, blocksOf(len(memory)), false)
}

func (p *Pool) mark(first, n int, taken bool) {
	for i := range p.taken[first:][:n] {
		p.taken[first+i] = taken
	}
}
