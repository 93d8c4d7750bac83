package reproduce

import (
	"testing"
)

// The argument of Kunisawa et al.: what a hierarchical multicast puts on the busiest links
// grows like the levels, a chain costs at most twice that, and repeated unicast grows with
// the nodes. It is about data; headers, lists of chains and acknowledgements come on top.
func TestMulticastsOnLinks(t *testing.T) {
	cells, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	busiest, all := copiesByNodes(cells, ssscoreCopies), copiesByNodes(cells, ssscoreAllCopies)
	seen := 0
	for levels, nodes := 1, 4; nodes <= 1024; levels, nodes = levels+1, 4*nodes {
		got, sum := busiest[nodes], all[nodes]
		if got == nil {
			continue
		}
		seen++
		if got["hierarchical"] != float64(levels) {
			t.Errorf("%d nodes, hierarchical: %v copies on the busiest links of %d levels; want one each", nodes, got["hierarchical"], levels)
		}
		if links := float64((4*nodes-1)/3 - 1); sum["hierarchical"] != links {
			t.Errorf("%d nodes, hierarchical: %v copies on %v links; want one each", nodes, sum["hierarchical"], links)
		}
		if got["chain"] > 2*got["hierarchical"] {
			t.Errorf("%d nodes, chain: %v copies on the busiest links; want at most twice %v", nodes, got["chain"], got["hierarchical"])
		}
		if sum["chain"] > 2*sum["hierarchical"] {
			t.Errorf("%d nodes, chain: %v copies on all links; want at most twice %v", nodes, sum["chain"], sum["hierarchical"])
		}
		if least := float64(nodes - 1); got["unicast"] < least || got["unicast"] > least*float64(levels) {
			t.Errorf("%d nodes, unicast: %v copies on the busiest links of %d levels; want %v on the first", nodes, got["unicast"], levels, least)
		}
	}
	if seen < 2 {
		t.Errorf("%d trees were measured", seen)
	}
}

// copiesByNodes returns the points of an item, by number of nodes and curve.
func copiesByNodes(cells []Cell, item string) map[int]map[string]float64 {
	got := map[int]map[string]float64{}
	for _, c := range cells {
		if c.Source != "ssscore" || c.Item != item {
			continue
		}
		if got[c.Point.Nodes] == nil {
			got[c.Point.Nodes] = map[string]float64{}
		}
		got[c.Point.Nodes][c.Point.Curve] = c.Got
	}
	return got
}

// With combined acknowledgements each link of a tree carries two packets, in a chain as in the
// hierarchical form: none more, and on average no less.
func TestAcknowledgedMulticastsTakeTwoPacketsOnEachLink(t *testing.T) {
	cells, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, c := range cells {
		if c.Item != ssscorePackets {
			continue
		}
		seen++
		if c.Got != 2 {
			t.Errorf("%s: %v packets; want 2", c.Cell, c.Got)
		}
	}
	if seen < 8 {
		t.Errorf("%d figures on two trees or more; want four for each", seen)
	}
}

// Acknowledgements are combined: on all links together there are fewer bytes of them than
// of data, however many nodes there are.
func TestCombinedAcknowledgementsAreFew(t *testing.T) {
	cells, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	acks, copies := copiesByNodes(cells, ssscoreAcks), copiesByNodes(cells, ssscoreAllCopies)
	for nodes, of := range acks {
		for method, bytes := range of {
			if limit := copies[nodes][method] * ssscoreData / 10; bytes > limit {
				t.Errorf("%d nodes, %s: %v bytes of acknowledgements; want a tenth of the data at most, %v", nodes, method, bytes, limit)
			}
		}
	}
	if len(acks) < 2 {
		t.Errorf("acknowledgements on %d trees; want several", len(acks))
	}
}
