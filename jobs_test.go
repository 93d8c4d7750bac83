package musubi

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/sim/machine"
)

// jobsFile writes a file of jobs.
func jobsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runJobsOf runs a scenario with jobs.
func runJobsOf(t *testing.T, s Scenario, text string) (*Result, error) {
	t.Helper()
	s.Jobs, s.Seed = jobsFile(t, text), 1
	system, err := Build(s)
	if err != nil {
		return nil, err
	}
	return system.RunWorkload(context.Background())
}

// ofJob returns the value of a metric of a job, 0 if there is none.
func ofJob(r *Result, job, metric string) float64 {
	for _, row := range r.Rows {
		if row.Metric == metric && row.Label("job") == job {
			return row.Value
		}
	}
	return 0
}

// TestOneJobIsAsWithoutOthers checks that a job which shares the network with nobody takes the time that
// its workload takes by itself, on all machines and engines.
func TestOneJobIsAsWithoutOthers(t *testing.T) {
	for _, name := range machine.Names() {
		m, err := machine.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if !m.HasNetwork() {
			continue
		}
		engines := []string{""}
		if name == "ndr" {
			engines = []string{"packet", "flow"}
		}
		for _, engine := range engines {
			s := Scenario{Machine: name, Engine: engine, Seed: 1, Topology: "mesh:2x2", Hosts: 2, Routing: "updown"}
			if name == "ssscore" {
				s.Topology, s.Routing, s.Hosts = "", "", 0 // which multicasts
			}
			alone := s
			alone.Workload, alone.Ranks, alone.Place = "collective", 4, "block"
			alone.Set = map[string]string{"operation": "allreduce", "bytes": "8192", "iterations": "2", "warmup": "0"}
			system, err := Build(alone)
			if err != nil {
				t.Fatal(name, err)
			}
			want, err := system.RunWorkload(context.Background())
			if err != nil {
				t.Fatal(name, err)
			}
			got, err := runJobsOf(t, s, `
				[[job]]
				name = "one"
				workload = "collective"
				ranks = 4
				set = { operation = "allreduce", bytes = 8192, iterations = 2, warmup = 0 }`)
			if err != nil {
				t.Fatal(name, err)
			}
			time, _ := valueOf(want, "allreduce")
			if mine := ofJob(got, "one", "allreduce"); mine != time || ofJob(got, "one", "slowdown") != 1 || got.Simulation.Events != want.Simulation.Events {
				t.Errorf("%s %s: %v us in %d events as a job, %v in %d alone", name, engine, mine, got.Simulation.Events, time, want.Simulation.Events)
			}
		}
	}
}

// stream is a job that sends from its first to its second host.
func stream(name, place string, iterations int, more string) string {
	return fmt.Sprintf(`
		[[job]]
		name = %q
		workload = "collective"
		ranks = 2
		place = %q
		%s
		set = { operation = "broadcast", bytes = "1MiB", iterations = %d, warmup = 0 }
		`, name, place, more, iterations)
}

// TestJobsThatShareALinkSlowEachOther sends two streams over the only link between two switches, or over
// none that both use.
func TestJobsThatShareALinkSlowEachOther(t *testing.T) {
	for _, engine := range []string{"packet", "flow"} {
		s := Scenario{Machine: "ndr", Topology: "mesh:2x1", Hosts: 3, Engine: engine}
		apart, err := runJobsOf(t, s, stream("a", "0,1", 4, "")+stream("b", "3,4", 4, ""))
		if err != nil {
			t.Fatal(err)
		}
		shared, err := runJobsOf(t, s, stream("a", "0,3", 4, "")+stream("b", "1,4", 4, ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range []string{"a", "b"} {
			if got := ofJob(apart, job, "slowdown"); got != 1 {
				t.Errorf("%s: job %s is slowed down %v times by one that it does not meet", engine, job, got)
			}
			if got := ofJob(shared, job, "slowdown"); got < 1.5 || got > 2 {
				t.Errorf("%s: job %s is slowed down %v times by one on the same link; want nearly 2", engine, job, got)
			}
		}
	}
}

// TestJobsAreRecorded checks that the record of a job, which has its name, takes the time that the job takes alone.
func TestJobsAreRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mix.goal")
	s := Scenario{Machine: "ndr", Topology: "fattree:k=4", RecordFile: file}
	r, err := runJobsOf(t, s, halo("a", "0,1", `start = "7us"`)+halo("b", "3,4", "background = true"))
	if err != nil {
		t.Fatal(err)
	}
	replayed := mustRun(t, Scenario{Machine: "ndr", Topology: "fattree:k=4", Place: "0,1", Workload: "trace", Set: set("file=" + strings.TrimSuffix(file, ".goal") + ".a.goal")})
	if got, want := metric(replayed, "time")[0].Value, ofJob(r, "a", "alone"); math.Abs(got/want-1) > 0.01 {
		t.Errorf("the record takes %v us; the job takes %v", got, want)
	}
	if _, err := os.Stat(strings.TrimSuffix(file, ".goal") + ".b.goal"); err == nil {
		t.Error("a job in the background is recorded")
	}
}

// TestJobsHaveTimelines checks that each job has a timeline of its own, with its hosts and not those of others, and
// that it changes nothing.
func TestJobsHaveTimelines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mix.json")
	jobs := halo("a", "0,1", `start = "7us"`) + halo("b", "3,4", "background = true")
	s := Scenario{Machine: "ndr", Topology: "fattree:k=4"}
	want, err := runJobsOf(t, s, jobs)
	if err != nil {
		t.Fatal(err)
	}
	s.TraceFile = file
	got, err := runJobsOf(t, s, jobs)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := ofJob(got, "a", "job_time"), ofJob(want, "a", "job_time"); a != b {
		t.Errorf("with a timeline job a takes %v us, without %v", a, b)
	}
	for name, hosts := range map[string][2]string{"a": {"h1", "h3"}, "b": {"h3", "h1"}} {
		text, err := os.ReadFile(strings.TrimSuffix(file, ".json") + "." + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(hosts[0])) || bytes.Contains(text, []byte(hosts[1])) {
			t.Errorf("the timeline of job %s has %d bytes; expected one with %s, without %s", name, len(text), hosts[0], hosts[1])
		}
	}
}

