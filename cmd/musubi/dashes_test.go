package main

import (
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/cli"
)

func TestSingleDashes(t *testing.T) {
	for given, want := range map[string]string{
		"run pingpong -on ndr -n 4 -set -bytes=8 -json": "run pingpong --on ndr -n 4 --set -bytes=8 --json",
		"run -on=ndr pingpong -unsafe -help":            "run --on=ndr pingpong --unsafe --help",
		"run pingpong --on ndr -f -on":                  "run pingpong --on ndr -f -on",
		"-json run pingpong -n4":                        "--json run pingpong -n4",
		"run pingpong -- -on ndr":                       "run pingpong -- -on ndr",
		"run pingpong -onn ndr":                         "run pingpong -onn ndr",
		"plan rings -from a -":                          "plan rings --from a -",
		"launch -n 2 -transport shm ./a -on live -json": "launch -n 2 --transport shm ./a -on live -json",
		"bench bw -m 8:8 -full -iterations 3":           "bench bw -m 8:8 --full --iterations 3",
		"nothing -on ndr":                               "nothing -on ndr",
		"-on ndr":                                       "-on ndr",
		"":                                              "",
	} {
		if got := strings.Join(cli.DoubleDashes(rootCommand(nil), strings.Fields(given)), " "); got != want {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
}
