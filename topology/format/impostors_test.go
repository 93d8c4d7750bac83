package format

import (
	"io"
	"musubi/topology/format/internal/draft"
	"strings"
	"testing"
)

// impostors are texts that look like descriptions of networks at a glance, and are none.
var impostors = map[string]string{
	"log line":             "Connection refused\n",
	"log lines":            "Connection refused\nError 404\nlink1 down\n",
	"times":                "12:00:01 12:00:02\n12:00:02 12:00:03\n",
	"measurements":         "0 0.5\n1 0.7\n2 0.9\n",
	"squares":              "1 2\n2 4\n3 9\n4 16\n5 25\n6 36\n",
	"one pair":             "node1 node2\n",
	"addresses":            "10.0.0.1 10.0.0.2\n10.0.0.2 10.0.0.3\n",
	"comma separated":      "1,2\n2,3\n3,4\n",
	"table":                "name,value\na1,b1\nb1,c1\n",
	"JSON":                 "{\"name\": \"a1\",\n \"list\": [1, 2]}\n",
	"HTML":                 "<!DOCTYPE html>\n<html><body><p>graph { a -- b }</p></body></html>\n",
	"other XML":            "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0\"/></svg>\n",
	"binary":               "\x7fELF\x02\x01\x01\x00\x00\x00\x00 \x00\xff\xfe a1 b2\n",
	"configuration":        "[section]\nkey = value1\n",
	"prose about graphs":   "graph theory began in Koenigsberg\n",
	"prose about switches": "Switch 24 ports off\n",
	"code":                 "graph[i] -> next[j]\n",
	"ibqueryerrors":        "Errors for \"leaf1\"\n   GUID 0x10 port 1: [SymbolErrorCounter == 5]\n",
	"slurm.conf":           "ClusterName=c1\nSwitchType=switch/none\nNodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=ALL\n",
	"opensm-smdb.dump":     "START_NODES\nNodeType, NumPorts, NodeGUID\nCA, 2, 0x10\nEND_NODES\n",
	"INI":                  "[NODES]\nNODE=SW 8\n",
	"other JSON":           "{\"DEVICE_NEIGHBOR\": {\"Ethernet0\": {\"name\": \"s1\"}}}\n",
	"qos.json of SONiC":    "{\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3,4\"}}}\n",
	"routes of SONiC":      "{\"ROUTE_TABLE:10.0.0.0/8\": {\"nexthop\": \"10.0.0.1\", \"ifname\": \"Ethernet0\"}}\n",
	"minigraph.xml":        "<DeviceMiniGraph xmlns=\"Microsoft.Search\"><CpgDec></CpgDec></DeviceMiniGraph>\n",
	"adjacency JSON":       "{\"nodes\": [{\"id\": 0}], \"adjacency\": [[{\"id\": 1}]]}\n",
	"docker-compose":       "services:\n  router1:\n    links:\n      - db1\n",
	"router config":        "router bgp 65000\n neighbor 10.0.0.1\n",
	"graph of a database":  "graph LR\n  a1 --> b1\n",
	"self links":           "1 1\n2 2\n3 3\n",
	"unused numbers":       "17 4711\n4711 90210\n",
}

func TestImpostorsAreNoNetworks(t *testing.T) {
	for name, text := range impostors {
		n, err := Read(strings.NewReader(text), "file")
		if err == nil {
			t.Errorf("%s was read as %s", name, n.Summary())
		} else if !strings.HasPrefix(err.Error(), "file:1: not a known description of a network") {
			t.Errorf("%s: %v; expected the formats that are known", name, err)
		}
	}
}

// endless yields the same text for ever, and counts what is read of it.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.read+i)%len(e.text)]
	}
	e.read += len(p)
	return len(p), nil
}

// TestJunkIsRefusedByItsBeginning reads no more than the head of files that are no networks,
// whatever they are called.
func TestJunkIsRefusedByItsBeginning(t *testing.T) {
	for _, file := range []string{"junk", "junk.edges", "junk.topo", "junk.dot", "junk.graphml", "junk.lst"} {
		junk := endless{text: "there is nothing here but prose; \x00\n"}
		if _, err := Read(io.LimitReader(&junk, 1<<30), file); err == nil {
			t.Errorf("%s was read as a network", file)
		}
		if junk.read > 2*maxHead {
			t.Errorf("%s: read %d bytes; expected the first %d", file, junk.read, maxHead)
		}
	}
}

// TestFilesBeyondTheHeadAreRead reads all of a file that is longer than what tells its format.
func TestFilesBeyondTheHeadAreRead(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	for i := range n {
		b.WriteString("s" + draft.Number(i+1) + " s" + draft.Number((i+1)%n+1) + "\n")
	}
	net, err := Read(strings.NewReader(b.String()), "ring")
	if err != nil || b.Len() < 2*maxHead {
		t.Fatalf("%d bytes: %v", b.Len(), err)
	}
	if len(net.Switches) != n || len(net.Links) != n {
		t.Errorf("%s; want %d switches and links", net.Summary(), n)
	}
}

// TestTooLargeFilesAreRefused stops at the number of switches that a network can have.
func TestTooLargeFilesAreRefused(t *testing.T) {
	var b strings.Builder
	for i := range 1<<18 + 1 {
		b.WriteString("s" + draft.Number(i+1) + "\n")
	}
	edges, err := Named("edges")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = edges.Read(strings.NewReader(b.String()), "file"); err == nil || err.Error() != "file:262145: 262145 switches; at most 262144 can be made" {
		t.Errorf("error %v; want one about the number of switches", err)
	}
}

func TestBothDirectionsAreOneCable(t *testing.T) {
	for text, want := range map[string]struct {
		links int
		note  string
	}{
		"a b\nb a\nb c\nc b\n": {2, "links given in both directions are one cable each: 2 of 2"},
		"a b\nb a\nb c\n":      {2, "links given in both directions are one cable each: 1 of 2"},
		"a b\na b\nb a\nb a\n": {2, "links given in both directions are one cable each: 2 of 2"},
		"a b\na b\nb c\n":      {3, ""},
		"a a\na a\n":           {2, ""},
	} {
		n := mustRead(t, "edges", text)
		if len(n.Links) != want.links || strings.Join(n.Notes, ";") != want.note {
			t.Errorf("%q: %d links, notes %q; want %d and %q", text, len(n.Links), n.Notes, want.links, want.note)
		}
	}
}

func TestHostsInEdgeLists(t *testing.T) {
	n := mustRead(t, "edges", "leaf1 spine1\nleaf2 spine1\nh1 leaf1 host\nh2 leaf2 4xNDR host\n")
	if n.Summary() != "3 switches, 2 links, 2 hosts" || n.EndPoints[1].Speed.String() != "4xNDR" {
		t.Errorf("%s, end points %v", n.Summary(), n.EndPoints)
	}
}
