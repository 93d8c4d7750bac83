package musubi_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/mpi"
	"musubi/rma"
	"musubi/trace/tracetest"
	"musubi/units"
	"musubi/workload"
)

// traced runs a program with a timeline of it, or without one the workload of the scenario.
func traced(t *testing.T, s musubi.Scenario, program func(rma.Process) error) (*musubi.Result, []byte) {
	t.Helper()
	s.Seed, s.TraceFile = 1, filepath.Join(t.TempDir(), "trace")
	system, err := musubi.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	run := system.RunWorkload
	if program != nil {
		run = func(ctx context.Context) (*musubi.Result, error) { return system.Run(ctx, program) }
	}
	result, err := run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.TraceFile)
	if err != nil {
		t.Fatal(err)
	}
	return result, data
}

// exchange is a program that computes, and sends short and long messages and reductions.
func exchange(p rma.Process) error {
	c, err := mpi.New(p)
	if err != nil {
		return err
	}
	right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	for _, n := range []int{1, 5000} {
		p.Compute(units.Time(c.Rank()+1) * units.Microsecond)
		send, err := mpi.ISend(c, right, 0, make([]float64, n))
		if err != nil {
			return err
		}
		if _, err := mpi.Receive(c, left, 0, make([]float64, n)); err != nil {
			return err
		}
		if _, err := send.Wait(); err != nil {
			return err
		}
	}
	return mpi.AllReduce(c, make([]int64, 3), make([]int64, 3), mpi.Sum[int64]())
}

// programs are the tracks of ranks.
func programs(line *tracetest.Timeline) []*tracetest.Track {
	var all []*tracetest.Track
	for _, k := range line.Tracks {
		if k.Name == "program" {
			all = append(all, k)
		}
	}
	return all
}

func TestTimelinesAddUp(t *testing.T) {
	for _, s := range []musubi.Scenario{
		{Machine: "ndr", Ranks: 8},
		{Machine: "ndr", Ranks: 16, Topology: "mesh:2x2", Hosts: 2, Place: "block:2"},
		{Machine: "tofu2", Ranks: 12},
		{Machine: "rhinet2", Ranks: 8},
		{Machine: "ssscore", Ranks: 4},
		{Machine: "loggp", Ranks: 4},
		{Machine: "rhinet2", Ranks: 8, Engine: "flit"},
	} {
		t.Run(s.Machine+s.Engine, func(t *testing.T) {
			result, data := traced(t, s, exchange)
			line := tracetest.Read(t, data)
			ranksAddUp(t, line, result)
			flowsAddUp(t, line)
			linksAddUp(t, line, result)
		})
	}
}

// ranksAddUp checks that the calls of each rank fill the time of its program.
func ranksAddUp(t *testing.T, line *tracetest.Timeline, result *musubi.Result) {
	t.Helper()
	latest := int64(0)
	for _, k := range programs(line) {
		var whole, calls int64
		for _, s := range k.Slices {
			switch s.Depth {
			case 0:
				whole += s.End - s.Begin
				latest = max(latest, s.End)
			case 1:
				calls += s.End - s.Begin
			}
		}
		if whole != calls {
			t.Errorf("%s: calls take %d ns of %d ns", k.Process, calls, whole)
		}
	}
	if end := int64(result.Simulation.Time / 1000); len(programs(line)) > 0 && (latest > end || latest == 0) {
		t.Errorf("ranks end at %d ns, the run at %d ns", latest, end)
	}
}

// The calls of a program have the names that package mpi gives them, in their order; what they are made of is inside.
func TestTimelinesNameCalls(t *testing.T) {
	_, data := traced(t, musubi.Scenario{Machine: "ndr", Ranks: 4}, exchange)
	message := "compute ISend Receive Wait "
	for _, k := range programs(tracetest.Read(t, data)) {
		var got string
		for _, s := range k.Slices {
			if s.Depth == 1 {
				got += s.Name + " "
			}
		}
		if want := message + message + "AllReduce "; got != want {
			t.Errorf("%s calls %s; its program calls %s", k.Process, got, want)
		}
	}
}

// A timeline does not change the times of a run.
func TestTimelinesTakeNoTime(t *testing.T) {
	for _, machine := range []string{"ndr", "rhinet2", "loggp", "dimmnet2-match"} {
		s := musubi.Scenario{Machine: machine, Ranks: 4, Seed: 1}
		with, _ := traced(t, s, exchange)
		without, err := musubi.Run(context.Background(), s, exchange)
		check.Must(t, err)
		if with.Simulation.Time != without.Simulation.Time {
			t.Errorf("%s: %v with a timeline, %v without", machine, with.Simulation.Time, without.Simulation.Time)
		}
	}
}

