package routing

import (
	"unsafe"

	"musubi/internal/prefetch"
)

// Prefetch brings what the path between two end points is found by to the processor's cache, if that is little. It has no other
// effect.
func (r *Routes) Prefetch(src, dst int) {
	if r.computed == nil {
		r.prefetchStored(int(r.slot[src])*r.ends + int(r.slot[dst]))
		return
	}
	if t, are := r.computed.rule.(*trees); are {
		t.prefetch(int(r.computed.at[dst]), int(r.local[dst]))
	}
}

// prefetchStored asks for what is looked at first for a pair of switches.
func (r *Routes) prefetchStored(pair int) {
	if r.pairs == nil {
		prefetch.Lines(uintptr(unsafe.Pointer(&r.paths[pair])), 1)
	} else {
		prefetch.Lines(uintptr(unsafe.Pointer(&r.pairs[pair])), 1)
	}
}

// mostLines is how many lines of the cache are asked for at most. A path of few hops needs few of them.
const mostLines = 16

// prefetch asks for the tree to the j-th end point of a switch.
func (t *trees) prefetch(dst, j int) {
	column := t.next.Column(dst, j)
	bytes := uintptr(len(column)) * unsafe.Sizeof(column[0])
	if lines := (bytes + prefetch.LineBytes - 1) / prefetch.LineBytes; lines > 0 && lines <= mostLines {
		prefetch.Lines(uintptr(unsafe.Pointer(unsafe.SliceData(column))), int(lines))
	}
}
