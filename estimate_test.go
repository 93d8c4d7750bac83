package musubi

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// What does not fit into free memory is refused in one line, which says what would fit; and that
// does.
func TestWhatDoesNotFitIsRefused(t *testing.T) {
	defer func(free func() int64) { freeMemory = free }(freeMemory)
	freeMemory = func() int64 { return 1 << 30 }
	large := Scenario{Workload: "collective", Machine: "ndr", Topology: "fattree:k=16", Payload: "real",
		Set: set("operation=allreduce", "bytes=64MiB", "iterations=1", "warmup=0")}
	refused := func(s Scenario) string {
		t.Helper()
		_, err := RunWorkload(context.Background(), s)
		var input *InputError
		if !errors.As(err, &input) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("error %v; want an InputError of one line", err)
		}
		return err.Error()
	}
	const want = "1024 ranks of collective take about 138 GB of memory, and 1.1 GB are free; expected payload none, or at most 7 ranks, or at most 1/143 of the bytes"
	if got := refused(large); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, change := range []func(s *Scenario){
		func(s *Scenario) { s.Payload = "none" },
		func(s *Scenario) { s.Ranks = 7 },
		func(s *Scenario) { s.Set["bytes"] = "458KiB" },
	} {
		s := large
		s.Set = set("operation=allreduce", "bytes=64MiB", "iterations=1", "warmup=0")
		change(&s)
		if system, err := Build(s); err != nil {
			t.Error(err)
		} else if plan, err := system.prepare(); err != nil {
			t.Error(err)
		} else if err := system.fits(plan, s.Payload == "none"); err != nil {
			t.Errorf("what was said to fit does not: %v", err)
		}
	}
	more := large
	more.Ranks = 8
	if got := refused(more); !strings.Contains(got, "at most 7 ranks") {
		t.Errorf("8 ranks: %s", got)
	}
	freeMemory = func() int64 { return 300 << 20 }
	all := Scenario{Workload: "collective", Machine: "ndr", Topology: "fattree:k=16", Payload: "none", Set: set("operation=alltoall", "bytes=8")}
	if got := refused(all); !strings.Contains(got, "; expected at most ") || strings.Contains(got, "payload") {
		t.Errorf("%s", got)
	}
}

// Workloads that look at their data take memory for it as well, and fewer ranks are no way out if there are none.
func TestMemoryOfMessagesIsEstimated(t *testing.T) {
	defer func(free func() int64) { freeMemory = free }(freeMemory)
	freeMemory = func() int64 { return 1 << 30 }
	for _, test := range []struct{ workload, settings, want string }{
		{"pingpong", "bytes=1GiB", "4 ranks of pingpong take about 4.3 GB of memory, and 1.1 GB are free; expected at most 1/5 of the bytes"},
		{"pingpong", "bytes=8,512MiB copy=cached mechanism=ipush", "4 ranks of pingpong take about 4.3 GB of memory, and 1.1 GB are free; expected at most 1/5 of the bytes"},
		{"stream", "bytes=32MiB copy=cached", "4 ranks of stream take about 2.2 GB of memory, and 1.1 GB are free; expected at most 1/3 of the bytes"},
		{"multicast", "bytes=256MiB", "4 ranks of multicast take about 3.2 GB of memory, and 1.1 GB are free; expected at most 1/4 of the bytes"},
		{"pingpong", "bytes=128MiB", ""},
	} {
		s, err := Build(Scenario{Workload: test.workload, Machine: "ndr", Topology: "ring:4", Set: set(strings.Fields(test.settings)...)})
		if err == nil {
			_, err = s.Estimate()
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", test.workload, test.settings, got, test.want)
		}
	}
}

