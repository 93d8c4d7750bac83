package musubi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/rma"
	"musubi/sim/fabric"
	"musubi/sim/machine"
	"musubi/units"
	"musubi/workload"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// set makes settings of "name=value" texts.
func set(assignments ...string) map[string]string {
	settings := map[string]string{}
	for _, a := range assignments {
		name, value, _ := strings.Cut(a, "=")
		settings[name] = value
	}
	return settings
}

func mustRun(t *testing.T, s Scenario) *Result {
	t.Helper()
	r, err := RunWorkload(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// metric returns the rows of a metric.
func metric(r *Result, name string) []workload.Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row workload.Row) bool { return row.Metric != name })
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// The closed formulas of LogGP, with L = 2.5 us, o = 1.5 us, g = 1 us, G = 6 ns.
func TestLogGPMatchesItsFormulas(t *testing.T) {
	const L, o, gap, G = 2.5, 1.5, 1.0, 0.006
	for _, n := range []int{1, 8, 100, 4096} {
		settings := set(fmt.Sprint("bytes=", n))
		body := float64(n-1) * G
		r := mustRun(t, Scenario{Machine: "loggp", Workload: "pingpong", Set: settings})
		near(t, fmt.Sprintf("latency of %d bytes", n), metric(r, "latency")[0].Value, o+L+body+o)

		settings["window"] = "1"
		r = mustRun(t, Scenario{Machine: "loggp", Workload: "stream", Set: settings})
		near(t, fmt.Sprintf("bandwidth of %d bytes", n), metric(r, "bandwidth")[0].Value, float64(n)/(o+L+body+L))

		settings["window"] = "64"
		r = mustRun(t, Scenario{Machine: "loggp", Workload: "stream", Set: settings})
		if got, most := metric(r, "bandwidth")[0].Value, float64(n)/max(o, gap+body); got > most || got < most*0.97 {
			t.Errorf("bandwidth of %d bytes, window 64: got %v, want a little less than %v", n, got, most)
		}
	}
	r := mustRun(t, Scenario{Machine: "loggp", Workload: "barrier", Ranks: 64})
	message := o + L + 7*G + o
	near(t, "barrier", metric(r, "barrier")[0].Value, 6*(2*message+o+L+7*G+L))
}

// The closed loop beside the open one gives the rows of both.
func TestBothLoopsOfAPattern(t *testing.T) {
	rows := func(loop string, settings ...string) []workload.Row {
		all := set(append(settings, "loop="+loop, "pattern=complement", "bytes=1792")...)
		r := mustRun(t, Scenario{Machine: "rhinet2", Workload: "pattern", Set: all})
		return append(metric(r, "bandwidth"), metric(r, "throughput")...)
	}
	open := []string{"load=0.1,0.3", "packets=2000"}
	want := append(rows("closed"), rows("open", open...)...)
	if got := rows("closed,open", open...); !reflect.DeepEqual(got, want) {
		t.Errorf("both loops: %v; expected %v", got, want)
	}
}

func TestEachSwitchCostsItsLatencyAndACable(t *testing.T) {
	s := Scenario{Machine: "rhinet2", Workload: "pingpong", Set: set("bytes=8,1792", "to=each-distance")}
	system, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	step := (system.Machine.Switch.Latency + system.Machine.Link.Cable).Microseconds()
	bySize := map[int][]float64{}
	for _, row := range metric(mustRun(t, s), "latency") {
		bySize[row.Bytes] = append(bySize[row.Bytes], row.Value)
	}
	for size, latencies := range bySize {
		if len(latencies) != 7 {
			t.Fatalf("%d distances on a 4x4 mesh, want 7", len(latencies))
		}
		for i := 1; i < len(latencies); i++ {
			near(t, fmt.Sprintf("%d bytes over %d switches", size, i+1), latencies[i], latencies[0]+float64(i)*step)
		}
	}
}

func TestScenariosAreDeterministic(t *testing.T) {
	scenarios := []Scenario{
		{Machine: "rhinet2", Workload: "pattern", Seed: 7, Set: set("pattern=transpose,uniform", "bytes=1792", "rounds=1")},
		{Machine: "rhinet2", Workload: "pattern", Topology: "random:switches=8,degree=3", Set: set("loop=open", "load=0.4", "measure=50us")},
		{Machine: "rhinet2", Workload: "barrier", Set: set("orders=1", "iterations=2")},
		{Machine: "ndr", Workload: "stream", Set: set("bytes=16KiB", "iterations=20")},
		{Machine: "loggp", Workload: "barrier", Ranks: 16, Set: set("algorithm=dissemination", "orders=2")},
	}
	for _, s := range scenarios {
		var first *Result
		for _, procs := range []int{1, 8} {
			old := runtime.GOMAXPROCS(procs)
			r := mustRun(t, s)
			runtime.GOMAXPROCS(old)
			r.Simulation.Wall = 0
			if first == nil {
				first = r
			} else if diff := gocmp.Diff(first, r, gocmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("%s on %s with GOMAXPROCS=%d: %s", s.Workload, s.Machine, procs, diff)
			}
		}
	}
}

