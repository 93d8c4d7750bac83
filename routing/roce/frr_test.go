package roce_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"musubi/routing/nexthop"
	"musubi/routing/roce"
	"musubi/topology"
)

// frrFabric is routes as FRRouting prints them: by switch and prefix.
type frrFabric map[string]map[string][]map[string]any

// add adds a candidate that packets take.
func (f frrFabric) add(sw, prefix, protocol string, hops ...map[string]any) {
	if f[sw] == nil {
		f[sw] = make(map[string][]map[string]any)
	}
	f[sw][prefix] = append(f[sw][prefix], map[string]any{"prefix": prefix, "protocol": protocol, "vrfName": "default",
		"selected": true, "destSelected": true, "installed": true, "nexthops": hops})
}

func hop(ip, port string) map[string]any {
	h := map[string]any{"fib": true, "active": true, "interfaceName": port}
	if ip == "" {
		h["directlyConnected"] = true
	} else {
		h["ip"] = ip
	}
	return h
}

// connect numbers the links of a network, 10.255.link.0/31, and the hosts of its switches, 10.switch.0.0/24.
func connect(net *topology.Network) (f frrFabric, address map[string]string) {
	f, address = make(frrFabric), make(map[string]string)
	for i, l := range net.Links {
		prefix := fmt.Sprintf("10.255.%d.0/31", i)
		for end, at := range []topology.Port{l.A, l.B} {
			f.add(net.Switches[at.Switch].ID, prefix, "connected", hop("", fmt.Sprint("eth", at.Number)))
			other := []topology.Port{l.B, l.A}[end]
			address[net.Switches[other.Switch].ID+">"+net.Switches[at.Switch].ID] = fmt.Sprintf("10.255.%d.%d", i, end)
		}
	}
	for s := range net.Switches {
		f.add(net.Switches[s].ID, fmt.Sprintf("10.0.0.%d/32", s), "connected", hop("", "lo"))
		if len(net.EndPointsAt(s)) > 0 {
			f.add(net.Switches[s].ID, fmt.Sprintf("10.%d.0.0/24", s), "connected", hop("", "Vlan1"))
		}
	}
	return f, address
}

// asFRR writes routes of the plain form as FRRouting would print them.
func asFRR(net *topology.Network, plain string) frrFabric {
	f, address := connect(net)
	prefixes := map[string]string{"*": "0.0.0.0/0"}
	for s, sw := range net.Switches {
		prefixes[sw.ID] = fmt.Sprintf("10.%d.0.0/24", s)
	}
	for line := range strings.FieldsFuncSeq(plain, func(r rune) bool { return r == '\n' }) {
		v := strings.Split(line, ",")
		var hops []map[string]any
		for name := range strings.FieldsSeq(v[3]) {
			if name == "drop" {
				hops = append(hops, map[string]any{"unreachable": true, "blackhole": true, "fib": true})
			} else {
				hops = append(hops, hop(address[v[1]+">"+name], ""))
			}
		}
		f.add(v[1], prefixes[v[2]], "bgp", hops...)
	}
	return f
}

