package collective

import (
	"slices"

	"musubi/mpi/internal/core"
)

const (
	yardBytes = 256 << 10
	yardBlock = 256 // bytes that are given away together
)

// yard is memory for the landings of a process, which it exposes before anything else, so that
// it has the same address everywhere: switches copy what goes to the same address. Ranks that
// make and free landings in the same order find the same room there.
type yard struct {
	segment int
	memory  []byte // nil: there is none
	taken   []bool // blocks
}

// open exposes the yard.
func (y *yard) open(e *core.Engine) {
	y.memory = make([]byte, yardBytes)
	y.taken = make([]bool, yardBytes/yardBlock)
	y.segment = e.Process.Expose(y.memory)
}

// yardBlocks is how many blocks a landing takes.
func yardBlocks(bytes int) int { return (bytes + yardBlock - 1) / yardBlock }

// take finds room for a landing whose bytes are a power of two, aligned to them. Nil: there
// is none.
func (y *yard) take(bytes int) (memory []byte, offset int) {
	n := yardBlocks(bytes)
	for first := 0; first+n <= len(y.taken); first += n {
		if !slices.Contains(y.taken[first:][:n], true) {
			y.mark(first, n, true)
			return y.memory[first*yardBlock:][:bytes:bytes], first * yardBlock
		}
	}
	return nil, 0
}

// giveBack takes back what a landing has had, and leaves nothing there that another one could
// take for its own.
func (y *yard) giveBack(memory []byte, offset int) {
	clear(memory)
	y.mark(offset/yardBlock, yardBlocks(len(memory)), false)
}

func (y *yard) mark(first, n int, taken bool) {
	for i := range y.taken[first:][:n] {
		y.taken[first+i] = taken
	}
}
