package routing

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"musubi/topology"
)

// These tests run OpenSM, the usual subnet manager, on fabrics that ibsim
// simulates, and compare the verdicts on its tables with those of ibdmchk. Where
// the programs are not installed they are skipped, but fail if CI is "true".

// opensmPrograms come with Debian's opensm, ibsim-utils, infiniband-diags and
// ibutils.
var opensmPrograms = []string{"opensm", "ibsim", "ibdmchk", "dump_lfts", "ibroute", "saquery"}

// simulatedPort is the library that puts a program on ibsim's fabric; it lies in
// a folder of its own under the usual ones for libraries.
var simulatedPort = []string{"/usr/lib/*/umad2sim/libumad2sim.so", "/usr/lib*/umad2sim/libumad2sim.so", "/usr/local/lib*/umad2sim/libumad2sim.so"}

// fabric is a simulated fabric.
type fabric struct {
	t       *testing.T
	net     *topology.Network // as it was made
	dir     string            // of all files
	preload string
}

// newFabric starts ibsim on a network whose adapters are hosts.
func newFabric(t *testing.T, net *topology.Network) *fabric {
	t.Helper()
	f := &fabric{t: t, net: net, dir: t.TempDir(), preload: findOpenSM(t)}
	format, err := topology.FormatNamed("ibsim")
	must(t, err)
	var text bytes.Buffer
	must(t, format.Write(&text, net))
	must(t, os.WriteFile(f.file("fabric.net"), text.Bytes(), 0o600))
	must(t, os.WriteFile(f.file("osm.conf"), []byte("force_log_flush TRUE\n"), 0o600))

	log, err := os.Create(f.file("ibsim.log"))
	must(t, err)
	defer log.Close()
	sim := f.command("ibsim", "-s", "-n", "-N", "8192", "-S", "4096", "-P", "65536", "-L", "49152", f.file("fabric.net"))
	sim.Stdout, sim.Stderr = log, log
	f.start(sim)
	f.await("ibsim.log", "Network simulator ready")
	return f
}

func findOpenSM(t *testing.T) (preload string) {
	t.Helper()
	var missing []string
	for _, p := range opensmPrograms {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	for _, pattern := range simulatedPort {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			preload = found[0]
		}
	}
	if preload == "" {
		missing = append(missing, "libumad2sim.so")
	}
	if len(missing) > 0 {
		report := t.Skipf
		if os.Getenv("CI") == "true" {
			report = t.Fatalf
		}
		report("%s not found; install opensm, ibsim-utils, infiniband-diags and ibutils", strings.Join(missing, ", "))
	}
	return preload
}

func (f *fabric) file(name string) string { return filepath.Join(f.dir, name) }

func (f *fabric) read(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(f.file(name))
	must(f.t, err)
	return string(text)
}

func (f *fabric) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "IBSIM_SOCKNAME="+filepath.Base(filepath.Dir(f.dir))+fmt.Sprint(os.Getpid()),
		"SIM_HOST="+f.net.Adapters[0].ID, "OSM_CACHE_DIR="+f.dir, "OSM_TMP_DIR="+f.dir)
	return cmd
}

// onFabric makes a command that is run as if on the first host.
func (f *fabric) onFabric(name string, args ...string) *exec.Cmd {
	cmd := f.command(name, args...)
	cmd.Env = append(cmd.Env, "LD_PRELOAD="+f.preload)
	return cmd
}

