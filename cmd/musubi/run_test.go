package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExampleScenarioRuns(t *testing.T) {
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
	if got != statusInterrupted || stdout.Len() > 0 {
		t.Errorf("got status %d and %q; want %d and nothing on standard output", got, stdout.String(), statusInterrupted)
	}
}

func FuzzScenarioFile(f *testing.F) {
	for _, text := range []string{
		"workload = \"pingpong\"\non = \"rhinet2\"\n[set]\nbytes = 8\nswitch.latency = \"1ns\"\n",
		"set = { a = { b.c = 1 }, d = [1, 2] }\n",
		"[set.switch]\nlatency = \"1ns\"\n", "[[set]]\n", "seed = -1\n", "ranks = 1e9\n", "on = ",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "s.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, lines, err := readScenario(path)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %v", err)
		}
		for key, line := range lines.of {
			if line < 1 || line > 1+strings.Count(text, "\n") {
				t.Errorf("key %s is said to be on line %d", key, line)
			}
		}
	})
}
