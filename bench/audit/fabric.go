package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// simulatedPort is the library that puts a program on ibsim's fabric.
var simulatedPort = []string{"/usr/lib/*/umad2sim/libumad2sim.so", "/usr/lib*/umad2sim/libumad2sim.so", "/usr/local/lib*/umad2sim/libumad2sim.so"}

func findPrograms() (preload string, err error) {
	for _, p := range []string{"opensm", "ibsim"} {
		if _, err := exec.LookPath(p); err != nil {
			return "", fmt.Errorf("%s not found; install opensm and ibsim-utils", p)
		}
	}
	for _, pattern := range simulatedPort {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("libumad2sim.so not found; install ibsim-utils")
}

// fabric is a simulated fabric with an OpenSM.
type fabric struct {
	dir, socket, preload string
	host                 string // that OpenSM runs on
	hostGUID             uint64
	running              []*exec.Cmd
	opensm               *exec.Cmd
	gone                 chan struct{} // closed when OpenSM has ended
	up                   bool          // the subnet is
	seconds              float64       // of OpenSM's processor time until then, or until it was ended
}

var fabrics atomic.Int64

// bringUp starts ibsim, and OpenSM with an engine, and waits until the subnet is up or OpenSM has given up.
func (s *settings) bringUp(c *candidate, e *engine, file, text string) (f *fabric, err error) {
	f = &fabric{preload: s.preload, host: c.net.Adapters[0].ID, hostGUID: c.net.Adapters[0].GUID, socket: fmt.Sprintf("audit-%d-%d", os.Getpid(), fabrics.Add(1)), gone: make(chan struct{})}
	if f.dir, err = os.MkdirTemp("", "audit"); err != nil {
		return nil, err
	}
	netFile, err := c.netFile()
	if err != nil {
		return f, err
	}
	files := map[string]string{"fabric.net": string(netFile), "osm.conf": "force_log_flush TRUE\n" + e.conf}
	if file != "" {
		files[file] = text
	}
	for name, text := range files {
		if err := os.WriteFile(f.file(name), []byte(text), 0o600); err != nil {
			return f, err
		}
	}
	log, err := os.Create(f.file("ibsim.log"))
	if err != nil {
		return f, err
	}
	defer log.Close()
	sim := f.command("ibsim", "-s", "-n", "-N", "8192", "-S", "4096", "-P", "65536", "-L", "49152", "fabric.net")
	sim.Stdout, sim.Stderr = log, log
	if err := sim.Start(); err != nil {
		return f, err
	}
	f.running = append(f.running, sim)
	if !f.await("ibsim.log", s.patience, "Network simulator ready") {
		return f, fmt.Errorf("ibsim does not start: %s", lastLine(f.read("ibsim.log")))
	}
	routing := e.opensm
	if e.alone {
		routing += ",no_fallback"
	}
	args := append([]string{"-F", "osm.conf", "-D", "0x43", "-f", f.file("osm.log"), "--dump_files_dir", f.dir, "-R", routing}, e.args...)
	f.opensm = f.onFabric("opensm", args...)
	if err := f.opensm.Start(); err != nil {
		return f, err
	}
	f.running = append(f.running, f.opensm)
	go func() { f.opensm.Wait(); close(f.gone) }()
	f.up = f.await("osm.log", s.patience, "SUBNET UP", noEngine) && !f.refused()
	f.seconds = f.processorTime()
	return f, nil
}

// end ends all programs, and removes their files.
func (f *fabric) end() {
	for _, cmd := range f.running {
		cmd.Process.Kill()
		if cmd != f.opensm {
			cmd.Wait()
		}
	}
	if f.opensm != nil && f.opensm.Process != nil {
		<-f.gone
	}
	os.RemoveAll(f.dir)
}

func (f *fabric) file(name string) string { return filepath.Join(f.dir, name) }

func (f *fabric) read(name string) string {
	text, _ := os.ReadFile(f.file(name))
	return string(text)
}

func (f *fabric) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "IBSIM_SOCKNAME="+f.socket, "SIM_HOST="+f.host, "OSM_CACHE_DIR="+f.dir, "OSM_TMP_DIR="+f.dir)
	return cmd
}

// onFabric makes a command that is run as if on the first host.
func (f *fabric) onFabric(name string, args ...string) *exec.Cmd {
	cmd := f.command(name, args...)
	cmd.Env = append(cmd.Env, "LD_PRELOAD="+f.preload)
	return cmd
}

// noEngine is what OpenSM logs when it writes no tables.
const noEngine = "No routing engine able to"

// refused reports whether OpenSM has left the fabric without tables.
func (f *fabric) refused() bool { return strings.Contains(f.read("osm.log"), noEngine) }

// await waits until a file holds one of some texts, or OpenSM has ended.
func (f *fabric) await(name string, patience time.Duration, texts ...string) bool {
	found := func() bool {
		held := f.read(name)
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(held, text) })
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if found() {
			return true
		}
		select {
		case <-f.gone:
			return found()
		default:
		}
	}
	return false
}

// processorTime is what OpenSM has taken, in seconds.
func (f *fabric) processorTime() float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", f.opensm.Process.Pid))
	_, rest, ok := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if err != nil || !ok || len(fields) < 13 {
		return -1
	}
	const ticks = 100 // USER_HZ, on all architectures that Debian has
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return float64(user+system) / ticks
}

var configured = regexp.MustCompile(`: (\S+) tables configured on all switches`)

// routedBy is the engine that the tables come from, by the log.
func (f *fabric) routedBy() string {
	found := configured.FindAllStringSubmatch(f.read("osm.log"), -1)
	if len(found) == 0 {
		return "none"
	}
	return found[len(found)-1][1]
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
