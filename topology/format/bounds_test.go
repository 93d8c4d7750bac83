package format

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// TestSubgraphsAtTheirLimit links as many nodes in DOT as subgraphs may; edges without subgraphs
// do not count.
func TestSubgraphsAtTheirLimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("graph {\n")
	for _, end := range []string{"{ ", " } -- { "} {
		b.WriteString(end)
		for i := range 256 {
			fmt.Fprintf(&b, "%s%d; ", map[string]string{"{ ": "a", " } -- { ": "b"}[end], i)
		}
	}
	b.WriteString(" }\na0 -- a1\na1 -- a2\n}\n")
	n, err := Read(strings.NewReader(b.String()), "full.dot")
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Switches) != 512 || len(n.Links) != 256*256+2 {
		t.Errorf("%s; want 512 switches with %d links", n.Summary(), 256*256+2)
	}
}

// TestNodesByTheirPorts tells what nodes are by the highest port that a topo file names, where
// their type says nothing: no adapter has more than two.
func TestNodesByTheirPorts(t *testing.T) {
	for port, want := range map[int]string{2: "1 switch, 0 links, 1 host", 3: "2 switches, 1 link, 0 hosts"} {
		text := fmt.Sprintf("BOX a\n  P%d -> MTS3600 s P1\n\nMTS3600 s\n", port)
		n, err := Read(strings.NewReader(text), "boxes.topo")
		if err != nil {
			t.Fatal(err)
		}
		if n.Summary() != want {
			t.Errorf("a box linked by port %d: %s; want %s", port, n.Summary(), want)
		}
	}
}

// TestEdgesToNobodySayWhom names the end of an edge that is not in the graph.
func TestEdgesToNobodySayWhom(t *testing.T) {
	for _, edge := range []string{"source='a' target='b'", "source='b' target='a'"} {
		text := "<graphml><graph><node id='a'/><edge " + edge + "/></graph></graphml>"
		if _, err := Read(strings.NewReader(text), "x.graphml"); err == nil || !strings.Contains(err.Error(), `edge to node "b"`) {
			t.Errorf("%s: error %v; want one about b", edge, err)
		}
	}
}

// TestFailingFilesFail reads from what breaks after a while.
func TestFailingFilesFail(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := Read(iotest.TimeoutReader(iotest.ErrReader(broken)), "x.edges")
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "x.edges: ") {
		t.Errorf("error %v; want that of the disk, behind the name of the file", err)
	}
}
