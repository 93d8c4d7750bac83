package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/cli"
)

func TestExampleScenarioRuns(t *testing.T) {
	skipSimulations(t)
	var stdout, stderr bytes.Buffer
	got := execute(context.Background(), []string{"run", "-f", "../../examples/scenario/scenario.toml"}, &stdout, &stderr)
	if got != 0 || !strings.Contains(stdout.String(), "bit-reversal") || stderr.Len() > 0 {
		t.Errorf("status %d\n%s%s", got, stdout.String(), stderr.String())
	}
}

func TestInterruptedRunsSaySo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	got := execute(ctx, []string{"run", "pattern", "--on", "rhinet2", "--json"}, &stdout, &stderr)
	if got != cli.StatusInterrupted || stdout.Len() > 0 {
		t.Errorf("got status %d and %q; want %d and nothing on standard output", got, stdout.String(), cli.StatusInterrupted)
	}
}
