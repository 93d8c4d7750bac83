package musubi

import (
	"context"
	"math"
	"strings"
	"testing"

	"musubi/workload"
)

// stages returns the steps of a breakdown by path.
func stages(t *testing.T, set map[string]string) map[string][]workload.Row {
	t.Helper()
	s, err := Build(Scenario{Workload: "pingpong", Machine: "dimmnet2", Ranks: 2, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.breakdown(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string][]workload.Row{}
	for _, r := range rows {
		path := r.Label("path").(string)
		byPath[path] = append(byPath[path], r)
	}
	return byPath
}

// clocks lists the clocks of a path's steps.
func clocks(rows []workload.Row) (list []int, total int) {
	for _, r := range rows {
		c := r.Label("clocks").(int)
		list = append(list, c)
		total += c
	}
	return list, total
}

// The clock-by-clock tables of the papers on DIMMnet-2, for 8 bytes of data.
func TestClockTables(t *testing.T) {
	got := stages(t, nil)
	for _, c := range []struct {
		path  string
		steps []int
		total int
	}{
		{"botf-send", []int{0, 2, 1, 1, 1, 1, 1, 1, 1}, 9},
		{"receive-window", []int{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3}, 13},
		{"push-receive", []int{0, 1, 1, 1, 1, 2, 1, 1, 1, 1, 6, 4}, 20},
		{"ipush-receive", []int{0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 6, 4}, 24},
	} {
		steps, total := clocks(got[c.path])
		if total != c.total || len(steps) != len(c.steps) {
			t.Errorf("%s: %v, %d clocks in all; want %v, %d", c.path, steps, total, c.steps, c.total)
			continue
		}
		for i := range steps {
			if us := got[c.path][i].Value; steps[i] != c.steps[i] || math.Abs(us-0.01*float64(steps[i])) > 1e-9 {
				t.Errorf("%s, %v: %d clocks, %.4f us; want %d", c.path, got[c.path][i].Label("step"), steps[i], us, c.steps[i])
			}
		}
	}
	if _, total := clocks(stages(t, map[string]string{"bytes": "496"})["botf-send"]); total != 70 {
		t.Errorf("BOTF of 496 bytes takes %d clocks, want 70", total)
	}
}

// sumOf adds up the steps of a path from one on to another.
func sumOf(rows []workload.Row, from, to string) float64 {
	sum, in := 0.0, false
	for _, r := range rows {
		in = in || r.Label("step") == from
		if in {
			sum += r.Value
		}
		if r.Label("step") == to {
			return sum
		}
	}
	return math.NaN()
}

// What the papers give for the parts of a message's way, in microseconds.
func TestPartsOfTheWay(t *testing.T) {
	botf := stages(t, map[string]string{"mechanism": "botf"})["pingpong"]
	push := stages(t, map[string]string{"copy": "cached"})["pingpong"]
	ipush := stages(t, map[string]string{"mechanism": "ipush", "copy": "cached"})["pingpong"]
	for _, c := range []struct {
		name     string
		rows     []workload.Row
		from, to string
		want     float64
	}{
		{"BOTF, sending side", botf, "write window", "SWIF, sending", 0.570},
		{"BOTF, receiving side", botf, "SWIF, receiving", "write status", 0.442},
		{"PUSH, send processing on the card", push, "command to Window Controller", "SWIF, sending", 0.428},
		{"PUSH, receive processing", push, "SWIF, receiving", "receive", 0.472},
		{"PUSH, network", push, "network", "network", 0.385},
		{"PUSH, memory to window", push, "memory to Prefetch Window", "memory to Prefetch Window", 0.240},
		{"IPUSH, receive processing", ipush, "SWIF, receiving", "receive", 0.512},
		{"IPUSH, status", ipush, "write status", "write status", 0.040},
		{"IPUSH, memory to window", ipush, "memory to Prefetch Window", "memory to Prefetch Window", 0.250},
	} {
		if got := sumOf(c.rows, c.from, c.to); !(math.Abs(got-c.want) < 0.0011) { // a refresh now and then
			t.Errorf("%s: %.4f us, want %.3f", c.name, got, c.want)
		}
	}
}

// The steps add up to what a ping-pong takes.
func TestStepsAddUp(t *testing.T) {
	for _, mechanism := range []string{"push", "ipush", "botf"} {
		for _, copying := range []string{"none", "cached", "uncached"} {
			set := map[string]string{"mechanism": mechanism, "copy": copying, "bytes": "8", "iterations": "2000"}
			sum := 0.0
			for _, r := range stages(t, set)["pingpong"] {
				sum += r.Value
			}
			result, err := RunWorkload(context.Background(), Scenario{Workload: "pingpong", Machine: "dimmnet2", Ranks: 2, Set: set})
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Rows[0].Value; math.Abs(got-sum) > 0.01*got {
				t.Errorf("%s with copy=%s: half a round trip takes %.4f us, its steps %.4f", mechanism, copying, got, sum)
			}
		}
	}
}

func TestBreakdownRefuses(t *testing.T) {
	for _, c := range []struct {
		s    Scenario
		want string
	}{
		{Scenario{Machine: "ndr", Ranks: 2}, "machine ndr has no named stages"},
		{Scenario{Machine: "dimmnet2", Ranks: 1}, "1 rank"},
		{Scenario{Machine: "dimmnet2", Set: map[string]string{"bytes": "512"}}, "1B to 496B"},
	} {
		s, err := Build(c.s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.breakdown(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("breakdown of %+v: error %v; want one that says %q", c.s, err, c.want)
		}
	}
}
