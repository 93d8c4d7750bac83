package musubi

import (
	"context"
	"math"
	"testing"
)

// Where a processor on the card manages the receive rings, its time is a step of its
// own, and the steps still add up to what a ping-pong takes.
func TestStepsAddUpWithFirmware(t *testing.T) {
	scenario := Scenario{
		Workload: "pingpong", Machine: "vpush", Ranks: 2,
		Set: map[string]string{"mechanism": "ipush", "bytes": "8", "iterations": "2000"},
	}
	s, err := Build(scenario)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.breakdown(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	sum, clocks := 0.0, 0
	managed := map[any]float64{}
	for _, r := range rows {
		if r.Label("path") == "pingpong" {
			sum += r.Value
		}
		if n, ok := r.Label("clocks").(int); ok && r.Label("path") == "ipush-receive" {
			clocks += n
		}
		if r.Label("step") == "processor on the card chooses the place" {
			managed[r.Label("path")] = r.Value
		}
	}
	for _, path := range []string{"pingpong", "ipush-receive"} {
		if got := managed[path]; math.Abs(got-6.6) > 1e-9 {
			t.Errorf("%s: the processor on the card takes %v us, want 6.6", path, got)
		}
	}
	if clocks != 20 {
		t.Errorf("the controller takes %d clocks for IPUSH, want the 20 of PUSH", clocks)
	}
	result, err := RunWorkload(context.Background(), scenario)
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Rows[0].Value; math.Abs(got-sum) > 0.01*got {
		t.Errorf("half a round trip takes %.4f us, its steps %.4f", got, sum)
	}
}
