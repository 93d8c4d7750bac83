package tables

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/networks"
)

var long = flag.Bool("long", false, "run the long tests")

// These tests run OpenSM, the usual subnet manager, on fabrics that ibsim
// simulates, and compare the verdicts on its tables with those of ibdmchk. Where
// the programs are not installed they are skipped, but fail if CI is "true".

// TestVerdictOnOpenSMAgreesWithIBDM also checks that all dumps of one table, and
// the network before and after discovery, lead to the same verdict.
func TestVerdictOnOpenSMAgreesWithIBDM(t *testing.T) {
	t.Parallel()
	var names []string
	seeds, forms := 1, []string{"switches=32,degree=4"}
	if *long {
		seeds, forms = 5, append(forms, "switches=64,degree=6", "switches=32,degree=6", "switches=64,degree=4")
	}
	for seed := range seeds {
		for _, form := range forms {
			names = append(names, fmt.Sprintf("random:%s,seed=%d", form, seed))
		}
	}
	names = append(names, "torus:4x4", "hypercube:4", "fattree:k=4")
	findOpenSM(t)
	cyclic, acyclic := 0, 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, engine := range []string{"updn", "minhop"} {
				f := newFabric(t, nettest.Generate(t, name, 1))
				check.Must(t, os.WriteFile(f.file("roots"), []byte("0x200000\n"), 0o600))
				f.sweep(engine, "-a", "roots")
				net := f.discovered()
				p := verified(t, f.tables("opensm-lfts.dump", net))
				same := []*routing.Proof{verified(t, f.tables("opensm.fdbs", net)), verified(t, f.tables("opensm-lfts.dump", f.net))}
				for _, q := range same {
					if len(q.Cycle) != len(p.Cycle) || q.Dependencies != p.Dependencies {
						t.Fatalf("%s: cycle of %d among %d dependencies; another dump gives %d among %d",
							engine, len(p.Cycle), p.Dependencies, len(q.Cycle), q.Dependencies)
					}
				}
				if want := f.ibdmchk(); p.DeadlockFree() != want {
					t.Fatalf("%s: deadlock-free %v, ibdmchk says %v", engine, p.DeadlockFree(), want)
				}
				if p.DeadlockFree() {
					acyclic++
				} else {
					cyclic++
				}
			}
		})
	}
	t.Logf("%d cyclic, %d acyclic", cyclic, acyclic)
	if cyclic < len(names)/4 || acyclic < len(names)/4 {
		t.Errorf("%d cyclic and %d acyclic tables are a poor sample", cyclic, acyclic)
	}
}

// TestTablesWithSeveralLIDsPerPort lets OpenSM give every port two LIDs; those of
// both must be proved.
func TestTablesWithSeveralLIDsPerPort(t *testing.T) {
	t.Parallel()
	f := newFabric(t, nettest.Generate(t, "random:switches=16,degree=4,seed=1", 1))
	f.sweep("minhop", "-l", "1")
	for _, net := range []*topology.Network{f.net, f.discovered()} {
		p := verified(t, f.tables("opensm-lfts.dump", net))
		if want := int64(2 * 16 * 15); p.Pairs != want || p.DeadlockFree() {
			t.Errorf("%d pairs, deadlock-free %v; want %d, false", p.Pairs, p.DeadlockFree(), want)
		}
	}
}

