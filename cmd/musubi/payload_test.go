package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"musubi/sim/machine"
	"musubi/workload/programs"
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
	"nccl":       {"operation=all algorithm=all protocol=all bytes=8,17KiB channels=2"},
}

// oneOfEachModel has a machine for each model of a network interface.
var oneOfEachModel = []string{"ndr", "tofu2", "loggp", "dimmnet2", "ssscore"}

// TestPayloadNoneTakesTheSameTime runs each workload on a machine of each model, with -nightly on all
// machines, without the bytes of its data. All that is printed is the same as with them, or the
// command says that it needs them.
func TestPayloadNoneTakesTheSameTime(t *testing.T) {
	skipSimulations(t)
	machines := oneOfEachModel
	if *nightly {
		machines = machine.Names()
	}
	for _, w := range programs.All() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			ran := 0
			for _, machine := range machines {
				for _, parameters := range casesOf(w.Name) {
					if sameWithoutBytes(t, w.Name, machine, parameters) {
						ran++
					}
				}
			}
			if all := len(withoutBytes[w.Name]); ran < all || all == 0 && ran > 0 {
				t.Errorf("%s has run without bytes %d times; there are %d cases", w.Name, ran, all)
			}
		})
	}
}

// casesOf returns the cases of a workload; the usual one if it has none.
func casesOf(workload string) []string {
	if cases := withoutBytes[workload]; cases != nil {
		return cases
	}
	return []string{""}
}

// sameWithoutBytes reports whether a workload can run without bytes on a machine. Then it gives the same.
func sameWithoutBytes(t *testing.T, workload, machine, parameters string) bool {
	t.Helper()
	command := fmt.Sprintf("run %s --on %s", workload, machine)
	if workload != "pattern" {
		command += " -n 5"
	}
	for _, p := range strings.Fields(parameters) {
		command += " --set " + p
	}
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