// The messages of IS are of a few bytes: the rings that nas chooses for itself hold a
// packet all the same, on machines without packets a piece of a message.
func TestRingsOfSmallMessages(t *testing.T) {
	for _, name := range machine.Names() {
		s := Scenario{Machine: name, Workload: "nas", Ranks: 4, Set: set("kernel=is", "class=S", "iterations=1")}
		if got := metric(mustRun(t, s), "time"); len(got) != 1 || got[0].Value <= 0 {
			t.Errorf("%s: got times %+v, want that of one kernel", name, got)
		}
	}
}

// Transfers that overlap share what carries them: a 400 Gbit/s link with 44 bytes
// of headers per 4 KiB, and a bus of 533 MB/s.
func TestStreamsReachTheirBottleneckAndNoMore(t *testing.T) {
	for _, c := range []struct {
		scenario Scenario
		most     float64 // MB/s
	}{
		{Scenario{Machine: "ndr", Set: set("bytes=64KiB,256KiB", "iterations=200")}, 50e3 * 4096 / (4096 + 44)},
		{Scenario{Machine: "ndr", Set: set("bytes=64KiB", "operation=pull", "window=7", "iterations=200")}, 50e3 * 4096 / (4096 + 44)},
		{Scenario{Machine: "rhinet2", Set: set("bytes=2KiB,64KiB", "nic.in_flight=16", "iterations=200")}, 533},
	} {
		c.scenario.Workload = "stream"
		for _, row := range metric(mustRun(t, c.scenario), "bandwidth") {
			if row.Value > c.most || row.Value < c.most*0.97 {
				t.Errorf("%s, %v, %d bytes: got %v MB/s, want a little less than %v", c.scenario.Machine, c.scenario.Set, row.Bytes, row.Value, c.most)
			}
		}
	}
}

func TestSeedChangesWhatIsRandom(t *testing.T) {
	value := func(seed uint64) float64 {
		r := mustRun(t, Scenario{Machine: "rhinet2", Workload: "barrier", Seed: seed, Set: set("orders=1", "iterations=2")})
		return metric(r, "barrier")[0].Value
	}
	if a, b := value(1), value(2); a == b {
		t.Errorf("two seeds give the same visiting order: %v us", a)
	}
}

func TestEveryPacketIsDelivered(t *testing.T) {
	r := mustRun(t, Scenario{Machine: "rhinet2", Workload: "barrier", Set: set("orders=1")})
	if s := r.Simulation; s.Packets == 0 || s.Packets != s.Delivered {
		t.Errorf("%d packets were sent, %d delivered", s.Packets, s.Delivered)
	}
}

func TestOpenLoopAcceptsWhatIsOffered(t *testing.T) {
	r := mustRun(t, Scenario{Machine: "rhinet2", Workload: "pattern", Ranks: 16, Seed: 3,
		Set: set("loop=open", "bytes=256", "load=0.05,0.1", "measure=500us")})
	rows := metric(r, "throughput")
	if len(rows) != 2 {
		t.Fatalf("%d rows of throughput, want 2", len(rows))
	}
	for _, row := range rows {
		if offered := row.Label("offered").(float64); math.Abs(row.Value-offered) > 0.1*offered {
			t.Errorf("offered %v, accepted %v", offered, row.Value)
		}
	}
	if rows := metric(r, "latency"); len(rows) != 2*2*len(statistics) {
		t.Errorf("%d rows of latency, want packet and network latency in %d statistics for two loads", len(rows), len(statistics))
	}
}

func TestUtilisationIsAFraction(t *testing.T) {
	for _, s := range []Scenario{
		{Machine: "rhinet2", Workload: "pattern", Set: set("bytes=1792")},
		{Machine: "tofu2", Workload: "halo", Topology: "tofu:8x1x1x1x1x1", Set: set("bytes=65535")}, // by several engines per host
	} {
		checkUtilisation(t, s)
	}
}