// TestFilesOfJobs checks that a run of several jobs says which files it writes.
func TestFilesOfJobs(t *testing.T) {
	s := Scenario{Machine: "ndr", Topology: "fattree:k=4", RecordFile: "r.goal", TraceFile: "mix.json", Seed: 1}
	s.Jobs = jobsFile(t, halo("a", "0,1", "")+halo("b", "3,4", "background = true"))
	system, err := Build(s)
	check.Must(t, err)
	if got, want := system.Files(), []string{"r.a.goal", "mix.a.json", "mix.b.json"}; !slices.Equal(got, want) {
		t.Errorf("files %q; expected %q", got, want)
	}
}

// halo is a job that passes messages by package mpi.
func halo(name, place, more string) string {
	return fmt.Sprintf("[[job]]\nname = %q\nworkload = \"collective\"\nranks = 2\nplace = %q\n%s\nset = { operation = \"allreduce\", bytes = \"64KiB\", iterations = 3, warmup = 0 }\n", name, place, more)
}

// TestBackgroundIsCut checks that a run ends when all jobs have that count, and that start times hold.
func TestBackgroundIsCut(t *testing.T) {
	s := Scenario{Machine: "ndr", Topology: "mesh:2x1", Hosts: 3}
	r, err := runJobsOf(t, s, stream("a", "0,3", 4, `start = "100us"`)+stream("b", "1,4", 100_000, "background = true"))
	if err != nil {
		t.Fatal(err)
	}
	if got := ofJob(r, "a", "slowdown"); got < 1.5 {
		t.Errorf("slowed down %v times by background traffic; want nearly 2", got)
	}
	start, end, took := ofJob(r, "a", "job_start"), ofJob(r, "a", "job_end"), ofJob(r, "a", "job_time")
	if start != 100 || end != start+took || ofJob(r, "b", "job_end") != 0 || r.Simulation.Time.Microseconds() != end {
		t.Errorf("job a from %v to %v us, %v us long; the run ends at %v, job b at %v", start, end, took, r.Simulation.Time, ofJob(r, "b", "job_end"))
	}
}

// TestJobsRunWhileLinksFail joins jobs and failures.
func TestJobsRunWhileLinksFail(t *testing.T) {
	s := Scenario{Machine: "ndr", Topology: "torus:3x3", Fail: "s0[1]@20us..60us", Set: map[string]string{"network.detection": "5us", "network.timeout": "5us"}}
	r, err := runJobsOf(t, s, stream("a", "0,1", 4, "")+stream("b", "3,4", 4, ""))
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := valueOf(r, "failures"); n != 1 || ofJob(r, "a", "slowdown") != 1 {
		t.Errorf("%v failures, job a slowed down %v times; want 1, as it meets the failure alone as well", n, ofJob(r, "a", "slowdown"))
	}
}

