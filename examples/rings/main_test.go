package main

import (
	"fmt"
	"strings"
	"testing"
)

// All messages arrive. A private ring tells of each once, a shared one of each packet:
// 2,000 bytes are five of 496 at most.
func TestRingsTellOfMessagesOrOfPackets(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for rank := 1; rank < ranks; rank++ {
		messages, records := seldom, 5*seldom
		if rank == 1 {
			messages, records = often, often
		}
		want := fmt.Sprintf("rank %d: %d messages, told of in %d records", rank, messages, records)
		if lines[rank-1] != want {
			t.Errorf("got %q, want %q", lines[rank-1], want)
		}
	}
}