// flowsAddUp checks that each message that has been sent arrives once, later, where it was sent to.
func flowsAddUp(t *testing.T, line *tracetest.Timeline) {
	t.Helper()
	sent := map[uint64]*tracetest.Slice{}
	from := map[uint64]string{}
	for _, k := range programs(line) {
		for _, s := range k.Slices {
			if s.Flow != 0 {
				if sent[s.Flow] != nil {
					t.Fatalf("message %d is sent twice", s.Flow)
				}
				sent[s.Flow], from[s.Flow] = s, k.Process
			}
		}
	}
	for _, k := range programs(line) {
		for _, a := range k.Instants {
			switch s := sent[a.Flow]; {
			case s == nil:
				t.Fatalf("message %d arrives, but was not sent, or twice", a.Flow)
			case a.Name == "refused":
				if k.Process != from[a.Flow] {
					t.Errorf("message %d of %s is refused at %s", a.Flow, from[a.Flow], k.Process)
				}
			case a.Begin < s.Begin || a.Args["bytes"] != s.Args["bytes"]:
				t.Errorf("message %d of %d bytes is sent at %d ns and arrives with %d bytes at %d ns", a.Flow, s.Args["bytes"], s.Begin, a.Args["bytes"], a.Begin)
			case s.Name != "Pull" && !strings.HasPrefix(k.Process+" ", fmt.Sprintf("rank %d ", s.Args["to"])):
				t.Errorf("message %d is sent to rank %d and arrives at %s", a.Flow, s.Args["to"], k.Process)
			}
			delete(sent, a.Flow)
		}
	}
	for flow, s := range sent {
		t.Errorf("message %d, %s of %s at %d ns, does not arrive", flow, s.Name, from[flow], s.Begin)
	}
}

// linksAddUp checks the loads of links against the rows of the result.
func linksAddUp(t *testing.T, line *tracetest.Timeline, result *musubi.Result) {
	t.Helper()
	seen := 0
	for _, k := range line.Tracks {
		if k.Process != "links" {
			continue
		}
		seen++
		for _, v := range k.Values {
			if v.Value < 0 || v.Value > 100.0001 {
				t.Errorf("%s carries %v %% at %d ns", k.Name, v.Value, v.At)
			}
		}
		if len(k.Values) == 0 || k.Values[len(k.Values)-1].Value != 0 {
			t.Errorf("%s does not come to rest", k.Name)
		}
	}
	for _, l := range result.Links {
		if len(l.Labels) > 0 {
			return // of a part of the run only
		}
		k := line.Find("links", l.String())
		if k == nil {
			t.Errorf("no load of %v", l)
			continue
		}
		tolerance := 1e-6
		if result.Engine != nil && result.Engine.Name == "flit" {
			tolerance = 1e-4 // a cycle of some 10 ns is no whole number of picoseconds, and each flit is told as one
		}
		if want := l.Utilisation * result.Simulation.Time.Nanoseconds(); math.Abs(k.Busy()-want) > tolerance*want {
			t.Errorf("%v: busy for %v ns; its row says %v ns", l, k.Busy(), want)
		}
	}
	if len(result.Links) == 0 != (seen == 0) {
		t.Errorf("%d links with loads; the result has %d", seen, len(result.Links))
	}
}

// TestTimelineHasTheLatency finds the latency of a ping-pong in its timeline: from one call that sends
// to the next, at the other rank.
func TestTimelineHasTheLatency(t *testing.T) {
	result, data := traced(t, musubi.Scenario{Workload: "pingpong", Machine: "ndr", Set: map[string]string{"bytes": "8", "iterations": "5", "warmup": "1"}}, nil)
	line := tracetest.Read(t, data)
	var want workload.Row
	for _, row := range result.Rows {
		if row.Metric == "latency" {
			want = row
			break
		}
	}
	var at []int64
	for _, s := range line.Find(programs(line)[0].Process, "program").Slices {
		if s.Flow != 0 {
			at = append(at, s.Begin)
		}
	}
	var last int64
	for i := range at[1:] {
		last = at[i+1] - at[i]
		if math.Abs(float64(last)/2000-want.Value) < 0.001 {
			return
		}
	}
	t.Errorf("latency %v us; round trips of the timeline begin at %v ns", want.Value, at)
}

func TestTimelinesAreDeterministic(t *testing.T) {
	s := musubi.Scenario{Machine: "ndr", Ranks: 4}
	_, first := traced(t, s, exchange)
	_, second := traced(t, s, exchange)
	if !bytes.Equal(first, second) {
		t.Error("two timelines of one scenario differ")
	}
}
