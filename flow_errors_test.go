package musubi_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"musubi"
	"musubi/workload"
)

var update = flag.Bool("update", false, "with -nightly, write the tables of TestFlowErrors anew")

// flowErrors is a table of docs/simulation.md: how far the flow engine is off.
type flowErrors struct {
	lines []string
	rows  []string // in the order in which they came
	cells map[string][]string
}

// compare runs a workload by both engines and adds a cell for each row of a metric that counts.
func (e *flowErrors) compare(t *testing.T, s musubi.Scenario, name func(workload.Row) string) {
	t.Helper()
	var results [2]*musubi.Result
	for i, engine := range []string{"packet", "flow"} {
		s.Engine = engine
		var err error
		if results[i], err = musubi.RunWorkload(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	for i, packet := range results[0].Rows {
		row := name(packet)
		if row == "" {
			continue
		}
		if e.cells[row] == nil {
			e.rows = append(e.rows, row)
		}
		off := 100 * (results[1].Rows[i].Value/packet.Value - 1)
		text := fmt.Sprintf("%+.1f", off)
		if math.Abs(off) < 0.05 {
			text = "0"
		}
		e.cells[row] = append(e.cells[row], text)
	}
}

// table ends a table that begins with a title for its rows and for each column.
func (e *flowErrors) table(columns ...string) {
	e.lines = append(e.lines, "| "+strings.Join(columns, " | ")+" |", "|"+strings.Repeat(" --- |", len(columns)))
	for _, row := range e.rows {
		e.lines = append(e.lines, "| "+row+" | "+strings.Join(e.cells[row], " | ")+" |")
	}
	e.lines = append(e.lines, "")
	e.rows, e.cells = nil, map[string][]string{}
}

func label(r workload.Row, name string) any {
	for _, l := range r.Labels {
		if l.Name == name {
			return l.Value
		}
	}
	return nil
}

// TestFlowErrors compares the flow engine with the packet engine, and the errors with the tables of
// docs/simulation.md. With -update it writes those anew.
func TestFlowErrors(t *testing.T) {
	if !*musubi.Nightly {
		t.Skip("runs all patterns and collective operations; -nightly does")
	}
	e := &flowErrors{cells: map[string][]string{}}
	for _, on := range []string{"ndr", "tofu2", "rhinet2"} {
		for _, size := range []string{"1KiB", "64KiB", "1MiB"} {
			e.compare(t, musubi.Scenario{Machine: on, Workload: "collective", Ranks: 16, Seed: 1, Set: map[string]string{
				"operation": "all", "bytes": size, "iterations": "1", "warmup": "0",
			}}, func(r workload.Row) string {
				if r.HasSize() && r.Unit == "us" && slices.Contains([]string{"broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reducescatter", "scan"}, r.Metric) {
					return r.Metric
				}
				return ""
			})
		}
	}
	e.table("time, 16 ranks", "ndr 1 KiB", "64 KiB", "1 MiB", "tofu2 1 KiB", "64 KiB", "1 MiB", "rhinet2 1 KiB", "64 KiB", "1 MiB")
	for _, on := range []string{"ndr", "rhinet2"} {
		for _, size := range []string{"1KiB", "16KiB", "64KiB"} {
			e.compare(t, musubi.Scenario{Machine: on, Workload: "pattern", Topology: "torus:4x4", Hosts: 4, Routing: "dl", Seed: 1, Set: map[string]string{
				"pattern": "all", "loop": "closed", "bytes": size, "iterations": "10", "rounds": "2",
			}}, func(r workload.Row) string {
				if r.Metric == "bandwidth" && len(r.Labels) == 1 {
					return fmt.Sprint(label(r, "pattern"))
				}
				return ""
			})
		}
	}
	e.table("bandwidth of hosts", "ndr 1 KiB", "16 KiB", "64 KiB", "rhinet2 1 KiB", "16 KiB", "64 KiB")
	patterns := []string{"bit-reversal", "transpose", "butterfly", "complement", "uniform", "hotspot", "all-to-all"}
	for _, metric := range []string{"latency", "throughput"} {
		for _, pattern := range patterns {
			for _, on := range []string{"ndr", "rhinet2"} {
				e.compare(t, musubi.Scenario{Machine: on, Workload: "pattern", Topology: "torus:4x4", Hosts: 1, Routing: "dl", Seed: 1, Set: map[string]string{
					"pattern": pattern, "loop": "open", "load": "0.1,0.3,0.5,0.7", "packets": "2000",
				}}, func(r workload.Row) string {
					if r.Metric == metric && (metric == "throughput" || label(r, "kind") == "packet" && label(r, "statistic") == "mean") {
						return pattern
					}
					return ""
				})
			}
		}
		e.table("mean "+metric+" of packets", "ndr 0.1", "0.3", "0.5", "0.7", "rhinet2 0.1", "0.3", "0.5", "0.7")
	}
	e.check(t)
}

// check compares the tables with those of the document, or writes them there.
func (e *flowErrors) check(t *testing.T) {
	const file, begin, end = "docs/simulation.md", "<!-- go test . -run TestFlowErrors -nightly -update writes these tables -->\n\n", "<!-- end -->"
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(document), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the tables", file)
	}
	made := strings.Join(e.lines, "\n") + "\n"
	switch {
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+made+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case made != old:
		t.Errorf("%s has other errors than the run; -update writes it anew:\n%s", file, made)
	}
}

// TestRingsByFlowsTakeAsLongAsByPackets holds an allreduce by a ring, whose ranks all send at once and wait for each
// other, to 3 % of what its packets take.
func TestRingsByFlowsTakeAsLongAsByPackets(t *testing.T) {
	const most = 0.03
	type job struct {
		topology string
		ranks    int
		bytes    string
	}
	jobs := []job{{"fattree:k=4", 16, "1MiB"}, {"fattree:k=4", 16, "4MiB"}, {"fattree:k=4", 16, "16MiB"}}
	if *musubi.Nightly {
		jobs = append(jobs, job{"fattree:k=4", 16, "64MiB"}, job{"fattree:k=8", 64, "1MiB"}, job{"fattree:k=8", 64, "16MiB"}, job{"fattree:k=8", 64, "64MiB"},
			job{"fattree:k=16", 256, "1MiB"}, job{"fattree:k=16", 256, "16MiB"})
	}
	for _, j := range jobs {
		var times [2]float64
		for i, engine := range []string{"packet", "flow"} {
			r, err := musubi.RunWorkload(t.Context(), musubi.Scenario{
				Machine: "ndr", Workload: "collective", Topology: j.topology, Ranks: j.ranks, Engine: engine, Payload: "none",
				Set: map[string]string{"operation": "allreduce", "algorithm": "ring", "bytes": j.bytes, "iterations": "1", "warmup": "0"},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range r.Rows {
				if row.Metric == "allreduce" && row.Unit == "us" {
					times[i] = row.Value
				}
			}
		}
		if off := times[1]/times[0] - 1; !(math.Abs(off) <= most) {
			t.Errorf("%s by %d ranks: flows take %v us, packets %v us: %+.1f %%", j.bytes, j.ranks, times[1], times[0], 100*off)
		}
	}
}

// TestMessagesOfRingsTakeFewEvents: a piece that goes round a ring meets no other one, so that its handshake is most of its
// events.
func TestMessagesOfRingsTakeFewEvents(t *testing.T) {
	const ranks, most = 16, 40
	r, err := musubi.RunWorkload(t.Context(), musubi.Scenario{
		Machine: "ndr", Workload: "collective", Topology: "fattree:k=4", Ranks: ranks, Engine: "flow", Payload: "none",
		Set: map[string]string{"operation": "allreduce", "algorithm": "ring", "bytes": "16MiB", "iterations": "1", "warmup": "0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const messages = 2 * ranks * (ranks - 1)
	if got := float64(r.Simulation.Events) / messages; got > most {
		t.Errorf("a message takes %.1f events; expected at most %d", got, most)
	}
}
