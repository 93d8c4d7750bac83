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
		"plain.iblinkinfo":      "3 switches, 3 links, 3 hosts",
		"long.iblinkinfo":       "3 switches, 3 links, 3 hosts",
		"small.db_csv":          "3 switches, 3 links, 3 hosts",
		"towns.gml":             "3 switches, 2 links, 1 host",
		"leaves.json":           "4 switches, 4 links, 1 host",
		"tree.conf":             "7 switches, 6 links, 11 hosts",
		"star.topology":         "5 switches, 4 links, 0 hosts",
		"three.anynet":          "3 switches, 3 links, 4 hosts",
		"words.adjlist":         "4 switches, 5 links, 0 hosts",
		"boxes.topo":            "8 switches, 11 links, 3 hosts",
		"names.edges":           "5 switches, 6 links, 0 hosts",
		"foreign.graphml":       "2 switches, 2 links, 1 host",
		"small.sonic":           "3 switches, 3 links, 3 hosts",
		"drawing.dot":           "4 switches, 5 links, 1 host",
	} {
		if got := openSample(t, file).Summary(); got != want {
			t.Errorf("%s: %s; want %s", file, got, want)
		}
	}
}

// Dumps of real fabrics and files of other tools are not part of the module; this looks at them
// where they are at hand: at how many there are of everything, or why they are refused.
func TestRealFabrics(t *testing.T) {
	want := map[string]string{
		"1.topo":                "2 switches, 2 links, 5 hosts",
		"2.topo":                "1 switch, 0 links, 2 hosts",
		"3.topo":                "2 switches, 4 links, 6 hosts",
		"4.topo":                "1 switch, 0 links, 1 host",
		"ports.ibnetdiscover-p": "4 switches, 1 link, 3 hosts",
		"dgx.ibnetdiscover":     "40 switches, 532 links, 542 hosts, 40 aggregation nodes",
		"rhinet2-a.edges":       "16 switches, 18 links, 0 hosts",
		"rhinet2-b.edges":       "16 switches, 20 links, 0 hosts",

		"MTS14400.ibnl":       "18 switches, 144 links, 0 hosts",
		"Gnu.ibnl":            "6 switches, 16 links, 0 hosts",
		"MTS2400-12T4.ibnl":   "1 switch, 0 links, 0 hosts",
		"RhinoBased512.topo":  "216 switches, 2240 links, 512 hosts",
		"leafspine.db_csv":    "6 switches, 8 links, 12 hosts",
		"rapimt-links.csv":    "not a known description",
		"rapimt-nodes.csv":    "not a known description",
		"Aarnet.gml":          "19 switches, 24 links, 0 hosts",
		"karate.gml":          "34 switches, 78 links, 0 hosts",
		"example.gml":         "3 switches, 2 links, 0 hosts",
		"refuse-invalid1.gml": `edge with the target "1"`,

		"ibsim-fattree.iblinkinfo":            "6 switches, 9 links, 10 hosts",
		"ibsim-fattree-l.iblinkinfo":          "6 switches, 9 links, 10 hosts",
		"ibsim-fattree-switches-p.iblinkinfo": "6 switches, 9 links, 10 hosts",
		"ibsim-fattree.ibnetdiscover":         "6 switches, 9 links, 10 hosts",

		"graph-edges.json":                  "5 switches, 6 links, 6 hosts",
		"multigraph-links.json":             "5 switches, 7 links, 6 hosts",
		"ring-int-ids.json":                 "6 switches, 6 links, 0 hosts",
		"anynet_file":                       "3 switches, 3 links, 9 hosts",
		"small_anynet_file":                 "8 switches, 12 links, 16 hosts",
		"diamond_n5.topology":               "5 switches, 8 links, 0 hosts",
		"fat_tree_k4.topology":              "20 switches, 32 links, 0 hosts",
		"xpander_n100_d10.topology":         "100 switches, 499 links, 0 hosts",
		"testcase1-topology.conf":           "529 switches, 528 links, 10000 hosts",
		"testcase3-topology.conf":           "23 switches, 22 links, 400 hosts",
		"expected.slinky-oci-sim-tree.conf": "19 switches, 18 links, 96 hosts",
		"2700_config_db.json":               "1 switch, 0 links, 0 hosts",
		"config_db.json":                    "5 switches, 4 links, 25 hosts",
		"t1_config_db.json":                 "25 switches, 32 links, 0 hosts",
		"refuse-block-topology.conf":        "of the plugin topology/block",
	}
	for _, file := range samples(t) {
		expected := want[filepath.Base(file)]
		if strings.HasPrefix(file, "testdata/") {
			continue
		}
		n, err := readWithSystems(file)
		switch {
		case err != nil && expected == "":
			check.Error(t, err, "not a known description") // of another kind
		case err != nil:
			check.Error(t, err, expected)
		case n.Summary() != expected:
			t.Errorf("%s: %s; want %s", file, n.Summary(), expected)
		}
	}
}

