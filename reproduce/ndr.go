package reproduce

import (
	"fmt"

	"musubi"
)

// Sources of figures of nccl-tests: NVIDIA/dgxc-benchmarking, nccl/README.md at 841f546, one DGX H100 [D]; the issues
// NVIDIA/nccl#1455 [N] and NVIDIA/nccl-tests#290, #267 [T]. Nothing of machine ndr8 was calibrated on them.
const (
	ndrTime  = "all-reduce of 8 accelerators in a node, out of place ([D]), time"
	ndrBus   = "all-reduce of 8 accelerators in a node, out of place ([D]), bus bandwidth"
	ndrRing  = "all-reduce in a node by rings, 1 GiB ([N]), bus bandwidth"
	ndrRails = "all-reduce of 4 nodes by rings, 1 GiB ([T]: 46 to 48 for each interface), bus bandwidth"
	ndrPairs = "all-to-all of 4 nodes, 1 GiB ([T]: 48 to 49, one interface), bus bandwidth"
)

// dgxH100 is the table of [D]: time in us and bus bandwidth in GB/s, 0 where it says nothing.
var dgxH100 = []struct {
	bytes int
	time  float64
	bus   float64
}{
	{8, 13.67, 0}, {1 << 10, 16.94, 0}, {64 << 10, 19.54, 5.87}, {1 << 20, 27.37, 67.04}, {4 << 20, 54.19, 135.44},
	{16 << 20, 123.8, 237.21}, {64 << 20, 324.7, 361.67}, {256 << 20, 1112.5, 422.25}, {1 << 30, 4029.4, 466.33},
}

// ndrNode is the table of one node.
func ndrNode(b *bench) error {
	sizes := "bytes=8"
	for _, row := range dgxH100[1:] {
		sizes += fmt.Sprint(",", row.bytes)
	}
	rows, err := b.rows(musubi.Scenario{Machine: "ndr8", Workload: "nccl", Ranks: 8}, sizes)
	if err != nil {
		return err
	}
	times, buses := only("time", rows), only("busbw", rows)
	for i, row := range dgxH100 {
		b.point(ndrTime, "8 accelerators", "us", row.bytes, times[i].Value).publish(row.time)
	}
	for i, row := range dgxH100 {
		if row.bus > 0 {
			b.point(ndrBus, "8 accelerators", "GB/s", row.bytes, buses[i].Value).publish(row.bus)
		}
	}
	return nil
}

// ndrLimits are what interfaces and links give at most.
func ndrLimits(b *bench) error {
	ring, err := b.measure("busbw", musubi.Scenario{Machine: "ndr8", Workload: "nccl", Ranks: 8}, "bytes=1GiB", "algorithm=ring", "protocol=simple")
	if err != nil {
		return err
	}
	b.add(Predicted, ndrRing, "8 accelerators", "GB/s", 367.5, ring[0].Value)
	nodes := musubi.Scenario{Machine: "ndr8", Workload: "nccl", Topology: "rail:nodes=4,rails=8", Engine: "flow", Ranks: 32}
	rails, err := b.measure("busbw", nodes, "bytes=1GiB", "algorithm=ring", "protocol=simple")
	if err != nil {
		return err
	}
	b.add(Predicted, ndrRails, "for each of 8 interfaces", "GB/s", 47, rails[0].Value/8)
	pairs, err := b.measure("busbw", nodes, "bytes=1GiB", "operation=alltoall")
	if err != nil {
		return err
	}
	b.add(Predicted, ndrPairs, "32 accelerators", "GB/s", 48.5, pairs[0].Value)
	return nil
}