func checkUtilisation(t *testing.T, s Scenario) {
	t.Helper()
	r := mustRun(t, s)
	rows := metric(r, "utilisation")
	if len(rows) != 2 {
		t.Fatalf("%d rows, want mean and max", len(rows))
	}
	mean, most := rows[0].Value, rows[1].Value
	if !(0 < mean && mean < most && most <= 1) || r.Links[0].Utilisation != most {
		t.Errorf("mean %v, max %v, hottest link %v", mean, most, r.Links[0].Utilisation)
	}
	if !slices.IsSortedFunc(r.Links, func(a, b LinkUse) int { return cmp.Compare(b.Utilisation, a.Utilisation) }) {
		t.Error("the links are not in order")
	}
}

func TestMistakesNameTheirKey(t *testing.T) {
	rhinet2 := Scenario{Machine: "rhinet2", Workload: "pingpong"}
	with := func(change func(*Scenario)) Scenario {
		s := rhinet2
		change(&s)
		return s
	}
	for _, test := range []struct {
		s         Scenario
		key, want string
	}{
		{with(func(s *Scenario) { s.Machine = "cray" }), "on", "known: "},
		{with(func(s *Scenario) { s.Workload = "ping" }), "workload", "known: pingpong"},
		{with(func(s *Scenario) { s.Routing = "dijkstra" }), "routing", "spray"},
		{with(func(s *Scenario) { s.Selection = "best" }), "routing", "unknown path selection"},
		{with(func(s *Scenario) { s.Topology = "donut:3" }), "topology", "donut:3"},
		{with(func(s *Scenario) { s.Topology = "mesh:0x4" }), "topology", "mesh"},
		{with(func(s *Scenario) { s.Ranks = 129 }), "ranks", "129 ranks, but the network has 64 hosts for 2 ranks each"},
		{with(func(s *Scenario) { s.Ranks = -1 }), "ranks", "-1 ranks"},
		{with(func(s *Scenario) { s.Topology, s.Hosts, s.Ranks = "mesh:1x1", 1, 9 }), "ranks", "9 ranks, but the network has 1 host for 2 ranks each"},
		{with(func(s *Scenario) { s.Place = "0,64" }), "place", "no host 64"},
		{with(func(s *Scenario) { s.Place = "1,1,1" }), "place", "host 1 is listed 3 times; a host runs 2 ranks"},
		{with(func(s *Scenario) { s.Place = "near" }), "place", "no such file; expected even, block, cyclic, ring, snake, rail, random or fragmented"},
		{with(func(s *Scenario) { s.Place, s.Topology = "ring", "mesh:3x3" }), "place", "place ring: mesh:3x3 has no ring of 9 switches: as on a chessboard"},
		{with(func(s *Scenario) { s.Place, s.Topology = "snake", "fattree:k=4" }), "place", "has no coordinates"},
		{with(func(s *Scenario) { s.Place, s.Ranks = "ring", 129 }), "ranks", "129 ranks, but the network has 64 hosts"},
		{with(func(s *Scenario) { s.Place, s.Ranks = "1,2", 3 }), "place", "2 hosts are listed, but there are 3 ranks"},
		{with(func(s *Scenario) { s.Set = set("switch.latncy=1ns") }), "set.switch.latncy", "switch.latency"},
		{with(func(s *Scenario) { s.Set = set("switch.latency=1") }), "set.switch.latency", "a time such as"},
		{with(func(s *Scenario) { s.Set = set("byte=8") }), "set.byte", "known: bytes"},
		{with(func(s *Scenario) { s.Set = set("bytes=-8") }), "set.bytes", "expected sizes"},
		{with(func(s *Scenario) { s.Machine, s.Topology = "loggp", "mesh:4x4" }), "topology", "machine loggp has no network"},
		{with(func(s *Scenario) { s.Machine, s.Ranks = "loggp", 1<<30 }), "ranks", "expected 1 to"},
	} {
		_, err := RunWorkload(t.Context(), test.s)
		var input *InputError
		if !errors.As(err, &input) || input.Key != test.key || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v; want %q at key %s", test.s, err, test.want, test.key)
		}
	}
}

