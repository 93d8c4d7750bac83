package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestAllRanksSayHello(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	time, found := strings.CutPrefix(out.String(), "Hello from ranks [0 1 2 3 4 5 6 7], after ")
	var us float64
	if _, err := fmt.Sscanf(time, "%f us\n", &us); !found || err != nil {
		t.Fatalf("printed %q", out.String())
	}
	// Eight messages, each over a link and a switch at least, of a microsecond or more.
	if us < 8 || us > 100 {
		t.Errorf("%v us for eight messages", us)
	}
}
