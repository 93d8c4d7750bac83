package tables

import (
	"bytes"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/internal/routetest"
	"musubi/topology"
)

// throughInfiniBand takes routes to tables, files, tables and back.
func throughInfiniBand(t *testing.T, r *routing.Routes) (*routing.Routes, error) {
	t.Helper()
	tables, err := NewInfiniBand(r)
	if err != nil {
		return nil, err
	}
	again := rereadInfiniBand(t, tables, (*InfiniBand).WriteLanes)
	packed := rereadInfiniBand(t, tables, (*InfiniBand).WriteLanesIBDM)
	for in, switches := 1, tables.Net.Switches; in <= switches[0].Ports; in++ {
		for out := 1; out <= switches[0].Ports; out++ {
			if !bytes.Equal(again.LanesAt(0, in, out), packed.LanesAt(0, in, out)) {
				t.Fatalf("the two forms of lanes differ from port %d to port %d", in, out)
			}
		}
	}
	back, err := again.Routes()
	check.Must(t, err)
	if len(back) != 1 {
		t.Fatalf("%d sets of routes, want 1", len(back))
	}
	return back[0], nil
}

// rereadInfiniBand writes all files and reads them again.
func rereadInfiniBand(t testing.TB, tables *InfiniBand, writeLanes func(*InfiniBand, io.Writer) error) *InfiniBand {
	t.Helper()
	var forward, levels, lanes, second bytes.Buffer
	check.Must(t, tables.WriteForwarding(&forward))
	check.Must(t, tables.WriteLevels(&levels))
	check.Must(t, writeLanes(tables, &lanes))
	again, err := ReadForwarding(bytes.NewReader(forward.Bytes()), "lfts", tables.Net)
	check.Must(t, err)
	check.Must(t, again.ReadLevels(&levels, "levels"))
	check.Must(t, again.ReadLanes(&lanes, "lanes"))
	check.Must(t, again.WriteForwarding(&second))
	if forward.String() != second.String() {
		t.Fatalf("written again the tables differ:\n%s\n%s", &forward, &second)
	}
	return again
}

func TestInfiniBandKeepsWhatItAccepts(t *testing.T) {
	const trials = 150
	refused := 0
	for seed := range uint64(trials) {
		rng := rand.New(rand.NewPCG(seed, 5))
		net := nettest.Random(t, rng, 7)
		r := routetest.Trees(t, rng, net, 8, func(_, _, hop int) int { return min(hop, 7) })
		back, err := throughInfiniBand(t, r)
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), "switch s") || !strings.Contains(err.Error(), "the path from h") {
				t.Fatalf("seed %d: %q names no switch and path", seed, err)
			}
			continue
		}
		samePaths(t, seed, back, r)
	}
	if refused == trials {
		t.Error("no routing with a virtual channel per hop was accepted")
	}
}

// TestForwardingInTheFormOfIBDM reads what it wrote, and checks the number of hops
// in it against the paths.
func TestForwardingInTheFormOfIBDM(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 7))
		net := nettest.Random(t, rng, 8)
		r := routetest.Trees(t, rng, net, 1, func(_, _, _ int) int { return 0 })
		tables, err := NewInfiniBand(r)
		check.Must(t, err)
		var file bytes.Buffer
		check.Must(t, tables.WriteForwardingIBDM(&file))
		again, err := ReadForwarding(&file, "opensm.fdbs", tables.Addresses.Network())
		check.Must(t, err)
		for s := range net.Switches {
			for _, lid := range tables.Addresses.All() {
				if got, want := again.port(s, lid), tables.port(s, lid); got != want {
					t.Fatalf("seed %d: switch %d, LID %d: port %d, want %d", seed, s, lid, got, want)
				}
			}
		}
		for dst := range net.EndPoints {
			hops := tables.hops(tables.Addresses.LIDs(dst)[0])
			for src, e := range net.EndPoints {
				if p, ok := r.Path(src, dst); ok && hops[e.At.Switch] != len(p) {
					t.Fatalf("seed %d: %d hops from %s; the path is %v", seed, hops[e.At.Switch], describe(r, routing.Pair{Src: src, Dst: dst}), p)
				}
			}
		}
	}
}

