package format

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/topology"
)

func openSample(t *testing.T, file string) *topology.Network {
	t.Helper()
	return readFile(t, "testdata/"+file)
}

func readFile(t *testing.T, path string) *topology.Network {
	t.Helper()
	n, err := readWithSystems(path)
	check.Must(t, err)
	return n
}

// readWithSystems reads a file, truncated or not, with the IBNL files beside it.
func readWithSystems(path string) (*topology.Network, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return (&Reader{Truncated: true, Systems: []fs.FS{os.DirFS(filepath.Dir(path))}}).Read(file, path)
}

// link joins a port of one switch to a port of another.
func link(a, portA, b, portB int, speed string) topology.Link {
	s, _ := topology.ParseSpeed(speed)
	return topology.Link{A: topology.Port{Switch: a, Number: portA}, B: topology.Port{Switch: b, Number: portB}, Speed: s}
}

func TestSampleCounts(t *testing.T) {
	for file, want := range map[string]string{
		"chassis.ibnetdiscover": "4 switches, 6 links, 2 hosts, 1 aggregation node, 1 router port",
		"old.ibnetdiscover":     "1 switch, 0 links, 2 hosts",
		"two-switches.net":      "2 switches, 2 links, 3 hosts",
		"ports.ports":           "2 switches, 1 link, 3 hosts, 1 router port",
		"subnet.lst":            "2 switches, 1 link, 1 host",
		"cluster.topo":          "3 switches, 3 links, 3 hosts",
		"box.ibnl":              "4 switches, 5 links, 0 hosts",
		"boxes.topo":            "8 switches, 11 links, 3 hosts",
		"names.edges":           "5 switches, 6 links, 0 hosts",
		"foreign.graphml":       "2 switches, 2 links, 1 host",
		"drawing.dot":           "4 switches, 5 links, 1 host",
	} {
		if got := openSample(t, file).Summary(); got != want {
			t.Errorf("%s: %s; want %s", file, got, want)
		}
	}
}

// Dumps of real fabrics are not part of the module; this looks at them where they
// are at hand.
func TestRealFabrics(t *testing.T) {
	want := map[string]string{
		"1.topo":                "2 switches, 2 links, 5 hosts",
		"2.topo":                "1 switch, 0 links, 2 hosts",
		"3.topo":                "2 switches, 4 links, 6 hosts",
		"4.topo":                "1 switch, 0 links, 1 host",
		"ports.ibnetdiscover-p": "4 switches, 1 link, 3 hosts",
		"dgx.ibnetdiscover":     "40 switches, 532 links, 542 hosts, 40 aggregation nodes",
		"rhinet2-a.edges":       "16 switches, 18 links, 0 hosts",
	}
	for _, file := range samples(t) {
		if counts := want[filepath.Base(file)]; counts != "" {
			if n := readFile(t, file); n.Summary() != counts {
				t.Errorf("%s: %s; want %s", file, n.Summary(), counts)
			}
		}
	}
}

func TestIBNetDiscoverKeepsEverything(t *testing.T) {
	n := openSample(t, "chassis.ibnetdiscover")
	wantSwitch := topology.Switch{
		ID: "S-00aa000000001002", Name: "line 1 of chassis", Ports: 24, GUID: 0xaa000000001002, SystemGUID: 0xaa000000001000,
		VendorID: 0x8f1, DeviceID: 0x5a31, LID: 12, LMC: 1,
	}
	if n.Switches[1] != wantSwitch {
		t.Errorf("switch %+v; want %+v", n.Switches[1], wantSwitch)
	}
	if !n.Switches[0].Enhanced {
		t.Error("enhanced port 0 was lost")
	}
	wantAdapter := topology.Adapter{
		ID: "H-00aa000000000100", Name: "node1 HCA-1", Ports: 2, GUID: 0xaa000000000100, SystemGUID: 0xaa000000000103,
		VendorID: 0x2c9, DeviceID: 0x673c,
	}
	if n.Adapters[0] != wantAdapter {
		t.Errorf("adapter %+v; want %+v", n.Adapters[0], wantAdapter)
	}
	wantPort := topology.EndPoint{Adapter: 0, AdapterPort: 2, At: topology.Port{Switch: 1, Number: 2}, GUID: 0xaa000000000102, LID: 24, LMC: 2, Speed: topology.Speed{Width: 4, Lane: "DDR"}}
	if n.EndPoints[1] != wantPort {
		t.Errorf("end point %+v; want %+v", n.EndPoints[1], wantPort)
	}
	wantLinks := []topology.Link{
		link(0, 1, 1, 13, "4xQDR"),
		link(0, 2, 1, 14, "4xQDR"),
		link(1, 4, 2, 5, "4xFDR10"),
		link(2, 6, 2, 7, "4xFDR"),
		link(2, 8, 2, 8, "4xFDR"),
		link(2, 9, 3, 1, "1xSDR"),
	}
	if !slices.Equal(n.Links, wantLinks) {
		t.Errorf("links %v; want %v", n.Links, wantLinks)
	}
}