// start runs a program until the end of the test.
func (f *fabric) start(cmd *exec.Cmd) {
	f.t.Helper()
	must(f.t, cmd.Start())
	f.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// await waits until a file holds a text.
func (f *fabric) await(name, text string) {
	f.t.Helper()
	for range 600 {
		if found, _ := os.ReadFile(f.file(name)); bytes.Contains(found, []byte(text)) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.t.Fatalf("%s does not say %q", name, text)
}

func (f *fabric) opensm(engine string, args ...string) *exec.Cmd {
	args = append([]string{"-F", "osm.conf", "-D", "0x43", "-f", f.file("osm.log"), "--dump_files_dir", f.dir, "-R", engine}, args...)
	return f.onFabric("opensm", args...)
}

// sweep runs OpenSM once.
func (f *fabric) sweep(engine string, args ...string) {
	f.t.Helper()
	if out, err := f.opensm(engine, append(args, "-o")...).CombinedOutput(); err != nil {
		f.t.Fatalf("opensm: %v\n%s", err, out)
	}
	f.checkEngine(engine)
}

// checkEngine fails the test if OpenSM silently took another engine.
func (f *fabric) checkEngine(engine string) {
	f.t.Helper()
	if !strings.Contains(f.read("osm.log"), ": "+engine+" tables configured on all switches") {
		f.t.Fatalf("OpenSM did not use the engine %s:\n%s", engine, f.read("osm.log"))
	}
}

// discovered returns the network as OpenSM found it, with GUIDs and LIDs.
func (f *fabric) discovered() *topology.Network {
	f.t.Helper()
	net, err := topology.Open(f.file("opensm-subnet.lst"), 0)
	must(f.t, err)
	return net
}

// tables reads forwarding tables for a network.
func (f *fabric) tables(name string, net *topology.Network) *InfiniBandTables {
	f.t.Helper()
	tables, err := ReadForwarding(strings.NewReader(f.read(name)), name, net)
	must(f.t, err)
	return tables
}

// ibdmchk returns whether ibdmchk finds the tables free of credit loops.
func (f *fabric) ibdmchk(args ...string) bool {
	f.t.Helper()
	args = append([]string{"-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "/dev/null"}, args...)
	out, _ := f.command("ibdmchk", args...).CombinedOutput() // its exit status means nothing
	switch {
	case bytes.Contains(out, []byte("credit loops in routing")):
		return false
	case bytes.Contains(out, []byte("no credit loops found")):
		return true
	}
	f.t.Fatalf("ibdmchk gives no verdict:\n%s", out)
	return false
}

// verified returns the proof of tables that must connect all pairs.
func verified(t *testing.T, tables *InfiniBandTables) *Proof {
	t.Helper()
	p, err := tables.Verify()
	must(t, err)
	if p.Unreachable > 0 || len(p.Faults) > 0 {
		t.Fatalf("%d pairs unreachable, faults %v", p.Unreachable, p.Faults)
	}
	return p
}

func generate(t *testing.T, name string) *topology.Network {
	t.Helper()
	net, err := topology.Generate(name, 1)
	must(t, err)
	return net
}

// TestVerdictOnOpenSMAgreesWithIBDM also checks that all dumps of one table, and
// the network before and after discovery, lead to the same verdict.
func TestVerdictOnOpenSMAgreesWithIBDM(t *testing.T) {
	var names []string
	seeds := 1
	if *long {
		seeds = 10
	}
	for seed := range seeds {
		for _, form := range []string{"switches=32,degree=4", "switches=32,degree=6", "switches=64,degree=4", "switches=64,degree=6"} {
			names = append(names, fmt.Sprintf("random:%s,seed=%d", form, seed))
		}
	}
	names = append(names, "torus:4x4", "hypercube:4", "fattree:k=4")
	findOpenSM(t)
	cyclic, acyclic := 0, 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, engine := range []string{"updn", "minhop"} {
				f := newFabric(t, generate(t, name))
				must(t, os.WriteFile(f.file("roots"), []byte("0x200000\n"), 0o600))
				f.sweep(engine, "-a", "roots")
				net := f.discovered()
				p := verified(t, f.tables("opensm-lfts.dump", net))
				same := []*Proof{verified(t, f.tables("opensm.fdbs", net)), verified(t, f.tables("opensm-lfts.dump", f.net))}
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

// TestRealFabricIsSafeForHosts runs OpenSM on the dump of a real cluster, with
// aggregation nodes inside the switches, if it lies beside the checkout. Only
// paths to those nodes close cycles there.
func TestRealFabricIsSafeForHosts(t *testing.T) {
	dump := filepath.Join(cmp.Or(os.Getenv("MUSUBI_TESTDATA_EXTRA"), "../../shared/topologies"), "nvidia-topograph/dgx.ibnetdiscover")
	net, err := topology.Open(dump, 0)
	if err != nil {
		t.Skip("no dump of a real fabric")
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
		if !slices.ContainsFunc(set, func(c Class) bool { return c.From == topology.Aggregation || c.To == topology.Aggregation }) {
			t.Errorf("%v close a cycle without aggregation nodes", set)
		}
	}
	t.Logf("cycle of %d, classes %v", len(p.Cycle), p.CycleClasses)
}

// TestVerdictOnLayersAgreesWithIBDM reads the service levels of LASH and DFSSSP
// from OpenSM's subnet administration, as it does not dump them.
func TestVerdictOnLayersAgreesWithIBDM(t *testing.T) {
	findOpenSM(t)
	engines, name := []string{"lash"}, "ring:5"
	if *long {
		engines, name = []string{"lash", "dfsssp"}, "torus:3x4"
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			f := newFabric(t, generate(t, name))
			f.start(f.opensm(engine, "-Q"))
			f.await("osm.log", "SUBNET UP")
			f.checkEngine(engine)
			net := f.discovered()
			must(t, os.WriteFile(f.file("levels"), []byte(f.levels(net)), 0o600))

			tables := f.tables("opensm-lfts.dump", net)
			if p := verified(t, tables); p.DeadlockFree() || f.ibdmchk() {
				t.Errorf("without service levels the verdict is %v, that of ibdmchk %v; want false", p.DeadlockFree(), f.ibdmchk())
			}
			must(t, tables.ReadLevels(strings.NewReader(f.read("levels")), "levels"))
			must(t, tables.ReadLanes(strings.NewReader(f.read("opensm-sl2vl.dump")), "opensm-sl2vl.dump"))
			p := verified(t, tables)
			if want := f.ibdmchk("-c", "levels"); !p.DeadlockFree() || !want {
				t.Errorf("deadlock-free %v, ibdmchk says %v; want true", p.DeadlockFree(), want)
			}
		})
	}
}

var pathLevel = regexp.MustCompile(`(?m)^\s*sl\.+0x([0-9a-fA-F]+)$`)

// levels asks for the service level of each path.
func (f *fabric) levels(net *topology.Network) string {
	f.t.Helper()
	var text strings.Builder
	for src, from := range net.EndPoints {
		for dst, to := range net.EndPoints {
			if src == dst {
				continue
			}
			out, err := f.onFabric("saquery", "-p", "--slid", strconv.Itoa(int(from.LID)), "--dlid", strconv.Itoa(int(to.LID))).CombinedOutput()
			m := pathLevel.FindSubmatch(out)
			if err != nil || m == nil {
				f.t.Fatalf("saquery: %v\n%s", err, out)
			}
			level, err := strconv.ParseUint(string(m[1]), 16, 8)
			must(f.t, err)
			fmt.Fprintf(&text, "0x%016x %d %d\n", net.Adapters[from.Adapter].GUID, to.LID, level)
		}
	}
	return text.String()
}

// TestVerdictOnLanesAgreesWithIBDM gives the paths of OpenSM random service
// levels and the switches random lanes, in the files that we write.
func TestVerdictOnLanesAgreesWithIBDM(t *testing.T) {
	f := newFabric(t, generate(t, "random:switches=20,degree=4,seed=2"))
	f.sweep("minhop")
	tables := f.tables("opensm-lfts.dump", f.discovered())
	trials := 40
	if *long {
		trials = 400
	}
	cyclic := 0
	for seed := range uint64(trials) {
		rng := rand.New(rand.NewPCG(seed, 6))
		randomLanes(rng, tables)
		for name, write := range map[string]func(io.Writer) error{"levels": tables.WriteLevels, "lanes": tables.WriteLanesIBDM} {
			var text bytes.Buffer
			must(t, write(&text))
			must(t, os.WriteFile(f.file(name), text.Bytes(), 0o600))
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
func randomLanes(rng *rand.Rand, tables *InfiniBandTables) {
	n, levels := len(tables.Net.EndPoints), 1+rng.IntN(10)
	tables.Levels = []PairTable{newPairTable(n)}
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

// TestOpenSMLoadsOurTables exports tables, lets OpenSM program the switches with
// them and reads them back from the switches.
func TestOpenSMLoadsOurTables(t *testing.T) {
	findOpenSM(t)
	for _, name := range []string{"random:switches=24,degree=4,seed=1", "torus:4x4", "hypercube:3"} {
		t.Run(name, func(t *testing.T) {
			net := generate(t, name)
			routes := destinationTrees(t, net)
			tables, err := NewInfiniBandTables(routes)
			must(t, err)
			f := newFabric(t, net)
			var text bytes.Buffer
			must(t, tables.WriteForwarding(&text))
			must(t, os.WriteFile(f.file("ours"), text.Bytes(), 0o600))
			f.sweep("file", "-U", f.file("ours"))

			dump, err := f.onFabric("dump_lfts").Output()
			must(t, err)
			must(t, os.WriteFile(f.file("switches"), dump, 0o600))
			for _, file := range []string{"switches", "opensm-lfts.dump"} {
				all, err := f.tables(file, net).Routes()
				must(t, err)
				samePaths(t, 0, all[0], routes)
			}
			f.checkIBRoute(tables)
		})
	}
}

// checkIBRoute compares the table of one switch with what ibroute reads from it.
func (f *fabric) checkIBRoute(tables *InfiniBandTables) {
	f.t.Helper()
	found := f.discovered().Switches[0]
	route, err := f.onFabric("ibroute", strconv.Itoa(int(found.LID))).Output()
	must(f.t, err)
	one, err := ReadForwarding(bytes.NewReader(route), "ibroute", f.net)
	must(f.t, err)
	sw, err := one.directory().findSwitch(found.GUID, found.Name)
	must(f.t, err)
	for dst := range f.net.EndPoints {
		want := tables.port(sw, tables.Addresses.LIDs(dst)[0])
		if got := one.port(sw, one.Addresses.LIDs(dst)[0]); got != want {
			f.t.Errorf("ibroute: switch %s, %s: port %d, want %d", found.Name, f.net.EndPointName(dst), got, want)
		}
	}
}

// destinationTrees routes to every destination along a tree of shortest paths.
func destinationTrees(t *testing.T, net *topology.Network) *Routes {
	b, err := NewBuilder("trees", net, 1)
	must(t, err)
	for dst := range net.Switches {
		dist := net.Distances(dst)
		for src := range net.Switches {
			var p Path
			for at := src; at != dst; at = net.To(p[len(p)-1].Channel()).Switch {
				for _, c := range net.Out(at) {
					if dist[net.To(int(c)).Switch] == dist[at]-1 {
						p = append(p, MakeHop(int(c), 0))
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
