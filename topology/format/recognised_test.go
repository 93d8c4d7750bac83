package format

import (
	"strings"
	"testing"
)

// impostorsOf are texts that have the words of a format and are none of its files, by format. Each format has
// some of its own, so a new one needs a line here.
var impostorsOf = map[string][]string{
	"graphml": {
		"The root element is <graphml>, with a graph inside.\n",
		"<?xml version=\"1.0\"?>\n<html><body><graphml/></body></html>\n",
		"<?xml version=\"1.0\"?>\n<gexf><graph><nodes/></graph></gexf>\n",
		"<graphmlx><graph/></graphmlx>\n",
	},
	"dot": {
		"digraph of the calls, drawn by hand\n",
		"graph : { title: \"a graph of VCG\" }\n",
		"subgraph cluster { a -- b }\n",
		"# graph { a -- b }\nno graph follows\n",
		"paragraph { text }\n",
	},
	"gml": {
		"graph [ directed 0 ]\n",
		"graph\nnode [ id 1 ]\n",
		"<gml:FeatureCollection xmlns:gml=\"http://www.opengis.net/gml\"/>\n",
		"subgraph[ node [ id 1 ] ]\n",
	},
	"json": {
		"{\"nodes\": {\"a\": 1}, \"links\": 3}\n",
		"{\"nodes\": [1, 2, 3]}\n",
		"[{\"nodes\": [], \"links\": []}]\n",
		"let network = {\"nodes\": [], \"links\": []}\n",
		"{\"edges\": [[0, 1]], \"vertices\": [0, 1]}\n",
	},
	"sonic": {
		"{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"s1\"}}}\n",
		"{\"PORT\": {\"Ethernet0\": {\"lanes\": \"1\"}}}\n",
		"DEVICE_METADATA and PORT are tables of config_db.json\n",
	},
	"lst": {
		"{ HCA Ports:01 }\nlist { CA: 3 }\n",
		"struct { SW int; Ports int }\n",
		"SW Ports:24 SystemGUID:1\n",
	},
	"ports": {
		"SW 1 24 leaf1\nCA 2 1 node1\n",
		"SWITCH 1 24 0x0002c9 4x SDR\n",
		"RT 5 x 0x10 4x EDR\n",
	},
	"ibnetdiscover": {
		"Switch 24 ports\n",
		"Our switch has 36 ports, \"leaf1\" is one\n",
		"vendid is 0x2c9, and devid 0xbd36\n",
		"sysimgguid: 0x2c9\n",
	},
	"ibsim": {
		"switch: 24 ports\nhca: 2 ports\n",
		"Hca \"node1\" 2\n",
		"module Switch24 # \"a\"\n",
	},
	"iblinkinfo": {
		"CA: node1 mlx5_0:\n   0x10  1  1[  ] ==( Down/ Polling\n",
		"a ==> b\nb ==> c\n",
		"==( 4X\n )==> next\n",
	},
	"db_csv": {
		"START_NODES\nguid,desc\n1,a\nEND_NODES\n",
		"NodeGUID,NodeDesc\n0x1,a\n",
		"start_nodes\nNodeGUID,NodeDesc\n0x1,a\n",
		"RESTART_NODES now\nNodeDesc;NodeGUID\n",
	},
	"ibnl": {
		"TOPSYSTEM of the manual\nNODE is a keyword\n",
		"NODE SW 8 IS3 U1\n",
		"SYSTEM A\nNODE CA 1 HCA\n",
	},
	"topo": {
		"leaf1 one\n leaf1 -> leaf2\n",
		"main loop\n   a -> b\n",
		"    P1 -4x-10G-> HCA_1\n",
	},
	"slurm": {
		"SwitchType=switch/none\nNodeName=n[1-4]\n",
		"SwitchName=s1\n",
		"BlockName=b1\nRingName=r1\n",
	},
	"netbench": {
		"|V|=5\n|E| is unknown\n",
		"|V| = 5\n|E| = 8\n0 1\n",
		"A graph with |V|=5 and |E|=8\n",
	},
	"anynet": {
		"router bgp 65000\n",
		"router 0 router 1\nnode is next\n",
		"routers 0 1 2\n",
		"router0 node1\nrouter1 node2 and more\n",
	},
	"adjlist": {
		"s1: s2 s3\ns2: s1\ns3: s1\n",
		"target1: source1 source2\n\tcc -o target1 source1\n",
	},
	"edges": {
		"s1 s2 s3 s4\ns2 s3 s4 s5\n",
		"Monday Tuesday\nTuesday Wednesday\n",
		"1 10.5\n2 11.5\n3 12.5\n",
		"a1 b1 0.25\nb1 c1 0.5\n",
	},
}

// No recogniser takes an impostor of its format for a file of that format, and none of the others does.
func TestEachFormatRefusesItsImpostors(t *testing.T) {
	const fewest = 2
	for _, f := range All() {
		list := impostorsOf[f.Name]
		if len(list) < fewest {
			t.Errorf("%s has %d impostors; expected %d texts that have its words and are none of its files", f.Name, len(list), fewest)
		}
		for _, text := range list {
			if f.looksLike(text) {
				t.Errorf("%s recognises %q", f.Name, text)
			}
			if n, err := Read(strings.NewReader(text), "file"); err == nil {
				t.Errorf("%s: %q is read as %s", f.Name, text, n.Summary())
			} else if !strings.HasPrefix(err.Error(), "file:1: not a known description of a network") {
				t.Errorf("%s: %q: %v; expected the formats that are known", f.Name, text, err)
			}
		}
	}
}
