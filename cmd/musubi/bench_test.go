package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"musubi/sim/machine"
	"musubi/workload/osu"
)

// What scripts look for in the output of the OSU micro-benchmarks: a title, and lines
// of a size and numbers.
var (
	osuTitle  = regexp.MustCompile(`^# (OSU MPI[ _]\S|Incast).* Test\b`)
	osuLine   = regexp.MustCompile(`^8( +\d+\.\d\d)+$`)
	osuSingle = regexp.MustCompile(`^( +\d+\.\d\d)+$`)
)

func TestBenchPrintsEveryTestAsOSUDoes(t *testing.T) {
	skipSimulations(t)
	for _, test := range osu.Names() {
		args, want := []string{"bench", test, "--on", "loggp", "-n", "4"}, osuSingle
		if test != "barrier" && test != "ibarrier" {
			args, want = append(args, "-m", "8:8"), osuLine
		}
		var stdout, stderr bytes.Buffer
		if status := execute(context.Background(), args, &stdout, &stderr); status != 0 {
			t.Errorf("%s: status %d, %s", test, status, stderr.String())
			continue
		}
		lines := strings.Split(strings.TrimRight(stdout.String(), "\n"), "\n")
		if last := lines[len(lines)-1]; !osuTitle.MatchString(lines[0]) || !want.MatchString(last) {
			t.Errorf("%s: title %q and last line %q", test, lines[0], last)
		}
	}
}

// Each machine has half of the tests, its neighbour the others, and with -long the other way round.
func TestBenchRunsOnEveryMachine(t *testing.T) {
	skipSimulations(t)
	for i, name := range machine.Names() {
		for k, test := range []string{"latency", "mbw_mr", "put", "get_acc", "put_bw", "allreduce"} {
			if ((i+k)%3 != 1) != *long {
				continue
			}
			args := []string{"bench", test, "--on", name, "-n", "4", "-m", "8:16KiB", "-i", "2", "-x", "1"}
			var stdout, stderr bytes.Buffer
			if status := execute(context.Background(), args, &stdout, &stderr); status != 0 {
				t.Errorf("%s on %s: status %d, %s", test, name, status, stderr.String())
			}
			if got, want := strings.Count(stdout.String(), "\n"), 12; got < want {
				t.Errorf("%s on %s: %d lines, want a line for each size", test, name, got)
			}
		}
	}
}