func TestInfiniBandRefusesSourceDependentPorts(t *testing.T) {
	net := nettest.New(t, 4, [][2]int{{0, 1}, {1, 2}, {1, 3}, {2, 3}, {0, 2}}, nettest.Hosts(1))
	b, _ := routing.NewBuilder("test", net, 1)
	via := func(switches ...int) {
		b.Variants(switches[0], switches[len(switches)-1], 1, 1)
		var p routing.Path
		for i := 1; i < len(switches); i++ {
			p = append(p, routing.MakeHop(nettest.Channel(net, switches[i-1], switches[i]), 0))
		}
		b.Add(p, 0)
	}
	via(0, 1, 3)
	via(1, 2, 3)
	_, err := NewInfiniBand(b.Routes())
	want := "InfiniBand tables of test: switch s1, destination h3.0: the path from h0.0 leaves by port 4, that from h1.0 by port 3; " +
		"InfiniBand chooses the port by destination alone"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestInfiniBandSeparateLIDs reads tables in which each LID of a port has a path
// of its own, as with an LMC of 1.
func TestInfiniBandSeparateLIDs(t *testing.T) {
	net := nettest.Ring(t, 4, 1)
	for e := range net.EndPoints {
		net.EndPoints[e].LMC = 1
	}
	tables, err := NewInfiniBand(routetest.Clockwise(t, net, 1, func(_, _ int) int { return 0 }))
	check.Must(t, err)
	// The second LID of each host is reached counterclockwise, or not at all from
	// the opposite switch.
	for dst := range net.EndPoints {
		lid := tables.Addresses.LIDs(dst)[1]
		for hops := 1; hops < 4; hops++ {
			at := (dst + hops) % 4
			tables.setPort(at, lid, uint8(net.From(nettest.Channel(net, at, (at+3)%4)).Number))
			if hops == 2 {
				tables.setPort(at, lid, noPort)
			}
		}
	}
	p, err := tables.Verify()
	check.Must(t, err)
	if p.Pairs != 24 || p.Unreachable != 8 {
		t.Errorf("%d pairs, %d unreachable; want 24, 8", p.Pairs, p.Unreachable)
	}
	if len(p.Cycle) != 4 || p.Cycle[0].Hop.Channel() != nettest.Channel(net, 0, 1) {
		t.Errorf("cycle %v; want the clockwise one of the first LIDs", p.Cycle)
	}
}

func TestInfiniBandTablesWithPlantedFaults(t *testing.T) {
	net := nettest.Ring(t, 4, 1)
	port := func(a, b int) uint8 { return uint8(net.From(nettest.Channel(net, a, b)).Number) }
	host := func(s int) uint8 { return uint8(net.EndPoints[net.EndPointsAt(s)[0]].At.Number) }
	tests := []struct {
		name   string
		at     int
		port   uint8 // for LID 3, that of the host of switch 2
		kind   routing.FaultKind
		pairs  int64
		detail string
	}{
		{"missing", 1, noPort, routing.MissingEntry, 2, "such as h0.0 to h2.0: switch s1 does not know the destination"},
		{"dead port", 1, 9, routing.DeadPort, 2, "such as h0.0 to h2.0: switch s1 sends it to port 9, which has no link"},
		{"loop", 1, port(1, 0), routing.Loop, 2, "such as h0.0 to h2.0: round and round by switches s0, s1; the least cure is to change one entry: at switch s1 port 3, to switch s2"},
		{"wrong host", 1, host(1), routing.Misdelivery, 2, "such as h0.0 to h2.0: switch s1 port 1 leads to h1.0"},
		{"own switch", 1, 0, routing.Misdelivery, 2, "such as h0.0 to h2.0: switch s1 takes the packet itself (port 0)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tables := shortestRingTables(t, net)
			tables.setPort(tt.at, 3, tt.port)
			p, err := rereadInfiniBand(t, tables, (*InfiniBand).WriteLanes).Verify()
			check.Must(t, err)
			if p.OK() || len(p.Faults) != 1 {
				t.Fatalf("OK %v, faults %v; want one", p.OK(), p.Faults)
			}
			f := p.Faults[0]
			if f.Kind != tt.kind || f.Pairs != tt.pairs || f.Detail != tt.detail {
				t.Errorf("got  %v\nwant %v: %d pairs, %s", f, tt.kind, tt.pairs, tt.detail)
			}
			if p.Unreachable != tt.pairs {
				t.Errorf("%d pairs unreachable, want %d", p.Unreachable, tt.pairs)
			}
		})
	}
}

