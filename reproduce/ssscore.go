package reproduce

import (
	"fmt"

	"musubi"
	"musubi/sim/machine"
	"musubi/units"
	"musubi/workload"
)

// Items of Kunisawa, Matsumoto and Hiraki: Gigabit Network with Cooperative Functions for
// General Purpose Massively Parallel OS (1997).
const (
	ssscoreRates     = "rates of data"
	ssscoreWrite     = "remote write of 4 B through one switch"
	ssscoreBytes     = "1 KiB to all other nodes by %s: bytes on the busiest link of each level%s"
	ssscoreAcks      = "the same: bytes of combined acknowledgements on all links"
	ssscoreCopies    = "the same: copies of the data on the busiest link, summed over the levels"
	ssscoreAllCopies = "the same: copies of the data on all links"
)

// The lengths of multicasts: the difference between them tells how many of the bytes are data. The
// data fits a packet beside the list of a chain of 1,023 nodes.
const (
	ssscoreShort = 512
	ssscoreData  = 1 << 10
)

// ssscoreLevels are the levels of the trees, with 16 to 1,024 nodes.
var ssscoreLevels = []int{2, 3, 4, 5}

// ssscoreConstants are the published values from which the machine's parameters were taken or
// derived.
func ssscoreConstants(b *bench) error {
	m, err := machine.Load(b.source)
	if err != nil {
		return err
	}
	const mega = 1e6
	const long = 1 << 20 // bytes; times are whole picoseconds
	b.add(Derived, ssscoreRates, "link", "Mbit/s", 850, 8*long/m.Link.Rate.Transfer(long).Seconds()/mega)
	burst := m.Bus.Setup + m.Bus.Rate.Transfer(m.Bus.Burst)
	b.add(Derived, ssscoreRates, "SBus, bursts of 32 B, with what they cost", "MB/s", 67, float64(m.Bus.Burst)/burst.Seconds()/mega)
	rows, err := b.measure("bytes_per_level", musubi.Scenario{Workload: "multicast", Topology: "tree:arity=2,levels=1"}, "method=unicast", "bytes=4", "iterations=1", "warmup=0")
	if err != nil {
		return err
	}
	// The link of either node carries the write one way and its acknowledgement the other.
	const switches = 1
	ack := units.Bytes(m.Packet.Reply+switches) * m.Link.Flit
	b.add(Derived, ssscoreWrite, "on each link", "B", 36, statisticOf(rows, "max")-float64(ack))
	return nil
}

// statisticOf returns the first value of a statistic.
func statisticOf(rows []workload.Row, name string) float64 {
	for _, r := range rows {
		if r.Label("statistic") == name {
			return r.Value
		}
	}
	return 0
}

// ssscoreMulticasts counts multicasts on all trees.
func ssscoreMulticasts(b *bench) error { return ssscoreMulticastsOn(b, ssscoreLevels) }

// ssscoreMulticastsOn counts the bytes of multicasts on the links of trees of switches with four
// branches each, by level.
func ssscoreMulticastsOn(b *bench, levels []int) error {
	var trees []treeLoads
	for _, n := range levels {
		t, err := b.treeLoads(n)
		if err != nil {
			return fmt.Errorf("%d levels: %w", n, err)
		}
		trees = append(trees, t)
	}
	for _, method := range ssscoreMethods {
		acks := method == "unicast"
		with := ", without acknowledgements"
		if acks {
			with = ", with an acknowledgement for each"
		}
		item := fmt.Sprintf(ssscoreBytes, method, with)
		for _, t := range trees {
			for level := range t.levels {
				b.node(item, fmt.Sprint("level ", level), "B", t.nodes, t.bytes[loadKey{method, "max", acks, ssscoreData, level}])
			}
		}
		for _, t := range trees {
			b.node(item, "sum", "B", t.nodes, t.over(method, "max", acks, ssscoreData))
		}
	}
	for _, t := range trees {
		for _, method := range ssscoreMethods[1:] {
			b.node(ssscoreAcks, method, "B", t.nodes, t.over(method, "sum", true, ssscoreData)-t.over(method, "sum", false, ssscoreData))
		}
	}
	for _, item := range []struct{ name, statistic string }{{ssscoreCopies, "max"}, {ssscoreAllCopies, "sum"}} {
		for _, t := range trees {
			for _, method := range ssscoreMethods {
				acks := method == "unicast"
				more := t.over(method, item.statistic, acks, ssscoreData) - t.over(method, item.statistic, acks, ssscoreShort)
				b.node(item.name, method, "copies", t.nodes, more/(ssscoreData-ssscoreShort))
			}
		}
	}
	return nil
}

var ssscoreMethods = []string{"unicast", "chain", "hierarchical"}

// treeLoads is the load of multicasts on the links of a tree.
type treeLoads struct {
	levels, nodes int
	bytes         map[loadKey]float64
}

type loadKey struct {
	method, statistic string
	acks              bool
	size, level       int
}

// over returns the sum over the levels.
func (t *treeLoads) over(method, statistic string, acks bool, size int) float64 {
	sum := 0.0
	for level := range t.levels {
		sum += t.bytes[loadKey{method, statistic, acks, size, level}]
	}
	return sum
}

// treeLoads runs the multicasts. An acknowledgement of a unicast cannot be left out.
func (b *bench) treeLoads(levels int) (treeLoads, error) {
	t := treeLoads{levels: levels, nodes: 1 << (2 * levels), bytes: map[loadKey]float64{}}
	for _, methods := range []string{"method=unicast,chain,hierarchical", "method=chain,hierarchical"} {
		acks := methods == "method=unicast,chain,hierarchical"
		s := musubi.Scenario{Workload: "multicast", Topology: fmt.Sprintf("tree:arity=4,levels=%d", levels)}
		rows, err := b.measure("bytes_per_level", s, methods, fmt.Sprintf("acks=%v", acks),
			fmt.Sprintf("bytes=%d,%d", ssscoreShort, ssscoreData), "iterations=1", "warmup=0")
		if err != nil {
			return t, err
		}
		for _, r := range rows {
			key := loadKey{fmt.Sprint(r.Label("method")), fmt.Sprint(r.Label("statistic")), acks, r.Bytes, r.Label("level").(int)}
			t.bytes[key] = r.Value
		}
	}
	return t, nil
}

// node appends a predicted cell for a number of nodes.
func (b *bench) node(item, curve, unit string, nodes int, got float64) {
	b.append(Cell{Item: item, Cell: fmt.Sprintf("%s, %d nodes", curve, nodes), Unit: unit, Got: got, Kind: Predicted,
		Point: &Point{Curve: curve, Bytes: ssscoreData, Nodes: nodes}})
}
