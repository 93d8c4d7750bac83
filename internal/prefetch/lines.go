//go:build amd64 || arm64

package prefetch

// Lines brings n lines, at least one, to the cache, from the one with an address on. It has no other effect, also
// where there is no memory.
func Lines(address uintptr, n int)

// Each brings a line to the cache for each of some addresses. A call takes longer than what it does.
func Each(a, b, c, d, e uintptr)