// TestRealFabricIsSafeForHosts runs OpenSM on the dump of a real cluster, with
// aggregation nodes inside the switches, if MUSUBI_TESTDATA_EXTRA names a folder
// that has it. Only paths to those nodes close cycles there.
func TestRealFabricIsSafeForHosts(t *testing.T) {
	t.Parallel()
	dump := ""
	for _, extra := range filepath.SplitList(os.Getenv("MUSUBI_TESTDATA_EXTRA")) {
		file := filepath.Join(extra, "nvidia-topograph", "dgx.ibnetdiscover")
		if _, err := os.Stat(file); err == nil {
			dump = file
		}
	}
	if dump == "" || !*long {
		t.Skip("no dump of a real fabric, or no -long")
	}
	net, err := networks.Open(dump, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := newFabric(t, net)
	f.sweep("minhop")
	p := verified(t, f.tables("opensm-lfts.dump", f.discovered()))
	if p.DeadlockFree() || !p.HostsDeadlockFree() {
		t.Errorf("deadlock-free %v, for hosts %v; want false, true", p.DeadlockFree(), p.HostsDeadlockFree())
	}
	if f.ibdmchk() {
		t.Error("ibdmchk finds no cycle")
	}
	for _, set := range p.CycleClasses {
		if !slices.ContainsFunc(set, func(c routing.Class) bool { return c.From == topology.Aggregation || c.To == topology.Aggregation }) {
			t.Errorf("%v close a cycle without aggregation nodes", set)
		}
	}
	t.Logf("cycle of %d, classes %v", len(p.Cycle), p.CycleClasses)
}

// TestOpenSMLoadsOurTablesForMultiPortAdapters names ports by GUID, as those of
// one adapter share a name.
func TestOpenSMLoadsOurTablesForMultiPortAdapters(t *testing.T) {
	t.Parallel()
	net, err := format.Read(strings.NewReader(`Switch	4 "S0"
[1]	"H0"[1]
[2]	"H0"[2]
[3]	"S1"[3]
[4]	"S1"[4]

Switch	4 "S1"
[1]	"H1"[2]
[2]	"H1"[1]

Hca	2 "H0"

Hca	2 "H1"
`), "two.net")
	check.Must(t, err)
	f := newFabric(t, net)
	f.checkLoading(destinationTrees(t, net))
}

// TestVerdictOnLayersAgreesWithIBDM reads the service levels of LASH and DFSSSP
// from OpenSM's subnet administration, as it does not dump them.
func TestVerdictOnLayersAgreesWithIBDM(t *testing.T) {
	t.Parallel()
	findOpenSM(t)
	engines, name := []string{"lash"}, "ring:5"
	if *long {
		engines, name = []string{"lash", "dfsssp"}, "torus:3x4"
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			f := newFabric(t, nettest.Generate(t, name, 1))
			f.start(f.opensm(engine, "-Q"))
			f.await("osm.log", "SUBNET UP")
			f.checkEngine(engine)
			net := f.discovered()
			check.Must(t, os.WriteFile(f.file("levels"), []byte(f.levels(net, byAdapter)), 0o600))

			tables := f.tables("opensm-lfts.dump", net)
			if p := verified(t, tables); p.DeadlockFree() || f.ibdmchk() {
				t.Errorf("without service levels the verdict is %v, that of ibdmchk %v; want false", p.DeadlockFree(), f.ibdmchk())
			}
			check.Must(t, tables.ReadLevels(strings.NewReader(f.read("levels")), "levels"))
			check.Must(t, tables.ReadLanes(strings.NewReader(f.read("opensm-sl2vl.dump")), "opensm-sl2vl.dump"))
			p := verified(t, tables)
			if want := f.ibdmchk("-c", "levels"); !p.DeadlockFree() || !want {
				t.Errorf("deadlock-free %v, ibdmchk says %v; want true", p.DeadlockFree(), want)
			}
		})
	}
}

