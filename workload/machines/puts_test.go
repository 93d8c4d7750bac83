package machines_test

import (
	"testing"

	"musubi"
	"musubi/sim/machine"
)

// A message by a command queue arrives as one by a Push does, and costs its sender less, as the
// completion is taken while the next message travels. Messages of several trials go to one place, and
// more may be in flight than the queue has entries.
func TestMessagesByCommandQueues(t *testing.T) {
	s := musubi.Scenario{Workload: "pingpong", Machine: "tofu2", Topology: "tofu:8x1x1x1x1x1", Set: map[string]string{
		"mechanism": "push,queue", "copy": "none,cached", "bytes": "8,5000", "iterations": "3", "warmup": "0",
	}}
	rows := metricRows(t, s, "latency")
	if len(rows) != 8 {
		t.Fatalf("%d rows; expected two mechanisms, two ways to copy and two sizes", len(rows))
	}
	for i, push := range rows[:4] {
		if queue := rows[4+i]; queue.Value >= push.Value || queue.Value < push.Value-0.06 {
			t.Errorf("by a queue %v, by Push %v; expected a little less than by Push", queue, push)
		}
	}

	s.Workload, s.Set = "stream", map[string]string{"mechanism": "queue", "copy": "none,cached", "bytes": "8,64KiB", "window": "100", "queue.entries": "9"}
	rows = metricRows(t, s, "bandwidth")
	if len(rows) != 4 {
		t.Fatalf("%d rows; expected two ways to copy and two sizes", len(rows))
	}
	// One engine carries out a command after the other: 242 ns, and the data at 10 GB/s.
	if got, want := rows[1].Value, 65536/(0.242+6.5536); got < 0.99*want || got > 1.01*want {
		t.Errorf("a queue carries %.0f MB/s in puts of 64 KiB; expected about %.0f", got, want)
	}
}

// All mechanisms are those that a machine has.
func TestAllMechanismsOfEachMachine(t *testing.T) {
	for _, name := range machine.Names() {
		want := 3 // the third is BOTF, or a queue
		if name == "loggp" || name == "ssscore" {
			want = 2
		}
		s := musubi.Scenario{Workload: "pingpong", Machine: name, Set: map[string]string{"mechanism": "all", "bytes": "8", "iterations": "1", "warmup": "0"}}
		if rows := metricRows(t, s, "latency"); len(rows) != want {
			t.Errorf("%s: %v; expected %d mechanisms", name, rows, want)
		}
	}
}
