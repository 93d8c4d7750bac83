package nccl

import (
	"math"
	"math/bits"

	"musubi/units"
)

// Protocols of NCCL.
const (
	ll     = "ll"     // 8 bytes are 4 of data and a flag
	ll128  = "ll128"  // 128 bytes are 120 of data and a flag
	simple = "simple" // data, and then a counter
)

var protocols = []string{ll, ll128, simple}

// Algorithms.
const (
	ringName     = "ring"
	treeName     = "tree"
	nvlsName     = "nvls"
	nvlsTreeName = "nvlstree"
	collNetName  = "collnet"
	patName      = "pat"
	pairsName    = "pairs" // of alltoall and sendrecv, which have no other
)

// costs are NCCL's latencies in microseconds, for LL, LL128 and Simple: of the start of an operation, and of a step
// by NVLink and by the network; 0 where NCCL does not use the protocol. Source: NVIDIA/nccl, src/graph/tuning.cc
// (2.30.7).
type costs struct{ base, link, net [3]float64 }

var costsOf = map[string]costs{
	ringName:     {[3]float64{6.6, 14, 8.4}, [3]float64{0.6, 1.9, 3.4}, [3]float64{2.7, 4, 14}},
	treeName:     {[3]float64{6.8, 14, 8.4}, [3]float64{0.6, 1.25, 4}, [3]float64{5, 8.5, 14}},
	nvlsName:     {[3]float64{}, [3]float64{2: 25}, [3]float64{2: 18}},
	nvlsTreeName: {[3]float64{}, [3]float64{2: 25}, [3]float64{2: 20.9}},
	collNetName:  {[3]float64{}, [3]float64{2: 3.7}, [3]float64{2: 31}},
	patName:      {[3]float64{2: 8}, [3]float64{2: 4}, [3]float64{2: 14}},
}

// NVLS efficiency and the like are in the rates of machines; what follows is per channel, in GB/s, of Hopper.
const (
	ringLL128 = 36.7 // most of a channel
	treeMost  = 38.7
	llMost    = 141.0 // of all channels in a node

	nvlsChannels = 16.0 // of which one is taken off for all-gather and reduce-scatter

	llNet     = 39.0 // of all channels between nodes, with Intel processors, and from four nodes on
	llNetMany = 20.4
)

// rates are what the model of NCCL takes the hardware to carry, in GB/s.
type rates struct{ domain, combined, network float64 }

// ringStep returns what a step inside a node takes on a ring: between nodes it waits for the processors of the
// hosts, which take a microsecond each time, three by Simple.
func (c *costs) ringStep(protocol int, between bool) float64 {
	switch {
	case !between:
		return c.link[protocol]
	case protocol == 2:
		return max(c.link[protocol], 3)
	}
	return max(c.link[protocol], 1)
}

// predicted returns NCCL's estimate in microseconds of an operation by an algorithm and a protocol; infinite if it
// does not use them. Its correction of trees by size, 24 values, is left out.
func (l *layout) predicted(operation, algorithm, protocol string, bytes int, r rates, channels int) float64 {
	i := index(protocol)
	c := costsOf[algorithm]
	if algorithm == pairsName {
		c, i = costsOf[ringName], 2
	}
	if c.link[i] == 0 || protocol == ll128 && operation != "allreduce" && algorithm == treeName {
		return math.Inf(1)
	}
	n, nodes := float64(l.ranks()), float64(len(l.nodes))
	steps := 2 * (n - 1)
	if operation != "allreduce" {
		steps = n - 1
	}
	bus := r.domain
	if nodes > 1 {
		bus = min(r.domain, float64(l.each())*r.network)
	}
	k, logN := float64(l.each()), float64(bits.Len(uint(len(l.nodes)-1)))
	var latency, bandwidth float64
	switch algorithm {
	case ringName, pairsName:
		netSteps := 0.0
		if nodes > 1 {
			netSteps = steps / (n - 1) * nodes
			if operation == "allreduce" {
				netSteps = 2 * (nodes - 1)
			}
		}
		latency = c.base[i] + (steps-netSteps)*c.ringStep(i, nodes > 1) + netSteps*c.net[i]
		bandwidth = limited(bus, protocol, nodes, float64(channels)) * n / steps
	case treeName:
		latency = c.base[i] + 2*((k-1)*c.link[i]+logN*c.net[i])
		bandwidth = min(0.92*bus, treeMost*float64(channels))
		switch {
		case protocol == ll:
			bandwidth /= 3.8
		case protocol == ll128 && nodes == 1:
			bandwidth *= 7.0 / 9
		case protocol == ll128:
			bandwidth *= 120.0 / 128
		}
		bandwidth /= 2
	case nvlsName, nvlsTreeName, collNetName:
		latency = c.link[i]
		// A port carries data once to be combined, and the part of its rank once more to be copied.
		bandwidth = r.combined / (1 + 1/k)
		if operation != "allreduce" { // as NCCL has it
			bandwidth = r.combined * (nvlsChannels - 1) / nvlsChannels * (k - 1) / k
		}
		if nodes > 1 {
			bandwidth = min(bandwidth, bus)
			latency += c.net[i]
			if algorithm == nvlsTreeName {
				latency += (2*logN - 1) * c.net[i]
				bandwidth = bus / 2
			}
		}
	case patName:
		latency = c.base[i] + logN*c.net[i]/3.5 + 2.8*n
		bandwidth = 0.75 * bus * n / steps
	}
	return latency + float64(bytes)/(1000*bandwidth)
}