// TestOpenSMHandsOutOurLevels loads a routing in layers into OpenSM, asks it for the service level of each
// path, and proves the tables and levels that it has.
func TestOpenSMHandsOutOurLevels(t *testing.T) {
	if !*long {
		t.Skip("a process of OpenSM's tools for each path takes seconds; with -long")
	}
	t.Parallel()
	findOpenSM(t)
	cases := []struct{ network, routing string }{
		{twoPorts, "lash"}, {"ring:5", "lash"}, {"torus:4x3", "lash"}, {"random:switches=8,degree=3,seed=1", "layered"}, {"random:switches=12,degree=4,seed=3", "layered"},
	}
	for _, c := range cases {
		t.Run(c.network+" "+c.routing, func(t *testing.T) {
			net := withTwoPorts(t)
			if c.network != twoPorts {
				net = nettest.Generate(t, c.network, 1)
			}
			a, err := routing.Lookup(c.routing)
			check.Must(t, err)
			routes, err := a.Build(net, routing.Options{DestinationOnly: true})
			check.Must(t, err)
			f := newFabric(t, net)
			files, err := openSMFiles(routes)
			check.Must(t, err)
			for _, file := range files {
				f.write(file.Name, file.Write)
			}
			check.Must(t, os.WriteFile(f.file("flushing.conf"), []byte(f.read("opensm.conf")+"force_log_flush TRUE\n"), 0o600))
			f.start(f.onFabric("opensm", "-F", "flushing.conf", "-D", "0x43", "-f", f.file("osm.log"), "--dump_files_dir", f.dir))
			f.await("osm.log", "SUBNET UP")
			f.checkEngine("file")
			found := f.discovered()
			check.Must(t, os.WriteFile(f.file("levels"), []byte(f.levels(found, byPort)), 0o600))
			tables := f.tables("opensm-lfts.dump", found)
			if p := verified(t, tables); p.DeadlockFree() {
				t.Error("without service levels it is free of deadlock, so this shows nothing")
			}
			check.Must(t, tables.ReadLevels(strings.NewReader(f.read("levels")), "levels"))
			check.Must(t, tables.ReadLanes(strings.NewReader(f.read("opensm-sl2vl.dump")), "opensm-sl2vl.dump"))
			if p := verified(t, tables); !p.DeadlockFree() {
				t.Error("with the service levels that OpenSM hands out there is a cycle")
			}
			ours, err := NewInfiniBand(routes)
			check.Must(t, err)
			check.Must(t, ours.ReadLevels(strings.NewReader(f.read("path-sl.txt")), "path-sl.txt"))
			for src, from := range net.EndPoints {
				for dst, to := range net.EndPoints {
					if got, want := tables.Level(endPointNamed(t, found, net, from), endPointNamed(t, found, net, to), 0), ours.Level(src, dst, 0); src != dst && got != want {
						t.Errorf("%s to %s: OpenSM says service level %d, want %d", net.EndPointName(src), net.EndPointName(dst), got, want)
					}
				}
			}
		})
	}
}

// twoPorts is the name of a ring of five switches, with adapters of two ports at neighbours.
const twoPorts = "adapters of two ports"

func withTwoPorts(t *testing.T) *topology.Network {
	t.Helper()
	var text strings.Builder
	for s := range 5 {
		fmt.Fprintf(&text, "Switch\t4 \"S%d\"\n[1]\t\"S%d\"[2]\n[2]\t\"S%d\"[1]\n[3]\t\"H%d\"[1]\n[4]\t\"H%d\"[2]\n\n", s, (s+1)%5, (s+4)%5, s, (s+4)%5)
	}
	for h := range 5 {
		fmt.Fprintf(&text, "Hca\t2 \"H%d\"\n[1]\t\"S%d\"[3]\n[2]\t\"S%d\"[4]\n\n", h, h, (h+1)%5)
	}
	net, err := format.Read(strings.NewReader(text.String()), "ring.net")
	check.Must(t, err)
	return net
}

// endPointNamed finds an end point of the network as it was made in the one that was discovered.
func endPointNamed(t *testing.T, found, made *topology.Network, e topology.EndPoint) int {
	t.Helper()
	for i, x := range found.EndPoints {
		if found.Adapters[x.Adapter].Name == made.Adapters[e.Adapter].ID && x.AdapterPort == e.AdapterPort {
			return i
		}
	}
	t.Fatalf("%s port %d was not discovered", made.Adapters[e.Adapter].ID, e.AdapterPort)
	return 0
}

var pathLevel = regexp.MustCompile(`(?m)^\s*sl\.+0x([0-9a-fA-F]+)$`)

// byAdapter and byPort name the source of a path. ibdmchk knows adapters only.
func byAdapter(net *topology.Network, e topology.EndPoint) uint64 {
	return net.Adapters[e.Adapter].GUID
}
func byPort(_ *topology.Network, e topology.EndPoint) uint64 { return e.GUID }

