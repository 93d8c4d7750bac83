package musubi

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// What does not fit into free memory is refused in one line, which says what would fit; and that
// does.
func TestWhatDoesNotFitIsRefused(t *testing.T) {
	defer func(free func() int64) { freeMemory = free }(freeMemory)
	freeMemory = func() int64 { return 1 << 30 }
	large := Scenario{Workload: "collective", Machine: "ndr", Topology: "fattree:k=16", Payload: "real",
		Set: set("operation=allreduce", "bytes=64MiB", "iterations=1", "warmup=0")}
	refused := func(s Scenario) string {
		t.Helper()
		_, err := RunWorkload(context.Background(), s)
		var input *InputError
		if !errors.As(err, &input) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("error %v; want an InputError of one line", err)
		}
		return err.Error()
	}
	const want = "1024 ranks of collective take about 137.6 GB of memory, and 1.1 GB are free; expected payload none, or at most 7 ranks, or at most 1/144 of the bytes"
	if got := refused(large); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, change := range []func(s *Scenario){
		func(s *Scenario) { s.Payload = "none" },
		func(s *Scenario) { s.Ranks = 7 },
		func(s *Scenario) { s.Set["bytes"] = "455KiB" },
	} {
		s := large
		s.Set = set("operation=allreduce", "bytes=64MiB", "iterations=1", "warmup=0")
		change(&s)
		if system, err := Build(s); err != nil {
			t.Error(err)
		} else if plan, err := system.prepare(); err != nil {
			t.Error(err)
		} else if err := system.fits(plan, s.Payload == "none"); err != nil {
			t.Errorf("what was said to fit does not: %v", err)
		}
	}
	more := large
	more.Ranks = 8
	if got := refused(more); !strings.Contains(got, "at most 7 ranks") {
		t.Errorf("8 ranks: %s", got)
	}
	freeMemory = func() int64 { return 300 << 20 }
	all := Scenario{Workload: "collective", Machine: "ndr", Topology: "fattree:k=16", Payload: "none", Set: set("operation=alltoall", "bytes=8")}
	if got := refused(all); !strings.Contains(got, "; expected at most ") || strings.Contains(got, "payload") {
		t.Errorf("%s", got)
	}
}