// limited returns what a protocol leaves of a bandwidth.
func limited(bus float64, protocol string, nodes, channels float64) float64 {
	switch {
	case protocol == ll && nodes >= 4:
		return min(bus/2, llNetMany)
	case protocol == ll && nodes > 1:
		return min(bus/2, llNet)
	case protocol == ll:
		return min(bus/2, llMost)
	case protocol == ll128:
		return min(0.92*bus, ringLL128*channels)
	}
	return bus
}

func index(protocol string) int {
	for i, p := range protocols {
		if p == protocol {
			return i
		}
	}
	return 2
}

// hopOf returns what a step takes by an algorithm and a protocol.
func (l *layout) hopOf(algorithm, protocol string, together bool) units.Time {
	c, i := costsOf[algorithm], index(protocol)
	if algorithm == pairsName {
		c = costsOf[ringName]
	}
	if !together {
		return microseconds(c.net[i])
	}
	if algorithm == ringName {
		return microseconds(c.ringStep(i, len(l.nodes) > 1))
	}
	return microseconds(c.link[i])
}

func microseconds(us float64) units.Time { return units.Time(us * float64(units.Microsecond)) }

// chunkOf returns the most bytes of a step: what NCCL sends from one slot of its buffers at a time. Of an operation
// of some bytes over some nodes, each of so many heads of NVLS has its part in each channel, in which smaller chunks are
// for less (NCCL, enqueue.cc, calcCollChunking, and nvls.cc, ncclNvlsTuning).
func chunkOf(algorithm, protocol string, bytes, parts, nodes int) int {
	switch {
	case algorithm == nvlsName:
		return shrunk(128<<10, bytes, parts, []smaller{{64, 64 << 10}, {8, 32 << 10}, {2, 16 << 10}})
	case algorithm == nvlsTreeName && nodes >= 4:
		return shrunk(64<<10, bytes, parts, []smaller{{1, 32 << 10}})
	case algorithm == nvlsTreeName:
		return shrunk(128<<10, bytes, parts, []smaller{{4, 64 << 10}, {1, 32 << 10}})
	case protocol == ll:
		return 32 << 10
	case protocol == ll128:
		return 120 << 10
	case algorithm == ringName:
		return 1 << 20
	}
	return 512 << 10
}

// smaller is a chunk for operations in which each part has less than so many of the chunk before.
type smaller struct{ times, chunk int }

// shrunk returns a chunk, or one of some smaller ones in a row.
func shrunk(chunk, bytes, parts int, list []smaller) int {
	for _, s := range list {
		if bytes < s.times*parts*chunk {
			chunk = s.chunk
		}
	}
	return chunk
}

// rateOf returns how many bytes of data a channel passes on in a second at most by a protocol; 0: links alone count. By
// LL all channels that a node may have are together as fast as NCCL states.
func rateOf(protocol string, most int) float64 {
	switch protocol {
	case ll:
		return 1e9 * llMost / float64(most)
	case ll128:
		return 1e9 * ringLL128
	}
	return 0
}

// overheadOf returns how many bytes a protocol adds to data.
func overheadOf(protocol string) func(int) int {
	switch protocol {
	case ll:
		return func(n int) int { return n }
	case ll128:
		return func(n int) int { return n / 15 }
	}
	return func(int) int { return 0 }
}

// channelsOf returns how many channels an operation has: as many as there may be, but not so many that
// one has less than the threads of a block have work for (NCCL's thresholds: 8 bytes for each of 512 threads, 64 by
// Simple, for each rank on a ring).
func channelsOf(algorithm, protocol string, bytes, ranks, most int) int {
	each := 512 * 8
	if protocol == simple {
		each = 512 * 64
	}
	least := 1
	switch algorithm {
	case ringName:
		each = 512 * 8 * ranks
	case treeName:
		least = 2 // one for each tree
	}
	return max(least, min(most, bytes/each))
}