// TestFaultyJobsAreRefused lists what is wrong with files of jobs. Each is told in one line that names the file.
func TestFaultyJobsAreRefused(t *testing.T) {
	ndr := Scenario{Machine: "ndr", Topology: "mesh:2x1", Hosts: 3}
	for _, c := range []struct {
		scenario   Scenario
		text, want string
	}{
		{ndr, "", "0 tables [[job]]"},
		{ndr, "[[job]]\nworkload = \"barrier\"\ncolour = 3", "jobs.toml:3: unknown key \"job.colour\""},
		{ndr, "[[job]\n", "jobs.toml:1: "},
		{ndr, "[[job]]\nranks = 2", "job 0: no workload"},
		{ndr, "[[job]]\nworkload = \"nothing\"\nranks = 2", "job 0: unknown workload"},
		{ndr, "[[job]]\nworkload = \"barrier\"\n[[job]]\nworkload = \"barrier\"", "job 1: the jobs before it have all hosts"},
		{ndr, stream("a", "0,1", 1, "") + stream("b", "1,2", 1, ""), "job b: host h1 is one of a job before it"},
		{ndr, stream("a", "0,1", 1, "") + stream("a", "3,2", 1, ""), "job a: another job has that name"},
		{ndr, stream("a", "0,1", 1, "start = \"soon\""), "job a: start \"soon\""},
		{ndr, stream("a", "0,1", 1, "start = \"9000000s\"") + stream("b", "3,4", 1, ""), "job a: start \"9000000s\"; expected a time such as 20us, of at most 1000000s"},
		{ndr, "[[job]]\nstart = 5", "jobs.toml:2: start has a value of the wrong kind; expected a text such as \"20us\""},
		{ndr, "[[job]]\nset = 5", "jobs.toml:2: set has a value of the wrong kind; expected a table"},
		{ndr, "job = 5", "jobs.toml:1: job has a value of the wrong kind; expected tables [[job]]"},
		{ndr, stream("a", "0,1", 1, "background = true"), "all jobs are in the background"},
		{ndr, stream("a", "ring", 1, ""), "place ring is for the whole network"},
		{Scenario{Machine: "ndr", Ranks: 4}, stream("a", "0,1", 1, ""), "expected neither ranks nor place"},
		{Scenario{Machine: "loggp"}, stream("a", "0,1", 1, ""), "has no network"},
	} {
		_, err := runJobsOf(t, c.scenario, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(strings.TrimSpace(err.Error()), "\n") {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}

// Each job has a breakdown of its own messages, in the run of all together: one that shares nothing takes what a message takes on
// an idle machine, step by step, and one whose link others use waits longer in the network.
func TestBreakdownOfJobs(t *testing.T) {
	const probe = `set = { mechanism = "push", bytes = 8, iterations = 20, warmup = 0 }`
	s := Scenario{Machine: "dimmnet2", Topology: "ring:4", Hosts: 2, Breakdown: true}
	step := func(r *Result, job, path, name string) (mean float64, times int) {
		for _, row := range r.Rows {
			if row.Metric == "stage" && row.Label("step") == name && row.Label("path") == path && (row.Label("job") == job || job == "") {
				times, _ = row.Label("times").(int)
				return row.Value, times
			}
		}
		t.Fatalf("job %q has no step %q of path %s", job, name, path)
		return 0, 0
	}
	idle, err := runJobsOf(t, s, `[[job]]
name = "a"
workload = "pingpong"
ranks = 2
place = "0,1"
`+probe+`
[[job]]
name = "b"
workload = "pingpong"
ranks = 2
place = "4,5"
`+strings.Replace(probe, "20", "40", 1))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Build(Scenario{Machine: "dimmnet2", Topology: "ring:4", Hosts: 2, Place: "0,1", Workload: "pingpong", Breakdown: true, Set: set("mechanism=push", "bytes=8")})
	if err != nil {
		t.Fatal(err)
	}
	one, err := alone.RunWorkload(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want, _ := step(one, "", "pingpong", "network")
	a, timesA := step(idle, "a", "message", "network")
	b, timesB := step(idle, "b", "message", "network")
	if math.Abs(a-want) > 0.002*want || math.Abs(b-want) > 0.002*want || timesA == 0 || timesB <= timesA {
		t.Errorf("network: %.4f us of %d messages and %.4f of %d; expected %.4f, and more messages of the second job", a, timesA, b, timesB, want)
	}
	busy, err := runJobsOf(t, s, `[[job]]
name = "a"
workload = "pingpong"
ranks = 2
place = "0,2"
`+probe+`
[[job]]
name = "others"
workload = "collective"
ranks = 2
place = "1,3"
background = true
set = { operation = "alltoall", bytes = "4KiB", iterations = 1000, warmup = 0 }
`)
	if err != nil {
		t.Fatal(err)
	}
	quiet, err := runJobsOf(t, s, "[[job]]\nname = \"a\"\nworkload = \"pingpong\"\nranks = 2\nplace = \"0,2\"\n"+probe)
	if err != nil {
		t.Fatal(err)
	}
	with, _ := step(busy, "a", "message", "network")
	without, _ := step(quiet, "a", "message", "network")
	if with <= without {
		t.Errorf("network: %.4f us beside others, %.4f us alone", with, without)
	}
	s.Machine = "ndr"
	_, err = runJobsOf(t, s, "[[job]]\nworkload = \"barrier\"\nranks = 2\n")
	check.Error(t, err, "machine ndr has no named stages")
}
