package format

import (
	"fmt"
	"strings"
	"testing"

	"musubi/internal/check"
)

// TestSONiCJoinsWhatSwitchesSay reads cables that are told from one end or both, an alias, a host on two
// switches, and one that only a VLAN tells of.
func TestSONiCJoinsWhatSwitchesSay(t *testing.T) {
	n := openSample(t, "small.sonic")
	var links []string
	for _, l := range n.Links {
		links = append(links, fmt.Sprintf("%s %d %s %d %v", n.Switches[l.A.Switch].ID, l.A.Number, n.Switches[l.B.Switch].ID, l.B.Number, l.Speed))
	}
	if got, want := strings.Join(links, "; "), "leaf1 1 spine1 1 4xHDR; leaf1 2 spine1 2 4xNDR; leaf2 1 spine1 3 1xNDR"; got != want {
		t.Errorf("links %s; want %s", got, want)
	}
	var ends []string
	for _, e := range n.EndPoints {
		ends = append(ends, fmt.Sprintf("%s at %s %d", n.Adapters[e.Adapter].ID, n.Switches[e.At.Switch].ID, e.At.Number))
	}
	if got, want := strings.Join(ends, "; "), "server1 at leaf1 3; leaf1:Ethernet12 at leaf1 4; server1 at leaf2 2"; got != want {
		t.Errorf("end points %s; want %s", got, want)
	}
	if got := strings.Join(n.Notes, "; "); got != "cables at ports that are switched off are left out; such ports: 1" {
		t.Errorf("notes %q", got)
	}
}

func TestSONiCRefuses(t *testing.T) {
	const a = `"a":{"DEVICE_METADATA":{"localhost":{"hostname":"a"}},"PORT":{"Ethernet0":{}},"DEVICE_NEIGHBOR":{"Ethernet0":{"name":"b","port":"Ethernet4"}}}`
	b := func(rest string) string {
		return `"b":{"DEVICE_METADATA":{"localhost":{"hostname":"b"}},"PORT":{"Ethernet0":{},"Ethernet4":{}}` + rest + `}`
	}
	for text, want := range map[string]string{
		`{` + a + `}`: `switch "b" is known only as the neighbour of others`,
		`{` + a + `,` + b(`,"DEVICE_NEIGHBOR":{"Ethernet4":{"name":"c","port":"x"}}`) + `}`:                                                       `which leads to port "x" of "c"; expected both to tell of one cable`,
		`{` + strings.Replace(a, "Ethernet4", "Ethernet8", 1) + `,` + b("") + `}`:                                                                 `leads to port "Ethernet8" of "b", which has no such port`,
		`{` + strings.Replace(a, `,"port":"Ethernet4"`, "", 1) + `,` + b("") + `}`:                                                                "0 ports that may be the other end",
		`{` + strings.Replace(a, `"name":"b"`, `"name":"a"`, 1) + `}`:                                                                             "leads to the switch itself",
		`{` + a + `,` + strings.Replace(b(""), `"b"}`, `"a"}`, 1) + `}`:                                                                           `switch "a", as in`,
		`{"a":{"PORT":{"Ethernet0":{}}},"b":{"DEVICE_METADATA":{}}}`:                                                                              "no entry DEVICE_METADATA|localhost",
		`{"DEVICE_METADATA":{"localhost":{"hostname":"a","switch_type":"voq"}},"PORT":{}}`:                                                        "a part of a chassis",
		`{"DEVICE_METADATA|localhost":{"hostname":"a"},"PORT|asic0|Ethernet0":{}}`:                                                                "of several parts, as in a chassis",
		`{"DEVICE_METADATA":{"localhost":{"hostname":"a"}},"PORT":{"Ethernet0":{}},"PORT|Ethernet0":{}}`:                                          "for a second time",
		`{"DEVICE_METADATA":{"localhost":{"hostname":"a"}},"PORT":`:                                                                               "the JSON ends early",
		`{"DEVICE_METADATA":{"localhost":{"hostname":"a"}},"PORT":{}} x`:                                                                          "something after the JSON object",
		`{"DEVICE_METADATA":{"localhost":{}},"PORT":{}}`:                                                                                          "no hostname",
		`{"DEVICE_METADATA":{"localhost":{"hostname":"a"}},"PORT":{"E0":{}},"DEVICE_NEIGHBOR":{"E0":{"name":"a2"}, "E0":{"name":"a3"}, "E1":3}} `: "no object of fields",
	} {
		f, err := Named("sonic")
		check.Must(t, err)
		_, err = f.Read(strings.NewReader(text), "file")
		check.Error(t, err, want)
	}
}
