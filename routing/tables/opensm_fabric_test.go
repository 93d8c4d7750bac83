package tables

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"musubi/internal/check"
	"musubi/routing"
	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/networks"
)

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
	socket  string            // by which programs find ibsim
	preload string
}

// fabrics counts fabrics, so that each has a socket of its own.
var fabrics atomic.Int64

// newFabric starts ibsim on a network whose adapters are hosts.
func newFabric(t *testing.T, net *topology.Network) *fabric {
	t.Helper()
	f := &fabric{t: t, net: net, dir: t.TempDir(), preload: findOpenSM(t),
		socket: fmt.Sprintf("musubi-%d-%d", os.Getpid(), fabrics.Add(1))}
	ibsim, err := format.Named("ibsim")
	check.Must(t, err)
	f.write("fabric.net", func(w io.Writer) error { return ibsim.Write(w, net) })
	check.Must(t, os.WriteFile(f.file("osm.conf"), []byte("force_log_flush TRUE\n"), 0o600))

	log, err := os.Create(f.file("ibsim.log"))
	check.Must(t, err)
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

// write makes a file of what a writer writes.
func (f *fabric) write(name string, write func(io.Writer) error) {
	f.t.Helper()
	var text bytes.Buffer
	check.Must(f.t, write(&text))
	check.Must(f.t, os.WriteFile(f.file(name), text.Bytes(), 0o600))
}

func (f *fabric) read(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(f.file(name))
	check.Must(f.t, err)
	return string(text)
}

func (f *fabric) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "IBSIM_SOCKNAME="+f.socket,
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
	check.Must(f.t, cmd.Start())
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
	net, err := networks.Open(f.file("opensm-subnet.lst"), 0)
	check.Must(f.t, err)
	return net
}

// tables reads forwarding tables for a network.
func (f *fabric) tables(name string, net *topology.Network) *InfiniBand {
	f.t.Helper()
	tables, err := ReadForwarding(strings.NewReader(f.read(name)), name, net)
	check.Must(f.t, err)
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
func verified(t *testing.T, tables *InfiniBand) *routing.Proof {
	t.Helper()
	p, err := tables.Verify()
	check.Must(t, err)
	if p.Unreachable > 0 || len(p.Faults) > 0 {
		t.Fatalf("%d pairs unreachable, faults %v", p.Unreachable, p.Faults)
	}
	return p
}
