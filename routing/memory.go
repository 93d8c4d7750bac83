package routing

import (
	"fmt"
	"runtime/debug"

	"musubi/internal/memory"
	"musubi/topology"

	"github.com/dustin/go-humanize"
)

// Memory that Routes take, in bytes.
const (
	hopBytes  = 4
	pathBytes = 8 // its first hop among those of all paths, and virtual channels
	pairBytes = 8 // per pair of switches with end points
)

// sampled is the number of switches from which checkMemory counts hops to estimate the total.
const sampled = 64

// heapBytes is about how much an algorithm takes of the heap in all, per pair of switches with end points: the paths,
// the ways that are kept until these are chosen, the choices, and the paths again in order of their sources. Balanced paths took
// 150 to 180 bytes on random networks of 512 to 2,048 switches.
const heapBytes = 160

// heapFor returns about how many bytes of the heap it takes to build and to verify routes of a network that are stored.
func heapFor(net *topology.Network) int64 {
	ends := int64(len(endSwitches(net)))
	return ends * ends * heapBytes
}

// ExpectHeap prepares for routes of a network that are stored, where these take much memory: the system is asked to use
// large pages. The caller calls end when the routes have been built and verified.
func ExpectHeap(net *topology.Network) (end func()) { return memory.ExpectHeap(heapFor(net), 0, 0) }

// CheckHeap fails if so many Builds at a time, each with its proof, take more memory than is free. It returns about how many bytes
// they take, 0 for routes that are computed when they are asked for.
func (a *Algorithm) CheckHeap(net *topology.Network, opt Options, builds int) (need int64, err error) {
	switch {
	case a.compute != nil && a.Suits(net) == nil:
	case a.keepsVC && keepsTrees(net, opt):
		need = treeBytes(net)
	default:
		_, kept := pathMemory(net)
		need = max(kept, heapFor(net))
	}
	need *= int64(builds)
	return need, checkFree(need, memory.Free)
}

// checkMemory fails if the paths of a network are more than can be numbered or than memory holds,
// however short an algorithm makes them. It is called before an algorithm begins, which might
// compute for minutes before memory runs out.
func checkMemory(net *topology.Network, free func() int64) error {
	hops, bytes := pathMemory(net)
	if hops > maxHops {
		return fmt.Errorf("the paths of the network have about %d hops or more together; at most %d can be kept", hops, maxHops)
	}
	return checkFree(bytes, free)
}

// pathMemory returns about how many hops the shortest paths between switches have, and how many bytes they take.
func pathMemory(net *topology.Network) (hops, bytes int64) {
	ends := endSwitches(net)
	if len(ends) == 0 {
		return 0, 0
	}
	sample, sum := min(sampled, len(ends)), 0.0
	for i := range sample {
		distance := net.Distances(ends[i*len(ends)/sample])
		for _, dst := range ends {
			sum += float64(distance[dst])
		}
	}
	hops = int64(sum / float64(sample) * float64(len(ends)))
	pairs := int64(len(ends)) * int64(len(ends))
	return hops, pairs*(pairBytes+pathBytes) + hops*hopBytes
}

// endSwitches returns the switches with end points.
func endSwitches(net *topology.Network) []int {
	var ends []int
	for sw := range net.Switches {
		if len(net.EndPointsAt(sw)) > 0 {
			ends = append(ends, sw)
		}
	}
	return ends
}

// checkFree fails if paths take more memory than is free after a garbage collection. It skips the
// check for small amounts.
func checkFree(need int64, free func() int64) error {
	const little = 1 << 28
	if need <= little || need <= free() {
		return nil
	}
	debug.FreeOSMemory()
	if have := free(); need > have {
		return fmt.Errorf("the paths of the network take about %s of memory or more, and %s are free; expected fewer switches with end points",
			humanize.Bytes(uint64(need)), humanize.Bytes(uint64(have)))
	}
	return nil
}

// foresee reserves memory for the paths to all destinations, once those to one in sixteen are
// there. Otherwise growing slices would be moved again and again, which takes more than twice the
// memory. It fails if there is not enough.
func (b *Builder) foresee(done, all int) error {
	if done != (all+15)/16 {
		return nil
	}
	foreseen := func(now int) int { return min(maxHops, int(float64(now)*float64(all)/float64(done))) }
	hops, paths := foreseen(len(b.r.hops)), foreseen(b.r.NumPaths())
	if err := checkFree(int64(hops)*hopBytes+int64(paths)*pathBytes, memory.Free); err != nil {
		return fmt.Errorf("%s: %w", b.r.Algorithm, err)
	}
	b.r.hops = append(memory.Large[Hop](hops + hops/16)[:0], b.r.hops...)
	b.r.paths = append(memory.Large[stored](paths + paths/16 + 1)[:0], b.r.paths...)
	return nil
}
