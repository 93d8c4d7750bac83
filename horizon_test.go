package musubi

import (
	"context"
	"errors"
	"strings"
	"testing"

	"musubi/sim/engine"
)

// A run that takes longer than simulated time can hold ends with an error of one line, whoever comes to that: a program, the
// network or an interface.
func TestRunsBeyondSimulatedTime(t *testing.T) {
	for name, s := range map[string]Scenario{
		"program": {Machine: "ndr", Topology: "ring:2", Workload: "stencil", Set: set("grid=2", "cells-per-second=1e-9")},
		"one":     {Machine: "ndr", Topology: "ring:2", Workload: "train", Set: set("tensor=1", "flops=1")},
		"loggp":   {Machine: "loggp", Workload: "halo", Ranks: 2, Set: set("compute=9000000s", "bytes=8")},
		"packets": {Machine: "ndr", Topology: "ring:2", Workload: "pingpong", Set: set("link.rate=1B/s", "bytes=16MiB", "iterations=1", "warmup=0")},
		"flows":   {Machine: "ndr", Topology: "ring:2", Workload: "pingpong", Engine: "flow", Set: set("link.rate=1B/s", "bytes=64MiB", "iterations=1", "warmup=0")},
	} {
		result, err := RunWorkload(context.Background(), s)
		switch {
		case err == nil:
			t.Errorf("%s: it ends, with %v", name, result.Rows)
		case !errors.Is(err, engine.ErrHorizon) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: error %.300v; want engine.ErrHorizon in one line", name, err)
		}
	}
}
