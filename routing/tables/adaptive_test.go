package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"musubi/routing"
	"musubi/routing/nexthop"
	"musubi/routing/tables"
	"musubi/topology"
	"musubi/topology/generate"
)

// farOf writes forwarding tables as those of adaptive routing, all static.
func farOf(t *tables.InfiniBand) string {
	var b strings.Builder
	b.WriteString("# comment\nFile version: 1\n")
	for s, forward := range t.Forward {
		fmt.Fprintf(&b, "Switch 0x%016x AR enabled\nGroups Definition:\nGroup   Sub Group   WHBF   Ports\n-----\n0  0  0  1,2,\n0  1  0\n", t.Net.Switches[s].GUID)
		b.WriteString("LFT Definition:\nPLFT_NUM: 0, top: 0x0e05\nLID     Static Port   Lid State   Group\n------\n")
		for lid, port := range forward {
			if port != 255 {
				fmt.Fprintf(&b, "0x%04x  %03d  Static  0\n", lid, port)
			}
		}
	}
	return b.String()
}

// infiniBand routes a network, and returns its tables with GUIDs and LIDs.
func infiniBand(t *testing.T, name, algorithm string) *tables.InfiniBand {
	t.Helper()
	net, err := generate.Network(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	addresses, err := tables.AssignLIDs(net)
	if err != nil {
		t.Fatal(err)
	}
	net = addresses.Network()
	a, err := routing.Lookup(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Build(net, routing.Options{DestinationOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	ib, err := tables.NewInfiniBand(r)
	if err != nil {
		t.Fatal(err)
	}
	return ib
}

// Static adaptive tables are forwarding tables, so both proofs must find the same.
func TestStaticAdaptiveTablesAgreeWithForwardingTables(t *testing.T) {
	cyclic := 0
	for seed := range 20 {
		for _, algorithm := range []string{"updown", "minimal"} {
			ib := infiniBand(t, fmt.Sprintf("random:switches=12,degree=4,seed=%d", seed), algorithm)
			want, err := ib.Verify()
			if err != nil {
				t.Fatal(err)
			}
			a, err := tables.ReadAdaptive(strings.NewReader(farOf(ib)), "ibdiagnet2.far", ib.Net)
			if err != nil {
				t.Fatal(err)
			}
			got := nexthop.Prove(a.Rules())
			if got.Pairs != want.Pairs || got.Unreachable != want.Unreachable || got.Dependencies != want.Dependencies || len(got.Cycle) != len(want.Cycle) {
				t.Errorf("seed %d, %s: %d of %d pairs unreachable, %d dependencies, cycle of %d; want %d of %d, %d, %d", seed, algorithm,
					got.Unreachable, got.Pairs, got.Dependencies, len(got.Cycle), want.Unreachable, want.Pairs, want.Dependencies, len(want.Cycle))
			}
			if want.Cycle != nil {
				cyclic++
			}
		}
	}
	if cyclic < 5 {
		t.Errorf("%d routings with cycles; expected some", cyclic)
	}
}

// adaptiveRing are tables of a ring of four switches with a host each: packets to a host may go
// round both ways.
func adaptiveRing(t *testing.T, state string) (*topology.Network, string) {
	ib := infiniBand(t, "ring:4", "minimal")
	var b strings.Builder
	for s := range ib.Net.Switches {
		fmt.Fprintf(&b, "Switch 0x%x\nGroups Definition:\n1 0 0 1,2,\nLFT Definition:\nPLFT_NUM: 0\n", ib.Net.Switches[s].GUID)
		for e := range ib.Net.EndPoints {
			at := ib.Net.EndPoints[e].At
			lid := ib.Addresses.LIDs(e)[0]
			switch hops := (at.Switch - s + 4) % 4; {
			case hops == 0:
				fmt.Fprintf(&b, "0x%04x %03d Static 1\n", lid, at.Number)
			case hops == 2:
				fmt.Fprintf(&b, "0x%04x 255 %s 1\n", lid, state)
			default:
				fmt.Fprintf(&b, "0x%04x %03d Static 1\n", lid, ib.Forward[s][lid])
			}
		}
	}
	return ib.Net, b.String()
}

func TestAdaptiveChoicesCloseCycles(t *testing.T) {
	for _, state := range []string{"Free", "Bounded", "HBF"} {
		net, text := adaptiveRing(t, state)
		a, err := tables.ReadAdaptive(strings.NewReader(text), "ring.far", net)
		if err != nil {
			t.Fatal(err)
		}
		if p := nexthop.Prove(a.Rules()); p.Unreachable != 0 || len(p.Cycle) != 4 {
			t.Errorf("%s: %d unreachable, a cycle of %d; want 0, 4", state, p.Unreachable, len(p.Cycle))
		}
	}
}

func TestReadAdaptiveRefuses(t *testing.T) {
	net, text := adaptiveRing(t, "Free")
	for _, c := range []struct{ old, new, want string }{
		{"Free 1", "Free 7", "group 7, which switch s0 does not define"},
		{"1 0 0 1,2,", "1 0 0 1,9,", "port 9 of switch s0; expected a number up to 3"},
		{"PLFT_NUM: 0", "PLFT_NUM: 0, top: 0x0001", `LID is "0x0002"; expected a number from 0 to 1`},
		{"Free 1", "Sometimes 1", `state "Sometimes"; expected one of Bounded, Free, Static, HBF`},
		{"Free 1", "Free", "state Free without a group"},
		{"0x0002", "0x0001", "a second entry for LID 1"},
		{"Switch 0x", "Switch 0x77", "no switch of the network has GUID"},
		{"Switch", "Router", "before the first switch"},
		{"PLFT_NUM", "LFT_NUM", `expected a group of ports or an entry`},
	} {
		_, err := tables.ReadAdaptive(strings.NewReader(strings.Replace(text, c.old, c.new, 1)), "ring.far", net)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "ring.far:") {
			t.Errorf("%s in place of %s: %v; want %s", c.new, c.old, err, c.want)
		}
	}
}
