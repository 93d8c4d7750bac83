package roce_test

import (
	"bytes"
	"strings"
	"testing"

	"musubi/routing/nexthop"
	"musubi/routing/roce"
)

// FuzzReadPlain reads tables of a small network, and proves those that can be read.
func FuzzReadPlain(f *testing.F) {
	header := "musubi,nexthops,1\n"
	f.Add([]byte(header + bounceTables))
	f.Add([]byte(header + "send,3 5\npfc,*,hosts #1,3\nroute,T1,h2,#1 #9,L2,3 5\nremark,*,*,*,3,5\nroute,\"L1\",*,flood\n"))
	f.Add([]byte(header + "tunnel,L1,h1,L3,3>4\nroute,L1,L3,S1 S2\nroute,L3,h1,drop\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		net := network(t, bounceEdges)
		r, err := roce.ReadPlain(bytes.NewReader(data), "t.csv", net)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.csv:") {
				t.Fatalf("%v names no line", err)
			}
			return
		}
		nexthop.Prove(r)
	})
}

// FuzzReadFRR reads routes of two leaves and a spine, and proves those that can be read.
func FuzzReadFRR(f *testing.F) {
	f.Add(pair(f).json(f))
	halves := pair(f)
	halves.add("S", "10.2.0.128/25", "bgp", hop("10.255.0.1", ""))
	halves.add("S", "fc00::/64", "connected", hop("", "eth1"))
	f.Add(halves.json(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := roce.ReadFRR(bytes.NewReader(data), "r.json", network(t, pairEdges))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "r.json: ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q; want a line that names the file", err)
			}
			return
		}
		nexthop.Prove(r)
	})
}
