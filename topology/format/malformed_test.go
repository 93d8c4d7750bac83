package format

import (
	"strings"
	"testing"
)

const ibTwoSwitches = "Switch 4 \"A\"\n[1] \"B\"[1]\n\nSwitch 4 \"B\"\n"

// malformed lists files with one fault each, and the whole message.
var malformed = []struct{ format, text, want string }{
	{"ibnetdiscover", "hello world\n",
		`file:1: found "hello world"; expected a node (Switch, Ca, Hca, Rt), a port ([1] ...), a GUID or ID (caguid=...) or a comment`},
	{"ibnetdiscover", "# nothing\n", `file:1: found no switch in the file; expected at least one`},
	{"ibnetdiscover", "[1] \"B\"[1]\n", `file:1: found the port "[1] \"B\"[1]"; expected a Switch, Ca, Hca or Rt line before it`},
	{"ibnetdiscover", "Switch 4 \"A\"\n[1] nonsense\n", `file:2: found "nonsense" after the port; expected the other node, in quotes`},
	{"ibnetdiscover", "Switch 4 \"A\"\n[9] \"B\"[1]\n", `file:2: port 9 of "A"; expected 1 to 4`},
	{"ibnetdiscover", "Switch 4 \"A\"\n[0] \"B\"[1]\n", `file:2: found "[0] \"B\"[1]"; expected a port number from 1 to 65535 in brackets`},
	{"ibnetdiscover", "Switch 4 \"A\"\n[1] \"B\"[1] junk\n", `file:2: found " junk" behind the other port; expected a comment or options such as w=4`},
	{"ibnetdiscover", "Switch 4 \"A\"\n[1] \"B\"[1](xyz)\n", `file:2: port GUID "xyz"; expected a hexadecimal number`},
	{"ibnetdiscover", "Switch 4 \"A\"\n[1] \"B\"[1]\n", `file:2: node "B" is not described anywhere; expected a Switch, Ca, Hca or Rt line for it`},
	{"ibnetdiscover", "Switch 99999999 \"A\"\n", `file:1: node "A" has "99999999" ports; expected 0 to 65535`},
	{"ibnetdiscover", "switchguid=0xnonsense\n", `file:1: switchguid is "0xnonsense"; expected a hexadecimal number of at most 64 bits`},
	{"ibnetdiscover", ibTwoSwitches + "[1] \"A\"[2]\n",
		`file:5: port 1 of "B" leads from "B" port 1 to "A" port 2; expected the cable between "A" port 1 and "B" port 1 of line 2`},
	{"ibnetdiscover", ibTwoSwitches + "[2] \"A\"[1]\n",
		`file:5: port 1 of "A" leads from "B" port 2 to "A" port 1; expected the cable between "A" port 1 and "B" port 1 of line 2`},
	{"ibnetdiscover", ibTwoSwitches + "Switch 5 \"B\"\n", `file:5: node "B" differs from its description on line 4; expected the same type, ports and GUID`},
	{"ibnetdiscover", ibTwoSwitches + "Ca 4 \"B\"\n", `file:5: node "B" differs from its description on line 4; expected the same type, ports and GUID`},
	{"ibnetdiscover", "Ca 1 \"A\"\n[1] \"B\"[1]\nCa 1 \"B\"\n",
		`file:2: adapters "A" and "B" are linked to each other; expected every adapter on a switch`},
	{"ibsim", "Switch 4 \"A\"\n[1] \"net@port\"\n", `file:2: node "net@port" is not described anywhere; expected a Switch, Ca, Hca or Rt line for it`},
	{"ibsim", "include \"other\"\n",
		`file:1: found "include \"other\""; expected a node (Switch, Ca, Hca, Rt), a port ([1] ...), a GUID or ID (caguid=...) or a comment`},
	{"ibnetdiscover", "Switch 4 \"S-000000000000000a\"\n[1] \"S-000000000000000b\"[1]\n",
		`file:2: switch "S-000000000000000b" is known only as the neighbour of others; expected its own description, as in a dump that is not truncated`},
	{"ports", "SW 1 1 0x10 4x SDR - SW 2 1 0x11 ( 'a' - 'b' )\n",
		`file:1: switch "S-0000000000000011" is known only as the neighbour of others; expected its own description, as in a dump that is not truncated`},
	{"ports", "SW 1 2 0x10\n", `file:1: found "SW 1 2 0x10"; expected SW, CA or RT, LID, port, GUID, width and speed`},
	{"ports", "SW 1 0 0x10 4x SDR 'a'\n", `file:1: port 0; expected 1 to 65535`},
	{"ports", "SW 70000 1 0x10 4x SDR 'a'\n", `file:1: LID 70000; expected 0 to 65535`},
	{"ports", "SW 1 1 0x10 4x SDR - CA\n", `file:1: found "- CA"; expected - and the other port, then ( 'name' - 'name' )`},
	{"ports", "SW 1 1 0x10 4x SDR - SW 2 1 0x11 ( 'a' )\n", `file:1: found the names "a"; expected two, as in ( 'name' - 'name' )`},
	{"ports", "CA 1 1 0x11 4x SDR 'a'\nCA 1 1 0x11 4x SDR 'b'\n", `file:2: adapter "b" has the GUIDs of "a" on line 1; expected different ones`},
	{"lst", "nonsense\n", `file:1: found "nonsense"; expected { SW, { CA or { Rt`},
	{"lst", "{ SW Ports:4\n", `file:1: found "{ SW Ports:4"; expected { type Ports: SystemGUID: NodeGUID: PortGUID: VenID: DevID: Rev:`},
	{"lst", "{ SW Ports:04 SystemGUID:0 NodeGUID:1 PortGUID:1 VenID:0 DevID:0 Rev:0 {x\n", `file:1: found "x"; expected the name, then } LID:`},
	{"lst", "{ SW Ports:04 SystemGUID:0 NodeGUID:1 PortGUID:1 VenID:0 DevID:0 Rev:0 {x} LID:1 PN:5 }\n", `file:1: port 5 of "x"; expected 1 to 4`},
	{"topo", "MTS3600\n", `file:1: found "MTS3600"; expected a system (type and name) or, indented, a cable (port -> type name port)`},
	{"topo", "  P1 -> MTS3600 a P2\n", `file:1: found a cable; expected a system (type and name) before it`},
	{"topo", "MTS3600 a\nMTS2400 a\n", `file:2: system "a" has type "MTS2400"; expected "MTS3600" as on line 1`},
	{"edges", "a b\nb c d e\n", `file:2: found "d" behind two names; expected a speed such as 4xNDR, or the word host`},
	{"edges", "a b fast\n", `file:1: found "fast" behind two names; expected a speed such as 4xNDR, or the word host`},
	{"edges", "a b 4xNDR host {} 4xNDR\n", `file:1: found 6 fields; expected two switch names and perhaps a speed`},
	{"edges", "a \"b\n", `file:1: found "\"b"; expected a closing quotation mark`},
	{"edges", "Source;Target;Weight\n1;2;1.0\n", `file:2: found one name, "1;2;1.0"; expected two, separated by blanks or a comma`},
	{"edges", "a b {'x': 1\n", `file:1: found "{'x': 1"; expected a closing brace`},
	{"edges", "# empty\n", `file:1: found no switch in the file; expected at least one`},
	{"graphml", "<graphml><graph>\n<node id='a'>", `file:2: unexpected EOF; expected well-formed XML`},
	{"graphml", "<graphml/>\n", `file:2: found no <graph>; expected a GraphML document`},
	{"graphml", "<graphml><graph>\n<edge source='a' target='b'/></graph></graphml>", `file:2: edge to node "a"; expected a node of the graph`},
	{"graphml", "<graphml><graph><node id='a'/>\n<node id='a'/></graph></graphml>", `file:2: node "a" appears again; expected it on line 1 only`},
	{"graphml", "<graphml><key id='k' attr.name='kind'/><graph>\n<node id='a'><data key='k'>toaster</data></node></graph></graphml>",
		`file:2: kind of node "a" is "toaster"; expected switch, host, aggregation or router`},
	{"graphml", "<graphml><graph><hyperedge/></graph></graphml>", `file:1: found a <hyperedge>; expected links between two nodes`},
	{"dot", "graph {\n a -- \n}", `file:3: found "}"; expected a name`},
	{"dot", "graph {\n a -> b\n}", `file:2: found "->"; expected -- in this kind of graph`},
	{"dot", "graph { a", `file:1: found the end of the file; expected a name`},
	{"dot", "tree {}", `file:1: found "tree"; expected graph or digraph`},
	{"dot", "graph { a [ports 3] }", `file:1: found "3"; expected =`},
	{"dot", "graph { a [guid=xyz] }", `file:1: guid of node "a" is "xyz"; expected a hexadecimal number of 64 bits`},
	{"dot", "graph { a -- b [speed=fast] }", `file:1: speed is "fast"; expected a speed such as 4xNDR`},
	{"dot", "graph {\n\"a\n", `file:2: found "\"a\n"; expected a closing quotation mark`},
	{"dot", "graph { /* ", `file:1: found /* without end; expected */`},
	{"dot", "graph { a -- b [taillabel=1 headlabel=1]\n a -- c [taillabel=1 headlabel=1] }",
		`file:2: port 1 of "a" leads from "a" port 1 to "c" port 1; expected the cable between "a" port 1 and "b" port 1 of line 1`},
}

func TestMalformedFileIsReportedInOneLine(t *testing.T) {
	for _, c := range malformed {
		f, err := Named(c.format)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Read(strings.NewReader(c.text), "file")
		if err == nil {
			t.Errorf("%s %q: no error", c.format, c.text)
		} else if err.Error() != c.want {
			t.Errorf("%s %q:\n got %s\nwant %s", c.format, c.text, err, c.want)
		}
	}
}
