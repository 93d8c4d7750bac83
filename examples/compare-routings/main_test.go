package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestShortPathsHelp(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	hops, bandwidth := map[string]float64{}, map[string]float64{}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines[1:] {
		var name string
		var h, load, mbps float64
		if _, err := fmt.Sscan(line, &name, &h, &load, &mbps); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		hops[name], bandwidth[name] = h, mbps
	}
	if !(hops["dl"] < hops["prefix"] && bandwidth["dl"] > bandwidth["prefix"]) {
		t.Errorf("dl should have shorter paths than prefix, and more bandwidth:\n%s", out.String())
	}
}
