package roce_test

import (
	"os"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/routing/nexthop"
	"musubi/routing/roce"
	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/sonic"
)

// sonicExample is a Clos with two failed links: the same as the tables of bounce.csv in the plain form.
func sonicExample(t testing.TB) string {
	data, err := os.ReadFile("../../examples/fabrics/bounce.sonic")
	check.Must(t, err)
	return string(data)
}

// readSONiC reads network and tables from an object of databases.
func readSONiC(text string) (*topology.Network, *roce.Tables, error) {
	net, err := format.Read(strings.NewReader(text), "file")
	if err != nil {
		return nil, nil, err
	}
	switches, err := sonic.ReadObject([]byte(text))
	if err != nil {
		return nil, nil, err
	}
	tables, err := roce.ReadSONiC(switches, "file", net)
	return net, tables, err
}

func proveSONiC(t *testing.T, text string) (*nexthop.Proof, *roce.Tables) {
	t.Helper()
	_, tables, err := readSONiC(text)
	check.Must(t, err)
	return nexthop.Prove(tables), tables
}

// TestSONiCIsLikeThePlainForm reads the tables that a page of the documents has in two forms.
func TestSONiCIsLikeThePlainForm(t *testing.T) {
	edges, err := os.Open("../../examples/fabrics/bounce.edges")
	check.Must(t, err)
	defer edges.Close()
	net, err := format.Read(edges, "bounce.edges")
	check.Must(t, err)
	plain, err := os.Open("../../examples/fabrics/bounce.csv")
	check.Must(t, err)
	defer plain.Close()
	tables, err := roce.ReadPlain(plain, "bounce.csv", net)
	check.Must(t, err)
	want := nexthop.Prove(tables)
	got, _ := proveSONiC(t, strings.ReplaceAll(sonicExample(t), `"pfc_enable": "3,4"`, `"pfc_enable": "3"`))
	if got.Pairs != want.Pairs || got.Unreachable != want.Unreachable || got.Dependencies != want.Dependencies || len(got.Cycle) != len(want.Cycle) {
		t.Errorf("%d pairs, %d unreachable, %d dependencies, cycle of %d; want %d, %d, %d, %d",
			got.Pairs, got.Unreachable, got.Dependencies, len(got.Cycle), want.Pairs, want.Unreachable, want.Dependencies, len(want.Cycle))
	}
	for i, d := range got.Cycle {
		if a, b := got.Rules.Network(), want.Rules.Network(); a.SwitchName(a.From(d.Channel).Switch) != b.SwitchName(b.From(want.Cycle[i].Channel).Switch) {
			t.Errorf("channel %d of the cycle begins at %s", i, a.SwitchName(a.From(d.Channel).Switch))
		}
	}
}

// TestSONiCFlowControl changes maps and priorities of the example.
func TestSONiCFlowControl(t *testing.T) {
	text := sonicExample(t)
	l1 := strings.Index(text, `"L1": {`) // its ports: to S1, S2 and T2
	l1s1 := l1 + strings.Index(text[l1:], `"pfc_enable": "3,4"`)
	for _, c := range []struct {
		name, text  string
		lanes       int
		free        bool
		note, other string // in Notes and NotCovered
	}{
		{"as it is", text, 2, false, "", ""},
		{"nowhere", strings.ReplaceAll(text, `"pfc_enable": "3,4"`, `"pfc_enable": ""`), 1, true, "no class is lossless", ""},
		{"one end", text[:l1s1] + `"pfc_enable": "6"` + text[l1s1+len(`"pfc_enable": "3,4"`):], 2, true, "such links: 1, as L1 Ethernet0 to S1 Ethernet0", ""},
		{"another queue", strings.ReplaceAll(text, `"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"0": "0", "1": "1", "2": "2", "3": "3"`, `"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"0": "0", "1": "1", "2": "2", "3": "2"`), 1, false, "stops another queue", ""},
		{"watchdog", strings.Replace(text, `"PORT": {`, `"PFC_WD": {"GLOBAL": {}, "Ethernet0": {"action": "drop"}}, "PORT": {`, 1), 2, false, "watchdog is on at 1 ports", ""},
		{"tunnel", strings.Replace(text, `"PORT": {`, `"TUNNEL": {"MuxTunnel0": {}}, "PORT": {`, 1), 2, false, "", "tunnels between switches"},
		{"old references", strings.ReplaceAll(text, `_map": "AZURE"`, `_map": "[X|AZURE]"`), 2, false, "", ""},
		{"other DSCP", strings.Replace(text, `"26": "3"`, `"26": "4"`, 1), 2, false, "", "maps from DSCP to classes differ"},
	} {
		p, tables := proveSONiC(t, c.text)
		if tables.Lanes() != c.lanes || p.DeadlockFree() != c.free || !strings.Contains(strings.Join(tables.Notes, ";"), c.note) ||
			!strings.Contains(strings.Join(tables.NotCovered, ";"), c.other) {
			t.Errorf("%s: %d classes, free %v, notes %q, not covered %q; want %d, %v, %q, %q",
				c.name, tables.Lanes(), p.DeadlockFree(), tables.Notes, tables.NotCovered, c.lanes, c.free, c.note, c.other)
		}
	}
}

