package reproduce

import (
	"fmt"

	"musubi"
)

// Items on the links of trees.
const (
	ssscoreBytes     = "1 KiB to all other nodes by %s: bytes on the busiest link of each level%s"
	ssscoreAcks      = "the same: bytes of combined acknowledgements on all links"
	ssscorePackets   = "1 KiB to all other nodes: packets on a link, both ways, with combined acknowledgements"
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
	for _, t := range trees {
		for _, method := range ssscoreMethods[1:] {
			b.packetsOnLinks(t, method)
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
	levels, nodes  int
	bytes, packets map[loadKey]float64
}

// links returns how many links the tree has.
func (t *treeLoads) links() (n int) {
	for level := range t.levels {
		n += t.nodes >> (2 * level)
	}
	return n
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
	t := treeLoads{levels: levels, nodes: 1 << (2 * levels), bytes: map[loadKey]float64{}, packets: map[loadKey]float64{}}
	for _, methods := range []string{"method=unicast,chain,hierarchical", "method=chain,hierarchical"} {
		acks := methods == "method=unicast,chain,hierarchical"
		s := musubi.Scenario{Workload: "multicast", Topology: fmt.Sprintf("tree:arity=4,levels=%d", levels)}
		rows, err := b.rows(s, methods, fmt.Sprintf("acks=%v", acks),
			fmt.Sprintf("bytes=%d,%d", ssscoreShort, ssscoreData), "iterations=1", "warmup=0")
		if err != nil {
			return t, err
		}
		for _, counted := range []struct {
			metric string
			loads  map[loadKey]float64
		}{{"bytes_per_level", t.bytes}, {"packets_per_level", t.packets}} {
			for _, r := range only(counted.metric, rows) {
				key := loadKey{fmt.Sprint(r.Label("method")), fmt.Sprint(r.Label("statistic")), acks, r.Bytes, r.Label("level").(int)}
				counted.loads[key] = r.Value
			}
		}
	}
	return t, nil
}

// packetsOnLinks appends how many packets of an acknowledged multicast links carry. The paper says
// that a chain takes the bandwidth of the hierarchical form then: each link carries two packets,
// which are the data twice in a chain, and otherwise the data and an acknowledgement.
func (b *bench) packetsOnLinks(t treeLoads, method string) {
	most, all := 0.0, 0.0
	for level := range t.levels {
		most = max(most, t.packets[loadKey{method, "max", true, ssscoreData, level}])
		all += t.packets[loadKey{method, "sum", true, ssscoreData, level}]
	}
	for _, of := range []struct {
		links   string
		packets float64
	}{{"busiest link", most}, {"mean of all links", all / float64(t.links())}} {
		two := 2.0
		off := (of.packets - two) / two
		b.append(Cell{Item: ssscorePackets, Cell: fmt.Sprintf("%s, %d nodes, %s", method, t.nodes, of.links), Unit: "packets",
			Derived: &two, Got: of.packets, Error: &off, Kind: Predicted})
	}
}

// node appends a predicted cell for a number of nodes.
func (b *bench) node(item, curve, unit string, nodes int, got float64) {
	b.append(Cell{Item: item, Cell: fmt.Sprintf("%s, %d nodes", curve, nodes), Unit: unit, Got: got, Kind: Predicted,
		Point: &Point{Curve: curve, Bytes: ssscoreData, Nodes: nodes}})
}