// What is wrong with a workload, or does not fit, is told before the network is routed, which may take long: here the routing
// could deadlock, and would be refused. A workload that asks for paths gets those that there are.
func TestWorkloadsAreRefusedBeforeRouting(t *testing.T) {
	defer func(free func() int64) { freeMemory = free }(freeMemory)
	freeMemory = func() int64 { return 1 << 30 }
	ring := Scenario{Workload: "collective", Machine: "ndr", Topology: "torus:16", Routing: "minimal", VCs: 1, Set: set("operation=allreduce", "bytes=1KiB")}
	for _, c := range []struct{ set, payload, want string }{
		{"bytes=1KiB", "", "can deadlock"},
		{"bytes=1GiB", "real", "16 ranks of collective take about "},
		{"operation=none", "", "operation"},
		{"operation=allreduce", "none", ""},
	} {
		s := ring
		s.Payload, s.Set = c.payload, set("operation=allreduce", c.set)
		s.Unsafe = c.want == ""
		system, err := Build(s)
		if c.want == "" {
			if err != nil || system.prepared == nil {
				t.Errorf("%v: error %v; want a workload that is ready before the first run", s.Set, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v; want %q", s.Set, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"[[job]]\nname = \"a\"\nworkload = \"barriers\"":                                            `job a: unknown workload "barriers"; known: `,
		"[[job]]\nname = \"b\"\nworkload = \"collective\"\nset = {byte = 8}":                        `job b: workload collective: no parameter "byte"`,
		"[[job]]\nname = \"c\"\nworkload = \"collective\"\nset = {bytes = 1024, operation = \"x\"}": "job c: ",
		"[[job]]\nworkload = \"collective\"\nset = {bytes = 1024}":                                  "can deadlock",
	} {
		s := ring
		s.Workload, s.Set, s.Jobs = "", nil, jobsFile(t, text)
		if _, err := Build(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want %q", text, err, want)
		}
	}
	result, err := RunWorkload(context.Background(), Scenario{Workload: "pingpong", Machine: "ndr", Topology: "torus:16", Set: set("to=each-distance", "bytes=8")})
	if err != nil {
		t.Fatal(err)
	}
	var switches []any
	for _, row := range result.Rows {
		if n := row.Label("switches"); n != nil && !slices.Contains(switches, n) {
			switches = append(switches, n)
		}
	}
	if want := []any{2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(switches, want) {
		t.Errorf("pingpong over each distance in a ring of 16: by way of %v switches; want %v", switches, want)
	}
}

// Barriers of many ranks are estimated at once: their visiting orders are made when ranks enter them.
func TestEstimateOfBarriers(t *testing.T) {
	for algorithm, each := range map[string]int64{"multicast": 2 * 999, "dissemination": 1000 * 10} {
		system, err := Build(Scenario{Workload: "barrier", Machine: "loggp", Ranks: 1000, Set: set("algorithm="+algorithm, "orders=5", "warmup=1", "iterations=3")})
		if err != nil {
			t.Fatal(err)
		}
		e, err := system.Estimate()
		if want := 5 * 4 * each; err != nil || e.Messages != want || e.Seconds <= 0 {
			t.Errorf("%s: %+v, error %v; expected %d messages, and the time that they take", algorithm, e, err, want)
		}
	}
}

// The time that is estimated for the flow engine does not grow with the bytes of long messages, as packets do. It is that of the packet
// engine where messages go by packets.
func TestEstimatedTimeOfFlows(t *testing.T) {
	seconds := func(engine, bytes string) float64 {
		t.Helper()
		s := Scenario{Workload: "collective", Machine: "ndr", Engine: engine, Payload: "none",
			Set: set("operation=allreduce", "algorithm=ring", "bytes="+bytes, "iterations=1", "warmup=0")}
		system, err := Build(s)
		if err != nil {
			t.Fatal(err)
		}
		e, err := system.Estimate()
		if err != nil {
			t.Fatal(err)
		}
		return e.Seconds
	}
	short, long, longest := seconds("flow", "64KiB"), seconds("flow", "64MiB"), seconds("flow", "1GiB")
	if long != longest || long > short {
		t.Errorf("flows take %v s, %v s of 64 MiB, %v s of 64 KiB; expected that long messages take the same, and no more than short ones", longest, long, short)
	}
	if packets := seconds("packet", "64KiB"); packets != short {
		t.Errorf("short messages take %v s; expected %v as with packets", short, packets)
	}
	if packets := seconds("packet", "1GiB"); packets < 10*longest {
		t.Errorf("packets take %v s, flows %v", packets, longest)
	}
}
