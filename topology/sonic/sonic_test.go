package sonic_test

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"musubi/internal/check"
	"musubi/topology/sonic"
)

// TestParseTakesThreeSpellings reads one database as config_db.json, flat, and as redis-dump has it.
func TestParseTakesThreeSpellings(t *testing.T) {
	want := sonic.Database{"PORT": {"Ethernet0": {"lanes": "1,2", "speed": "100000"}, "Ethernet4": {}},
		"INTERFACE": {"Ethernet0|10.0.0.0/31": {}}, "VLAN": {"Vlan1": {"members": "Ethernet0,Ethernet4"}}}
	for spelling, text := range map[string]string{
		"nested": `{"PORT": {"Ethernet0": {"lanes": "1,2", "speed": "100000"}, "Ethernet4": {}}, "INTERFACE": {"Ethernet0|10.0.0.0/31": {}},
			"VLAN": {"Vlan1": {"members": ["Ethernet0", "Ethernet4"]}}}`,
		"flat": `{"PORT|Ethernet0": {"lanes": "1,2", "speed": "100000"}, "PORT|Ethernet4": {"NULL": "NULL"}, "INTERFACE|Ethernet0|10.0.0.0/31": {"NULL": "NULL"},
			"VLAN|Vlan1": {"members@": "Ethernet0,Ethernet4"}}`,
		"redis-dump": `{"CONFIG_DB_INITIALIZED": {"type": "string", "value": "1", "expireat": 1.5},
			"PORT|Ethernet0": {"expireat": 1.5, "ttl": -0.001, "type": "hash", "value": {"lanes": "1,2", "speed": "100000"}},
			"PORT|Ethernet4": {"type": "hash", "value": {"NULL": "NULL"}}, "INTERFACE|Ethernet0|10.0.0.0/31": {"type": "hash", "value": {"NULL": "NULL"}},
			"VLAN|Vlan1": {"type": "hash", "value": {"members@": "Ethernet0,Ethernet4"}}}`,
	} {
		got, err := sonic.Parse([]byte(text))
		check.Must(t, err)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v; want %v", spelling, got, want)
		}
	}
}

func TestKeysOfTheStateMayHaveColons(t *testing.T) {
	d, err := sonic.Parse([]byte(`{"ROUTE_TABLE:20c0:fe28::/64": {"nexthop": "fc00::72", "ifname": "PortChannel1"}, "ROUTE_TABLE:Vrf1:10.0.0.0/8": {}}`))
	check.Must(t, err)
	if len(d["ROUTE_TABLE"]) != 2 || d["ROUTE_TABLE"]["20c0:fe28::/64"]["nexthop"] != "fc00::72" {
		t.Errorf("routes %v", d["ROUTE_TABLE"])
	}
}

// TestReadFolderMergesFiles reads a switch from three files.
func TestReadFolderMergesFiles(t *testing.T) {
	folder := fstest.MapFS{
		"x/config_db.json": {Data: []byte(`{"DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "type": "ToRRouter"}},
			"PORT": {"Ethernet12": {"alias": "etp4"}, "Ethernet8": {}, "Ethernet0": {}}, "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet8": {}, "PortChannel1|Ethernet12": {}}}`)},
		"x/qos.json":    {Data: []byte(`{"PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "A"}, "Ethernet0,Ethernet8": {"pfc_enable": "3"}}}`)},
		"x/routes.json": {Data: []byte(`{"10.0.0.0/8": []}`)},
	}
	switches, err := sonic.ReadFolder(folder, "f")
	check.Must(t, err)
	s := switches[0]
	if len(switches) != 1 || s.Name != "leaf1" || strings.Join(s.Ports(), " ") != "Ethernet0 Ethernet8 Ethernet12" || s.Number("etp4") != 3 || s.IPRoutes == nil {
		t.Errorf("%d switches, %+v", len(switches), s)
	}
	if got := s.Numbers("PortChannel1"); !reflect.DeepEqual(got, []int{2, 3}) {
		t.Errorf("members %v; want ports 2 and 3", got)
	}
	if q := s.QoS("Ethernet8"); q["pfc_enable"] != "3" || q["dscp_to_tc_map"] != "A" || s.QoS("Ethernet12")["pfc_enable"] != "" {
		t.Errorf("QoS %v", q)
	}
	folder["x/again.json"] = folder["x/qos.json"]
	_, err = sonic.ReadFolder(folder, "f")
	check.Error(t, err, `f/x/qos.json: entry `)
	delete(folder, "x/config_db.json")
	delete(folder, "x/again.json")
	_, err = sonic.ReadFolder(folder, "f")
	check.Error(t, err, "f/x: no entry DEVICE_METADATA|localhost")
}