// The dump has no lines of these nodes themselves: only their neighbours tell.
func TestSilentNodesAreTakenFromTheirNeighbours(t *testing.T) {
	n := openSample(t, "chassis.ibnetdiscover")
	if s := n.Switches[3]; s.Name != "dark" || s.LID != 14 || s.GUID != 0xaa000000001004 || s.Ports != 1 {
		t.Errorf("switch %+v", s)
	}
	e := n.EndPoints[2]
	if a := n.Adapters[e.Adapter]; a.Kind != topology.Aggregation || a.Name != "Quantum Aggregation Node" || e.LID != 40 || e.GUID != 0xaa000000000301 {
		t.Errorf("end point %+v of adapter %+v", e, a)
	}
}

func TestOldDumpWithoutQuotesAndComments(t *testing.T) {
	n := openSample(t, "old.ibnetdiscover")
	if s := n.Switches[0]; s.Name != "SW-6IB4 Voltaire" || s.LID != 3 {
		t.Errorf("switch %+v", s)
	}
	if a := n.Adapters[0]; a.Name != "MT23108 InfiniHost" {
		t.Errorf("adapter %+v", a)
	}
	if e := n.EndPoints[0]; e.LID != 5 || e.LMC != 1 || e.Speed != (topology.Speed{Width: 4, Lane: "SDR"}) {
		t.Errorf("end point %+v", e)
	}
	if e := n.EndPoints[1]; e.AdapterPort != 2 || e.LID != 0 || e.Speed != (topology.Speed{}) {
		t.Errorf("end point %+v", e)
	}
}

func TestPortListJoinsPortsOfOneAdapter(t *testing.T) {
	n := openSample(t, "ports.ports")
	if len(n.Adapters) != 3 || n.Adapters[0].Ports != 2 {
		t.Errorf("adapters %+v", n.Adapters)
	}
	if n.Switches[0].Ports != 4 {
		t.Errorf("%d ports; want the unconnected one counted", n.Switches[0].Ports)
	}
	if s := n.EndPoints[2].Speed; s != (topology.Speed{Width: 2, Lane: "HDR"}) {
		t.Errorf("speed %v", s)
	}
}

func TestSubnetListUndoesShiftedDeviceIDs(t *testing.T) {
	n := openSample(t, "subnet.lst")
	if n.Switches[0].DeviceID != 0xb924 || n.Switches[0].Name != "leaf {1}" || n.Adapters[0].DeviceID != 0x673c {
		t.Errorf("switch %+v, adapter %+v", n.Switches[0], n.Adapters[0])
	}
	if s := n.EndPoints[0].Speed; s != (topology.Speed{Width: 4, Lane: "FDR"}) {
		t.Errorf("speed %v", s)
	}
}

func TestTopoTakesSystemsForNodes(t *testing.T) {
	n := openSample(t, "cluster.topo")
	want := []topology.Link{
		link(0, 35, 2, 2, "12xDDR"),
		link(0, 36, 2, 1, ""),
		link(1, 36, 2, 3, ""),
	}
	if !slices.Equal(n.Links, want) {
		t.Errorf("links %v; want %v", n.Links, want)
	}
}

