package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestOverlapBuysBandwidth(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "overlap.toml"); err != nil {
		t.Fatal(err)
	}
	var one, four float64
	if _, err := fmt.Sscanf(out.String(), "rhinet2: %f MB/s\noverlap: %f MB/s\n", &one, &four); err != nil {
		t.Fatalf("%v in %q", err, out.String())
	}
	if four < 1.2*one {
		t.Errorf("%v MB/s with one transfer in flight, %v with four", one, four)
	}
}
