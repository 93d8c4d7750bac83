// Package prefetch tells the processor which memory it will need soon. Simulations of large jobs go from rank to rank,
// whose state is seldom in its cache, and wait for memory most of the time.
package prefetch

// LineBytes is the size of a line of the cache.
const LineBytes = 64