// A fault that packets to several LIDs meet is reported once.
func TestFaultsOfSeveralLIDsAreOne(t *testing.T) {
	net := nettest.Ring(t, 4, 1)
	for e := range net.EndPoints {
		net.EndPoints[e].LMC = 1
	}
	tables := shortestRingTables(t, net)
	for _, lid := range tables.Addresses.LIDs(2) {
		tables.setPort(1, lid, noPort)
	}
	p, err := tables.Verify()
	check.Must(t, err)
	if len(p.Faults) != 1 || p.Faults[0].Kind != routing.MissingEntry || p.Faults[0].Pairs != 4 || p.Unreachable != 4 {
		t.Errorf("faults %v, %d pairs unreachable; want one of 4 pairs", p.Faults, p.Unreachable)
	}
}

// shortestRingTables routes a ring of 4 switches over shortest paths, clockwise
// to the opposite switch.
func shortestRingTables(t testing.TB, net *topology.Network) *InfiniBand {
	b, err := routing.NewBuilder("ring", net, 1)
	check.Must(t, err)
	for src := range 4 {
		for dst := range 4 {
			step := 1
			if (dst-src+4)%4 == 3 {
				step = 3
			}
			var p routing.Path
			for at := src; at != dst; at = (at + step) % 4 {
				p = append(p, routing.MakeHop(nettest.Channel(net, at, (at+step)%4), 0))
			}
			b.Variants(src, dst, 1, 1)
			b.Add(p, 0)
		}
	}
	tables, err := NewInfiniBand(b.Routes())
	check.Must(t, err)
	return tables
}

// Tables of routes that are kept as trees are those of the same paths kept one by one.
func TestInfiniBandTablesOfTrees(t *testing.T) {
	net := nettest.Generate(t, "random:switches=100,degree=4,seed=1", 1)
	algorithm, err := routing.Lookup("updown")
	check.Must(t, err)
	trees, err := algorithm.Build(net, routing.Options{VCs: 2, Selection: routing.LowPort, DestinationOnly: true})
	check.Must(t, err)
	if !trees.Trees() {
		t.Fatal("the routes of a large network are not kept as trees")
	}
	b, err := routing.NewBuilder(trees.Algorithm, net, trees.VCs)
	check.Must(t, err)
	for src := range net.Switches {
		for dst := range net.Switches {
			path, vc, _, _ := trees.PathInto(nil, int(net.EndPointsAt(src)[0]), int(net.EndPointsAt(dst)[0]))
			b.Variants(src, dst, 1, 1)
			b.Add(path, vc)
		}
	}
	got, err := NewInfiniBand(trees)
	check.Must(t, err)
	want, err := NewInfiniBand(b.Routes())
	check.Must(t, err)
	if !reflect.DeepEqual(got.Forward, want.Forward) || !reflect.DeepEqual(got.Levels, want.Levels) || !reflect.DeepEqual(got.Lanes, want.Lanes) {
		t.Error("the tables of trees are not those of their paths")
	}
}