// levels asks for the service level of each path.
func (f *fabric) levels(net *topology.Network, source func(*topology.Network, topology.EndPoint) uint64) string {
	f.t.Helper()
	var text strings.Builder
	for src, from := range net.EndPoints {
		for dst, to := range net.EndPoints {
			if src == dst {
				continue
			}
			out, err := f.onFabric("saquery", "--timeout", "20000", "-p", "--slid", strconv.Itoa(int(from.LID)), "--dlid", strconv.Itoa(int(to.LID))).CombinedOutput()
			m := pathLevel.FindSubmatch(out)
			if err != nil || m == nil {
				f.t.Fatalf("saquery: %v\n%s", err, out)
			}
			level, err := strconv.ParseUint(string(m[1]), 16, 8)
			check.Must(f.t, err)
			fmt.Fprintf(&text, "0x%016x %d %d\n", source(net, from), to.LID, level)
		}
	}
	return text.String()
}

// TestVerdictOnLanesAgreesWithIBDM gives the paths of OpenSM random service
// levels and the switches random lanes, in the files that we write.
func TestVerdictOnLanesAgreesWithIBDM(t *testing.T) {
	t.Parallel()
	f := newFabric(t, nettest.Generate(t, "random:switches=20,degree=4,seed=2", 1))
	f.sweep("minhop")
	tables := f.tables("opensm-lfts.dump", f.discovered())
	trials := 40
	if *long {
		trials = 150
	}
	cyclic := 0
	for seed := range uint64(trials) {
		rng := rand.New(rand.NewPCG(seed, 6))
		randomLanes(rng, tables)
		for name, write := range map[string]func(io.Writer) error{"levels": tables.WriteLevels, "lanes": tables.WriteLanesIBDM} {
			f.write(name, write)
		}
		p := verified(t, tables)
		if want := f.ibdmchk("-c", "levels", "-d", "lanes"); p.DeadlockFree() != want {
			t.Fatalf("seed %d: deadlock-free %v, ibdmchk says %v", seed, p.DeadlockFree(), want)
		}
		if !p.DeadlockFree() {
			cyclic++
		}
	}
	t.Logf("%d of %d cyclic", cyclic, trials)
	if cyclic < trials/5 || cyclic > trials*4/5 {
		t.Errorf("%d of %d tables with a cycle are a poor sample", cyclic, trials)
	}
}

// randomLanes gives all paths one of up to ten service levels, and all pairs of
// ports lanes that differ from those of their level in a few places.
func randomLanes(rng *rand.Rand, tables *InfiniBand) {
	n, levels := len(tables.Net.EndPoints), 1+rng.IntN(10)
	tables.Levels = []PairTable{NewPairTable(n)}
	for src := range n {
		for dst := range n {
			tables.Levels[0].set(src, dst, uint8(rng.IntN(levels)))
		}
	}
	tables.Lanes = newLanes(tables.Net)
	for _, lanes := range tables.Lanes {
		for i := range lanes {
			if rng.IntN(8) == 0 {
				lanes[i] = uint8(rng.IntN(10))
			}
		}
	}
}

// TestVerdictOnAlgorithmsAgreesWithIBDM exports all algorithms that fit
// InfiniBand, those that can deadlock too, and asks ibdmchk about them.
func TestVerdictOnAlgorithmsAgreesWithIBDM(t *testing.T) {
	t.Parallel()
	findOpenSM(t)
	names := []string{"torus:4x3", "random:switches=14,degree=4,seed=1"}
	if *long {
		names = append(names, "mesh:5x5", "torus:5x5", "hypercube:5", "fattree:k=4", "random:switches=32,degree=4,seed=2")
	}
	verdicts := make(map[bool]int)
	for _, name := range names {
		net := nettest.Generate(t, name, 2)
		for _, a := range routing.Algorithms() {
			r, err := a.Build(net, routing.Options{DestinationOnly: true})
			if err != nil {
				continue // not for this network
			}
			tables, err := NewInfiniBand(r)
			if err != nil {
				continue // not for InfiniBand
			}
			f := &fabric{t: t, net: net, dir: t.TempDir()}
			f.export(tables)
			p := verified(t, tables)
			verdicts[p.DeadlockFree()]++
			if want := f.ibdmchk("-c", "levels", "-d", "lanes"); p.DeadlockFree() != want || p.DeadlockFree() != routing.Verify(r).DeadlockFree() {
				t.Errorf("%s on %s: tables deadlock-free %v, routes %v, ibdmchk says %v",
					a.Name, name, p.DeadlockFree(), routing.Verify(r).DeadlockFree(), want)
			}
		}
	}
	if verdicts[true] < 5*len(names) || verdicts[false] == 0 {
		t.Errorf("%d acyclic and %d cyclic tables are a poor sample", verdicts[true], verdicts[false])
	}
}