func TestEdgeListNumbersSwitches(t *testing.T) {
	for text, want := range map[string]string{
		"2 10\n10 3\n":                    "2 10 3",
		"3 1\n2 0\n1 2\n":                 "0 1 2 3",
		"n3 n1\nn2 n0\nn1 n2\n":           "n0 n1 n2 n3",
		"1\n1 0\n":                        "1 0",
		"b a\na \"c d\"\n# x y\n":         "b a c d",
		"01 0\n":                          "01 0",
		"0,1,4xHDR\r\n1 0\n":              "0 1",
		"sw-b sw-a 4xNDR\n\nsw-a,sw-c {}": "sw-b sw-a sw-c",
		"Source,Target\na,b\n":            "a b",
		"from\tto\n1\t2\n":                "1 2",
		"% sym unweighted\n1 2\n":         "1 2",
		"0 1 {'weight': 3, 'x': 'y z'}\n": "0 1",
		"\"source\" target\n":             "source target",
		"MF0;a MF0;b\n":                   "MF0;a MF0;b",
	} {
		n := mustRead(t, "edges", text)
		var ids []string
		for _, s := range n.Switches {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q: switches %s; want %s", text, got, want)
		}
	}
}

// TestLinksOfOtherTools is about repeated edges, the attribute type, and
// messages between the lines.
func TestLinksOfOtherTools(t *testing.T) {
	for _, c := range []struct {
		format, text string
		links, hosts int
	}{
		{"dot", "graph { a -- b -- a; c [type=host]; a -- c }", 2, 1},
		{"dot", "strict graph { a -- b -- a; b -- a }", 1, 0},
		{"dot", "strict digraph { a -> b; a -> b; b -> a }", 1, 0},
		{"dot", "digraph { a -> b; a -> b; b -> a }", 2, 0},
		{"dot", "digraph { a -> b [sourceport=1, targetport=1]; b -> a [sourceport=2, targetport=2] }", 2, 0},
		{"dot", "graph { node [type=switch] a; b [type=host]; a -- b }", 0, 1},
		{"ibnetdiscover", "DR path slid 0; dlid 0; 0 -> new device\n" + ibTwoSwitches, 1, 0},
		{"graphml", "<graphml><key id='t' attr.name='type'/><graph><node id='a'><data key='t'>router</data></node>" +
			"<node id='b'><data key='t'>host</data></node><edge source='a' target='b'/></graph></graphml>", 0, 1},
	} {
		n := mustRead(t, c.format, c.text)
		if len(n.Links) != c.links || n.Hosts() != c.hosts {
			t.Errorf("%s: %d links, %d hosts; want %d and %d", c.text, len(n.Links), n.Hosts(), c.links, c.hosts)
		}
	}
}

func mustRead(t *testing.T, format, text string) *topology.Network {
	t.Helper()
	f, err := Named(format)
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.Read(strings.NewReader(text), "file")
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return n
}

func TestGraphMLOfOtherTools(t *testing.T) {
	n := openSample(t, "foreign.graphml")
	if n.Switches[0].Name != "London & more" || n.EndPoints[0].At.Switch != 0 {
		t.Errorf("switch %+v, end point %+v", n.Switches[0], n.EndPoints[0])
	}
}

func TestDOTDrawnByHand(t *testing.T) {
	n := openSample(t, "drawing.dot")
	if n.Switches[1].Name != "second leaf" || n.Adapters[0].Ports != 2 {
		t.Errorf("switch %+v, adapter %+v", n.Switches[1], n.Adapters[0])
	}
	if n.EndPoints[0].At != (topology.Port{Switch: 0, Number: 7}) {
		t.Errorf("host at %v; want port 7 of switch 0", n.EndPoints[0].At)
	}
	if got := fmt.Sprint(n.Links[0].Speed, n.Distances(0)); got != "4xEDR [0 2 1 1]" {
		t.Errorf("got %s", got)
	}
}
