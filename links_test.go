package musubi

import (
	"fmt"
	"testing"
)

// On a tree, what a multicast puts on the links of each level follows by counting: a push
// crosses the link of each level on its way up and on its way down, and its answer goes
// back over the same, a packet for each. Nothing else is counted, such as what ranks agree on beforehand.
func TestBytesAndPacketsPerLevel(t *testing.T) {
	const arity, hosts, size = 4, 16, 100
	s := Scenario{Workload: "multicast", Machine: "rhinet2", Topology: "tree:arity=4,levels=2", Hosts: arity,
		Set: set("acks=false", "iterations=1", fmt.Sprintf("bytes=%d", size))}
	system, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	m := system.Machine
	push := float64(m.PacketFlits(size)+m.Packet.Reply) * float64(m.Link.Flit) // with its answer
	far := float64(hosts - arity)                                              // hosts that are not on the switch of the root
	want := map[string]float64{
		"unicast 0 max": (hosts - 1) * push, "unicast 0 sum": 2 * (hosts - 1) * push,
		"unicast 1 max": far * push, "unicast 1 sum": 2 * far * push,
		// Into each host but the first, and out of each but the last.
		"chain 0 max": 2 * push, "chain 0 sum": 2 * (hosts - 1) * push,
		"chain 1 max": 2 * push, "chain 1 sum": 2 * (arity - 1) * push,
		// The root serves ranks 8, 4, 2 and 1; rank 8 serves 12, 10 and 9.
		"tree 0 max": 4 * push, "tree 0 sum": 2 * (hosts - 1) * push,
		"tree 1 max": 2 * push, "tree 1 sum": 2 * 3 * push,
	}
	result := mustRun(t, s)
	for _, r := range metric(result, "bytes_per_level") {
		key := fmt.Sprint(r.Label("method"), " ", r.Label("level"), " ", r.Label("statistic"))
		if r.Value != want[key] || r.Bytes != size || r.Unit != "B" {
			t.Errorf("%s: got %v, want %v", key, r, want[key])
		}
		delete(want, key)
	}
	if len(want) > 0 {
		t.Errorf("no rows for %v", want)
	}
	bytes := metric(result, "bytes_per_level")
	packets := metric(result, "packets_per_level")
	if len(packets) != len(bytes) {
		t.Fatalf("%d rows of packets beside %d of bytes", len(packets), len(bytes))
	}
	for i, r := range packets { // a push and its answer are two
		if want := 2 * bytes[i].Value / push; r.Value != want || r.Unit != "count" || fmt.Sprint(r.Labels) != fmt.Sprint(bytes[i].Labels) {
			t.Errorf("got %v beside %v, want %v packets", r, bytes[i], want)
		}
	}
}

// There are no levels without links.
func TestNoBytesPerLevelWithoutLinks(t *testing.T) {
	r := mustRun(t, Scenario{Workload: "multicast", Machine: "loggp", Ranks: 5, Set: set("bytes=8")})
	if len(r.Rows) != 3 || len(metric(r, "multicast")) != 3 {
		t.Errorf("rows %v; want those of three methods", r.Rows)
	}
}