func (f frrFabric) json(t testing.TB) []byte {
	t.Helper()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readFRR(t *testing.T, edges string, f frrFabric) *nexthop.Proof {
	t.Helper()
	r, err := roce.ReadFRR(bytes.NewReader(f.json(t)), "r.json", network(t, edges))
	if err != nil {
		t.Fatal(err)
	}
	return nexthop.Prove(r)
}

const bounceBySwitch = `
route,T1,*,L2
route,T2,*,L1 L2
route,T3,*,L3 L4
route,T4,*,L4
route,L1,*,S1 S2
route,L2,*,S1 S2
route,L3,*,S1 S2
route,L4,*,S1 S2
route,L1,T2,T2
route,L2,T1,T1
route,L2,T2,T2
route,L3,T3,T3
route,L4,T3,T3
route,L4,T4,T4
route,L1,T1,S1
route,L3,T4,S2
route,S1,T1,L2
route,S2,T1,L1
route,S1,T2,L1 L2
route,S2,T2,L1 L2
route,S1,T3,L3 L4
route,S2,T3,L3 L4
route,S1,T4,L3
route,S2,T4,L4
`

// The same routes in both forms have the same proof, also where any of them is missing or dropped.
func TestFRRHasTheProofOfThePlainForm(t *testing.T) {
	net := network(t, bounceEdges)
	lines := strings.Split(strings.TrimSpace(bounceBySwitch), "\n")
	for i := range len(lines) + 1 {
		for _, drops := range []bool{false, true} {
			changed := slices.Clone(lines)
			if i < len(lines) && drops {
				changed[i] = changed[i][:strings.LastIndex(changed[i], ",")] + ",drop"
			} else if i < len(lines) {
				changed = slices.Delete(changed, i, i+1)
			}
			plain := strings.Join(changed, "\n")
			want := prove(t, bounceEdges, plain)
			got := readFRR(t, bounceEdges, asFRR(net, plain))
			expect(t, got, cycleOf(want), faultsOf(want))
			if got.Pairs != want.Pairs || got.Dependencies != want.Dependencies || got.Unreachable != want.Unreachable {
				t.Errorf("line %d: %d pairs, %d dependencies, %d unreachable; want %d, %d, %d", i, got.Pairs, got.Dependencies,
					got.Unreachable, want.Pairs, want.Dependencies, want.Unreachable)
			}
		}
	}
}

func TestFRRFolderIsTheObjectBySwitch(t *testing.T) {
	net := network(t, bounceEdges)
	f := asFRR(net, bounceBySwitch)
	folder := fstest.MapFS{"README": {Data: []byte("no routes")}}
	for sw := range f {
		folder[sw+".json"] = &fstest.MapFile{Data: frrFabric{sw: f[sw]}.alone(t)}
	}
	r, err := roce.ReadFRRFolder(folder, "routes", net)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, nexthop.Prove(r), "L1->S1 S1->L3 L3->S2 S2->L1", "")
	delete(folder, "S1.json")
	if _, err = roce.ReadFRRFolder(folder, "routes", net); err == nil || !strings.Contains(err.Error(), "no routes of switch S1") {
		t.Errorf("error %v; want that S1 is missing", err)
	}
}

// alone is the routes of a single switch.
func (f frrFabric) alone(t *testing.T) []byte {
	t.Helper()
	data, err := json.Marshal(slices.Collect(maps.Values(f))[0])
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const pairEdges = "S A\nS B\nh1 A host\nh2 B host\n"

// pair is a spine with two leaves, all routes in place. Its links are A-S (10.255.0) and B-S (10.255.1).
func pair(t testing.TB) frrFabric {
	return asFRR(network(t, pairEdges), "route,A,*,S\nroute,B,*,S\nroute,S,A,A\nroute,S,B,B\n")
}

func TestFRRCandidatesThatPacketsTake(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f frrFabric)
		faults string
	}{
		"nothing":       {func(frrFabric) {}, ""},
		"not selected":  {func(f frrFabric) { f["A"]["0.0.0.0/0"][0]["selected"] = nil }, "missing entry 1"},
		"not installed": {func(f frrFabric) { f["A"]["0.0.0.0/0"][0]["installed"] = false }, "missing entry 1"},
		"a second candidate": {func(f frrFabric) {
			f.add("A", "0.0.0.0/0", "kernel", hop("10.9.9.9", "eth9"))
			f["A"]["0.0.0.0/0"][1]["selected"] = false
		}, ""},
		"recursive": {func(f frrFabric) {
			h := hop("10.9.9.9", "")
			h["recursive"] = true
			f["A"]["0.0.0.0/0"][0]["nexthops"] = []map[string]any{h, hop("10.255.0.0", "")}
		}, ""},
		"down": {func(f frrFabric) {
			h := hop("10.9.9.9", "eth9")
			h["linkDown"] = true
			f["A"]["0.0.0.0/0"][0]["nexthops"] = []map[string]any{h, hop("10.255.0.0", "")}
		}, ""},
		"management": {func(f frrFabric) {
			f.add("A", "192.168.0.0/24", "connected", hop("", "eth0"))
			f.add("S", "192.168.0.0/24", "connected", hop("", "eth0"))
			f["A"]["0.0.0.0/0"][0]["nexthops"] = []map[string]any{hop("192.168.0.2", "eth0")}
		}, "port without link 1"},
		"half to the default": {func(f frrFabric) {
			f.add("S", "10.2.0.128/25", "bgp", hop("10.255.0.1", ""))
		}, "forwarding loop 1"},
		"both halves": {func(f frrFabric) {
			delete(f["S"], "10.1.0.0/24")
			f.add("S", "10.1.0.0/25", "bgp", hop("10.255.0.1", ""))
			f.add("S", "10.1.0.128/25", "bgp", hop("10.255.0.1", ""))
		}, ""},
	} {
		f := pair(t)
		c.change(f)
		if got := faultsOf(readFRR(t, pairEdges, f)); got != c.faults {
			t.Errorf("%s: faults %q; want %q", name, got, c.faults)
		}
	}
}