// What a machine's file gives wrongly is not on the command line.
func TestMistakesOfTheMachineNameIt(t *testing.T) {
	for _, test := range []struct{ was, is, want string }{
		{`"fattree:k=8"`, `"donut:8"`, `machine mine: network.topology: topology "donut:8"`},
		{`"updown"`, `"dijkstra"`, `machine mine: network.routing: unknown routing "dijkstra"`},
		{`"balanced"`, `"best"`, `machine mine: network.selection: unknown path selection "best"`},
	} {
		m, err := machine.Load("ndr")
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := m.WriteTOML(&text); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "mine.toml")
		if err := os.WriteFile(file, bytes.Replace(text.Bytes(), []byte(test.was), []byte(test.is), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(Scenario{Machine: file}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got error %v, want one with %q", err, test.want)
		}
	}
	if _, err := Build(Scenario{Machine: "ndr", Workload: "barrier", Hosts: -1}); err == nil || strings.Contains(err.Error(), "machine ndr") {
		t.Errorf("hosts of the scenario: got %v; want an error that does not blame the machine", err)
	}
}

// The two virtual channels that rhinet2 gives its own routing are no matter to
// another one, unless the scenario says so.
func TestMachinesVirtualChannelsAreForItsRouting(t *testing.T) {
	for _, c := range []struct {
		scenario Scenario
		want     int // virtual channels, or 0 if the machine has too few
	}{
		{Scenario{}, 2},
		{Scenario{VCs: 3}, 3},
		{Scenario{Routing: "dl"}, 2},
		{Scenario{Routing: "updown"}, 1},
		{Scenario{Routing: "updown", Set: set("switch.vcs=1")}, 1},
		{Scenario{VCs: 1, Set: set("switch.vcs=1")}, 1},
		{Scenario{Set: set("switch.vcs=1")}, 0},
		{Scenario{Routing: "updown", Set: set("switch.vcs=1", "network.vcs=2")}, 0},
	} {
		c.scenario.Machine = "rhinet2"
		system, err := Build(c.scenario)
		switch {
		case c.want == 0 && (err == nil || !strings.Contains(err.Error(), "network.vcs of 2 collides with switch.vcs of 1")):
			t.Errorf("%+v: got error %v, want one about network.vcs and switch.vcs", c.scenario, err)
		case c.want > 0 && err != nil:
			t.Errorf("%+v: %v", c.scenario, err)
		case c.want > 0 && system.Routes.VCs != c.want:
			t.Errorf("%+v: %d virtual channels, want %d", c.scenario, system.Routes.VCs, c.want)
		}
	}
}

func TestUnprovedRoutesAreRefused(t *testing.T) {
	s := Scenario{Machine: "rhinet2", Workload: "pattern", Topology: "ring:8", Routing: "minimal",
		Set: set("loop=open", "pattern=uniform", "load=0.5", "bytes=1792")}
	_, err := RunWorkload(t.Context(), s)
	var unsafe *UnsafeError
	if !errors.As(err, &unsafe) || unsafe.Proof.Cycle == nil {
		t.Fatalf("got %v; want a refusal with a cycle", err)
	}
	s.Unsafe, s.VCs = true, 1
	_, err = RunWorkload(t.Context(), s)
	var deadlock *fabric.Deadlock
	if !errors.As(err, &deadlock) || len(deadlock.Cycle) == 0 {
		t.Errorf("got %v; want a deadlock with its cycle", err)
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := RunWorkload(ctx, Scenario{Machine: "rhinet2", Workload: "pattern"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestProgressGrows(t *testing.T) {
	for _, settings := range []map[string]string{set("bytes=8,64,512"), set("loop=open", "load=0.3,0.4", "measure=4ms")} {
		system, err := Build(Scenario{Machine: "rhinet2", Workload: "pattern", Set: settings})
		if err != nil {
			t.Fatal(err)
		}
		calls, done := 0, 0.0
		system.Progress = func(p Progress) {
			calls++
			if p.Done < done || p.Done > 1 {
				t.Errorf("%v done after %v", p.Done, done)
			}
			done = p.Done
		}
		if _, err := system.RunWorkload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if calls == 0 || done < 0.5 {
			t.Errorf("%d calls, the last with %v done", calls, done)
		}
	}
}

// Progress moves inside one long operation.
func TestProgressGrowsWithinAnOperation(t *testing.T) {
	system, err := Build(Scenario{Machine: "loggp", Ranks: 100, Workload: "collective", Set: set("operation=alltoall", "algorithm=linear", "bytes=8", "iterations=1", "warmup=0")})
	if err != nil {
		t.Fatal(err)
	}
	within, done := 0, 0.0
	system.Progress = func(p Progress) {
		if p.Done < done || p.Done > 1 {
			t.Errorf("%v done after %v", p.Done, done)
		}
		if p.Done > done && p.Done < 1 {
			within++
		}
		done = p.Done
	}
	if _, err := system.RunWorkload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if within < 2 {
		t.Errorf("progress has moved %d times before the end of the operation, to %v", within, done)
	}
}

func TestProgramsFailWithTheirRank(t *testing.T) {
	broken := errors.New("broken")
	_, err := Run(t.Context(), Scenario{Machine: "loggp", Ranks: 4}, func(p rma.Process) error {
		p.Compute(units.Microsecond)
		if p.Rank() == 2 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "rank 2") {
		t.Errorf("got %v, want %v of rank 2", err, broken)
	}
}