// export writes all that ibdmchk reads.
func (f *fabric) export(tables *InfiniBand) {
	f.t.Helper()
	list, err := format.Named("lst")
	check.Must(f.t, err)
	for name, write := range map[string]func(io.Writer) error{
		"opensm-subnet.lst": func(w io.Writer) error { return list.Write(w, tables.Addresses.Network()) },
		"opensm.fdbs":       tables.WriteForwardingIBDM,
		"levels":            tables.WriteLevels,
		"lanes":             tables.WriteLanesIBDM,
	} {
		f.write(name, write)
	}
}

// TestOpenSMLoadsOurTables exports tables, lets OpenSM program the switches with
// them and reads them back from the switches.
func TestOpenSMLoadsOurTables(t *testing.T) {
	t.Parallel()
	findOpenSM(t)
	for _, name := range []string{"random:switches=24,degree=4,seed=1", "torus:4x4", "hypercube:3"} {
		t.Run(name, func(t *testing.T) {
			net := nettest.Generate(t, name, 1)
			f := newFabric(t, net)
			f.checkLoading(destinationTrees(t, net))
		})
	}
}

// checkLoading exports routes, lets OpenSM program the switches with the tables
// and reads them back in three ways.
func (f *fabric) checkLoading(routes *routing.Routes) {
	f.t.Helper()
	tables, err := NewInfiniBand(routes)
	check.Must(f.t, err)
	f.write("ours", tables.WriteForwarding)
	f.sweep("file", "-U", f.file("ours"))

	dump, err := f.onFabric("dump_lfts").Output()
	check.Must(f.t, err)
	check.Must(f.t, os.WriteFile(f.file("switches"), dump, 0o600))
	for _, file := range []string{"switches", "opensm-lfts.dump"} {
		all, err := f.tables(file, f.net).Routes()
		check.Must(f.t, err)
		samePaths(f.t, 0, all[0], routes)
	}
	f.checkIBRoute(tables)
}

// checkIBRoute compares the table of one switch with what ibroute reads from it.
func (f *fabric) checkIBRoute(tables *InfiniBand) {
	f.t.Helper()
	found := f.discovered().Switches[0]
	route, err := f.onFabric("ibroute", strconv.Itoa(int(found.LID))).Output()
	check.Must(f.t, err)
	one, err := ReadForwarding(bytes.NewReader(route), "ibroute", f.net)
	check.Must(f.t, err)
	sw, err := one.directory().findSwitch(found.GUID, found.Name)
	check.Must(f.t, err)
	for dst := range f.net.EndPoints {
		want := tables.port(sw, tables.Addresses.LIDs(dst)[0])
		if got := one.port(sw, one.Addresses.LIDs(dst)[0]); got != want {
			f.t.Errorf("ibroute: switch %s, %s: port %d, want %d", found.Name, f.net.EndPointName(dst), got, want)
		}
	}
}

// destinationTrees routes to every destination along a tree of shortest paths.
func destinationTrees(t *testing.T, net *topology.Network) *routing.Routes {
	b, err := routing.NewBuilder("trees", net, 1)
	check.Must(t, err)
	for dst := range net.Switches {
		dist := net.Distances(dst)
		for src := range net.Switches {
			var p routing.Path
			for at := src; at != dst; at = net.To(p[len(p)-1].Channel()).Switch {
				for _, c := range net.Out(at) {
					if dist[net.To(int(c)).Switch] == dist[at]-1 {
						p = append(p, routing.MakeHop(int(c), 0))
						break
					}
				}
			}
			b.Variants(src, dst, 1, 1)
			b.Add(p, 0)
		}
	}
	return b.Routes()
}
