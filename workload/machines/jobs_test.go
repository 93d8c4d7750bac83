package machines_test

import (
	"context"
	"maps"
	"path/filepath"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/trace/format"
	"musubi/workload/job"
)

// step is a small training step that has messages of all kinds.
var step = map[string]string{
	"layers": "4", "hidden": "128", "ffn": "128", "heads": "8", "kv-heads": "4", "vocab": "64", "sequence": "64", "experts": "2", "top-k": "1", "flops": "1e12",
	"tensor": "2", "context": "2", "data": "2", "pipeline": "2", "chunks": "2", "expert": "2", "batch": "4",
}

// timeOf runs a workload on a machine, and returns how long it takes, in microseconds.
func timeOf(t *testing.T, machine, workload string, settings map[string]string) float64 {
	t.Helper()
	result, err := musubi.RunWorkload(context.Background(), musubi.Scenario{Workload: workload, Machine: machine, Set: settings})
	check.Must(t, err)
	for _, row := range result.Rows {
		if row.Metric == "time" {
			return row.Value
		}
	}
	t.Fatal("no time")
	return 0
}

// written writes the schedule of a job, and returns the settings that read it.
func writtenJob(t *testing.T, name, file string, settings map[string]string) map[string]string {
	t.Helper()
	j, err := job.Lookup(name)
	check.Must(t, err)
	s, err := j.Schedule(settings)
	check.Must(t, err)
	path := filepath.Join(t.TempDir(), file)
	check.Must(t, format.Write(path, s))
	return map[string]string{"file": path}
}

// with returns settings with others added.
func with(settings map[string]string, more ...string) map[string]string {
	all := maps.Clone(settings)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// A training step that is written as a Chakra trace, and read back, takes the same time.
func TestStepsReadBackTakeTheSameTime(t *testing.T) {
	for _, machine := range []string{"ndr", "loggp"} {
		for _, settings := range []map[string]string{
			step, with(step, "overlap", "none"), with(step, "overlap", "data", "zero", "3"), with(step, "zero", "2", "recompute", "on", "experts", "1", "expert", "1"), with(step, "domain", "8"),
		} {
			want := timeOf(t, machine, "train", settings)
			if got := timeOf(t, machine, "trace", writtenJob(t, "train", "step.et", settings)); got != want {
				t.Errorf("on %s, %v: read back it takes %v us; expected %v", machine, settings, got, want)
			}
		}
	}
}

// GOAL has no collective operations: they become messages. So the times are compared that LogGOPSim's rules give, and
// those of a step without them on machines.
func TestStepsInGOALTakeTheSameTime(t *testing.T) {
	for _, file := range []string{"step.goal", "step.bin"} {
		rules := map[string]string{"semantics": "loggopsim"}
		want := timeOf(t, "loggp", "train", with(step, "semantics", "loggopsim"))
		read := writtenJob(t, "train", file, step)
		maps.Copy(read, rules)
		if got := timeOf(t, "loggp", "trace", read); got != want {
			t.Errorf("%s by the rules of LogGOPSim: %v us; expected %v", file, got, want)
		}
		pipeline := with(step, "tensor", "1", "context", "1", "data", "1", "experts", "1", "expert", "1")
		want = timeOf(t, "ndr", "train", pipeline)
		if got := timeOf(t, "ndr", "trace", writtenJob(t, "train", file, pipeline)); got != want {
			t.Errorf("%s of a pipeline: %v us; expected %v", file, got, want)
		}
	}
}

// On a cut of the worked example with 64 accelerators, flows and packets give nearly the same time.
func TestFlowsAndPacketsOfAStep(t *testing.T) {
	cut := map[string]string{"layers": "8", "hidden": "2048", "ffn": "4096", "tensor": "8", "pipeline": "4", "data": "2", "batch": "8", "sequence": "512", "domain": "8", "flops": "4e15"}
	times := map[string]float64{}
	for _, engine := range []string{"packet", "flow"} {
		result, err := musubi.RunWorkload(context.Background(), musubi.Scenario{Workload: "train", Machine: "ndr", Engine: engine, Set: cut})
		check.Must(t, err)
		for _, row := range result.Rows {
			if row.Metric == "time" {
				times[engine] = row.Value
			}
		}
	}
	if ratio := times["flow"] / times["packet"]; ratio < 0.95 || ratio > 1.05 {
		t.Errorf("flows %v us, packets %v us; expected within 5 %%", times["flow"], times["packet"])
	}
}