// TestFormsOfOneFabric reads the same links from both forms of iblinkinfo and from ibdiagnet.
func TestFormsOfOneFabric(t *testing.T) {
	plain := openSample(t, "plain.iblinkinfo")
	for _, file := range []string{"long.iblinkinfo", "small.db_csv"} {
		n := openSample(t, file)
		for i, l := range plain.Links {
			got := n.Links[i]
			a, b := n.Switches[got.A.Switch], n.Switches[got.B.Switch]
			if got.A.Number != l.A.Number || got.B.Number != l.B.Number || a.GUID != plain.Switches[l.A.Switch].GUID || b.GUID != plain.Switches[l.B.Switch].GUID ||
				got.Speed != l.Speed && got.Speed.Lane != "QDR" { // ibdiagnet has another bit for FDR10
				t.Errorf("%s: link %d is %v; want %v", file, i, got, l)
			}
		}
		for i, e := range plain.EndPoints {
			got := n.EndPoints[i]
			if got.At.Number != e.At.Number || got.GUID != e.GUID || got.LID != e.LID || got.Speed != e.Speed {
				t.Errorf("%s: end point %d is %+v; want %+v", file, i, got, e)
			}
		}
		for i, s := range plain.Switches {
			if got := n.Switches[i]; got.LID != s.LID || got.Ports != s.Ports || got.Name != s.Name {
				t.Errorf("%s: switch %+v; want %+v", file, got, s)
			}
		}
	}
	if got := strings.Join(plain.Notes, ";"); got != "some cables are not active, and carry no data yet; their lines: 2" {
		t.Errorf("notes %q", got)
	}
}

// TestNamesOfNodes is about names that formats make in ways of their own.
func TestNamesOfNodes(t *testing.T) {
	for file, want := range map[string]string{
		"towns.gml":     "1 3 7",
		"leaves.json":   `leaf1 1 "1" [0,1]`,
		"three.anynet":  "router4 router7 router9",
		"words.adjlist": "core east west south",
		"tree.conf":     "core row0 row1 leaf0 leaf1 leaf2 edge.a-1",
	} {
		var names []string
		for _, s := range openSample(t, file).Switches {
			names = append(names, s.ID)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: switches %s; want %s", file, got, want)
		}
	}
	var hosts []string
	for _, a := range openSample(t, "tree.conf").Adapters {
		hosts = append(hosts, a.ID)
	}
	if got, want := strings.Join(hosts, " "), "n08 n09 n10 n12 login r0n1 r0n2 r1n1 r1n2 m1 m2"; got != want {
		t.Errorf("hosts %s; want %s", got, want)
	}
}

// TestHostsWhereFilesSay attaches hosts to the ToRs of a netbench file only.
func TestHostsWhereFilesSay(t *testing.T) {
	n, err := openSample(t, "star.topology").WithHosts(2)
	check.Must(t, err)
	if n.Hosts() != 6 || len(n.EndPointsAt(3))+len(n.EndPointsAt(4)) > 0 {
		t.Errorf("%s, of which %d and %d at the middle; want 6 and none", n.Summary(), len(n.EndPointsAt(3)), len(n.EndPointsAt(4)))
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
