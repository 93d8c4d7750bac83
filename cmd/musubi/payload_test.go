package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"musubi/sim/machine"
	"musubi/workload"
)

// withoutBytes are small cases of the workloads that do not look at their data.
var withoutBytes = map[string][]string{
	"collective": {"operation=all algorithm=all bytes=8,17KiB iterations=1 warmup=1"},
	"halo": {
		"stencil=2d5 bytes=0,3000,40KiB protocol=all iterations=2 warmup=1",
		"stencil=1d calls=pairs bytes=8,40KiB iterations=2 warmup=1",
		"stencil=1d calls=messages bytes=8,40KiB iterations=2 warmup=1",
	},
	"unexpected": {"rings=private,shared messages=20 bytes=100,9000"},
	"osu":        {"test=mbw_mr bytes=8,20KiB window=8", "test=iallreduce bytes=8,20KiB"},
	"pattern":    {"loop=closed bytes=8,3000 iterations=4 warmup=1"},
}

// TestPayloadNoneTakesTheSameTime runs each workload on each machine without the bytes of its data.
// All that is printed is the same as with them, or the command says that it needs them.
func TestPayloadNoneTakesTheSameTime(t *testing.T) {
	skipSimulations(t)
	ran := map[string]int{}
	for _, w := range workload.All() {
		cases := withoutBytes[w.Name]
		if cases == nil {
			cases = []string{""}
		}
		for _, machine := range machine.Names() {
			for _, parameters := range cases {
				command := fmt.Sprintf("run %s --on %s", w.Name, machine)
				if w.Name != "pattern" {
					command += " -n 5"
				}
				for _, p := range strings.Fields(parameters) {
					command += " --set " + p
				}
				if sameWithoutBytes(t, command) {
					ran[w.Name]++
				}
			}
		}
		if all := len(withoutBytes[w.Name]); ran[w.Name] < all || all == 0 && ran[w.Name] > 0 {
			t.Errorf("%s has run without bytes %d times; there are %d cases", w.Name, ran[w.Name], all)
		}
	}
}

// sameWithoutBytes reports whether a command line can run without bytes. Then it gives the same.
func sameWithoutBytes(t *testing.T, command string) bool {
	t.Helper()
	text, errors, status := runJSON(t, command+" --payload none")
	switch {
	case status == 2 && strings.Count(errors, "\n") == 1:
		return false // refused, maybe because the machine cannot do the workload at all
	case status != 0:
		t.Fatalf("%s --payload none: exit status %d: %s", command, status, errors)
	case !strings.Contains(text, `"payload": "none"`):
		t.Errorf("%s: the result does not say that data had no bytes", command)
	}
	with, errors, status := runJSON(t, command+" --payload real")
	if status != 0 {
		t.Fatalf("%s: exit status %d: %s", command, status, errors)
	}
	if without := strings.Replace(text, ",\n    \"payload\": \"none\"", "", 1); without != with {
		t.Errorf("%s: without bytes it gives\n%s\nwith bytes\n%s", command, without, with)
	}
	return true
}

// runJSON runs a command line and returns its JSON without measured times.
func runJSON(t *testing.T, command string) (text, errors string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = execute(context.Background(), append(strings.Fields(command), "--json", "--quiet"), &stdout, &stderr)
	return string(secondsInJSON.ReplaceAll(stdout.Bytes(), []byte(`seconds": 0`))), stderr.String(), status
}