func TestFRRRefusesImpostors(t *testing.T) {
	net := network(t, pairEdges)
	whole := string(pair(t).json(t))
	for _, c := range []struct{ text, want string }{
		{"% Unknown command: show ip route json", "no JSON object"},
		{"[]", "no JSON object"},
		{`{"10.0.0.0/24":[]}`, "routes of one switch"},
		{`{"default":{}}`, `switch "default"; the network has no such switch`},
		{`{"A":{"routes":[],"routesTotal":5}}`, `"routes" is no prefix`},
		{`{"A":{"10.0.0.1/24":[]}}`, `"10.0.0.1/24" is no prefix`},
		{`{"A":{"10.0.0.0/24":{"selected":true}}}`, "cannot unmarshal object"},
		{`{"A":{"10.0.0.0/24":[{"protocol":"bgp"}]}}`, "no route is selected"},
		{whole + whole, "something after the JSON object"},
		{whole[:len(whole)-20], "the JSON ends early"},
		{strings.Replace(whole, `"B":`, `"A":`, 1), `"A" for a second time`},
		{strings.Replace(whole, `"S":`, `"T":`, 1), `switch "T"; the network has no such switch`},
		{strings.Replace(whole, `"10.255.0.1"`, `"10.9.9.9"`, 1), "next hop 10.9.9.9 on"},
		{strings.Replace(whole, `"10.255.0.1"`, `"fe80::1"`, 1), "link-local"},
		{strings.Replace(whole, `"10.255.0.1"`, `"S"`, 1), "expected an IP address"},
		{strings.Replace(whole, `"ip":"10.255.0.1"`, `"ip":"10.255.0.1","labels":[16]`, 1), "expected plain IP"},
		{strings.Replace(whole, `"vrfName":"default"`, `"vrfName":"Red"`, 1), "expected routes of one"},
		{strings.ReplaceAll(whole, `0.0/24`, `0.0/31`), "has hosts, but no prefix of them"},
	} {
		_, err := roce.ReadFRR(strings.NewReader(c.text), "r.json", net)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "r.json: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60s: error %v; want %q", c.text, err, c.want)
		}
	}
}

func TestFRRBundleAndSingleLinks(t *testing.T) {
	edges := "S A\nS A\nh1 A host\nh2 S host\n"
	net := network(t, edges)
	f, address := connect(net)
	f.add("A", "0.0.0.0/0", "bgp", hop(address["A>S"], ""))
	f.add("S", "0.0.0.0/0", "bgp", hop(address["S>A"], ""))
	_, err := roce.ReadFRR(bytes.NewReader(f.json(t)), "r.json", net)
	if err == nil || !strings.Contains(err.Error(), "one of 2 interfaces to") {
		t.Errorf("error %v; want that one of two interfaces cannot be told", err)
	}
	delete(f["A"], "10.255.1.0/31")
	delete(f["S"], "10.255.1.0/31")
	f["A"]["0.0.0.0/0"][0]["nexthops"] = []map[string]any{hop("10.255.0.1", "eth1")}
	f["S"]["0.0.0.0/0"][0]["nexthops"] = []map[string]any{hop("10.255.0.0", "eth1")}
	if p := readFRR(t, edges, f); p.Channels != 4 || !p.OK() {
		t.Errorf("%d channels, cycle %q, faults %q; want all 4 of the bundle", p.Channels, cycleOf(p), faultsOf(p))
	}
}