// TestSONiCRoutes changes routes of the example.
func TestSONiCRoutes(t *testing.T) {
	text := sonicExample(t)
	route := `"ROUTE_TABLE:10.1.0.0/24": {"nexthop": "10.255.1.1", "ifname": "Ethernet4"}` // S1 to T1, by L2
	if strings.Count(text, route) != 1 {
		t.Fatal("the example has no such route")
	}
	with := func(entry string) string { return strings.Replace(text, route, entry, 1) }
	for name, same := range map[string]string{
		"without address":   with(`"ROUTE_TABLE:10.1.0.0/24": {"nexthop": "", "ifname": "Ethernet4"}`),
		"without interface": with(`"ROUTE_TABLE:10.1.0.0/24": {"nexthop": "10.255.1.1", "ifname": ""}`),
		"link-local":        with(`"ROUTE_TABLE:10.1.0.0/24": {"nexthop": "fe80::1", "ifname": "Ethernet4"}`),
		"group":             with(`"ROUTE_TABLE:10.1.0.0/24": {"nexthop_group": "g"}, "NEXTHOP_GROUP_TABLE:g": {"nexthop": "10.255.1.1", "ifname": "Ethernet4"}`),
		"bundle":            with(`"ROUTE_TABLE:10.1.0.0/24": {"nexthop": "10.255.1.1", "ifname": "PortChannel1"}, "PORTCHANNEL_MEMBER|PortChannel1|Ethernet4": {}`),
		"management":        with(route + `, "ROUTE_TABLE:0.0.0.0/0": {"nexthop": "192.168.0.1", "ifname": "eth0"}, "ROUTE_TABLE:VrfRed:10.1.0.0/24": {"nexthop": "1.1.1.1", "ifname": "x"}`),
	} {
		if p, _ := proveSONiC(t, same); p.Unreachable != 0 || p.Dependencies != 92 || len(p.Cycle) != 4 {
			t.Errorf("%s: %d unreachable, %d dependencies, cycle of %d; want 0, 92, 4", name, p.Unreachable, p.Dependencies, len(p.Cycle))
		}
	}
	if p, _ := proveSONiC(t, with(`"ROUTE_TABLE:10.1.0.0/24": {"blackhole": "true"}`)); p.Unreachable == 0 {
		t.Error("packets arrive in spite of a black hole")
	}
	for entry, want := range map[string]string{
		`"ROUTE_TABLE:10.1.0.0/24": {"nexthop": "10.255.1.1,10.255.1.3", "ifname": "Ethernet4"}`:      "2 next hops by 1 interfaces",
		`"ROUTE_TABLE:10.1.0.0/24": {"nexthop_group": "g"}, "CLASS_BASED_NEXT_HOP_GROUP_TABLE:g": {}`: "groups by traffic class are not read",
		`"ROUTE_TABLE:ten": {"nexthop": "", "ifname": "Ethernet4"}`:                                   "expected a prefix",
		`"ROUTE_TABLE:10.1.0.0/24": {"nexthop": "x", "ifname": "Ethernet4"}`:                          `next hop "x"`,
		route + `, "ROUTE_TABLE:10.1.0.9/24": {"nexthop": "", "ifname": "Ethernet4"}`:                 "a second route to 10.1.0.0/24",
		route + `, "INTERFACE|Ethernet4|ten": {}`:                                                     `entry "Ethernet4|ten"`,
	} {
		_, _, err := readSONiC(with(entry))
		check.Error(t, err, want)
	}
	for entry, want := range map[string]string{
		`"pfc_enable": "8"`:      "pfc_enable of port Ethernet0",
		`"tc_to_queue_map": "C"`: `map "C", which table TC_TO_QUEUE_MAP does not have`,
		`"tc_to_queue_map": "Q"`: `has "9" for "3"`,
	} {
		field, _, _ := strings.Cut(entry, ":")
		old := text[strings.Index(text, field):]
		old = old[:strings.IndexAny(old, ",}")]
		if field == `"pfc_enable"` {
			old = `"pfc_enable": "3,4"`
		}
		_, _, err := readSONiC(strings.Replace(strings.Replace(text, old, entry, 1), `"TC_TO_QUEUE_MAP": {`, `"TC_TO_QUEUE_MAP": {"Q": {"3": "9"}, `, 1))
		check.Error(t, err, want)
	}
	_, _, err := readSONiC(strings.ReplaceAll(text, "ROUTE_TABLE:", "OTHER_TABLE:"))
	check.Error(t, err, "no routes; expected a file with table ROUTE_TABLE")
}

// FuzzReadSONiC reads databases of switches and proves those that can be read.
func FuzzReadSONiC(f *testing.F) {
	f.Add(sonicExample(f))
	f.Add(`{"a":{"DEVICE_METADATA":{"localhost":{"hostname":"a","type":"ToRRouter"}},"PORT":{"E0":{"speed":"100000"},"E1":{}},"DEVICE_NEIGHBOR":{"E0":{"name":"b"},"E1":{"name":"h","port":"eth0"}},
 "INTERFACE":{"E0|10.0.0.0/31":{},"E1|10.1.0.0/24":{}},"PORT_QOS_MAP":{"E0":{"pfc_enable":"3"}},"ROUTE_TABLE:10.2.0.0/24":{"nexthop":"10.0.0.1","ifname":"E0"}},
"b":{"DEVICE_METADATA":{"localhost":{"hostname":"b","type":"ToRRouter"}},"PORT":{"E0":{},"E1":{}},"DEVICE_NEIGHBOR":{"E0":{"name":"a"}},"VLAN_MEMBER":{"Vlan1|E1":{}},
 "INTERFACE":{"E0|10.0.0.1/31":{}},"VLAN_INTERFACE":{"Vlan1|10.2.0.1/24":{}},"PORT_QOS_MAP":{"global":{"pfc_enable":"3"}},"10.1.0.0/24":{},"ROUTE_TABLE:0.0.0.0/0":{"nexthop":"","ifname":"E0"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, tables, err := readSONiC(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q; want one line", err)
			}
			return
		}
		nexthop.Prove(tables)
	})
}
