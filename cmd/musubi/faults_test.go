package main

import (
	"strings"
	"testing"
	"time"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/loss"
)

func TestLongSurveysAreAnnounced(t *testing.T) {
	for one, want := range map[time.Duration]string{time.Microsecond: "", time.Hour: "a routing takes 3.6e+03 s here, so 1000 failures take about"} {
		var out strings.Builder
		loss.NoteTime(cli.Shared{Stderr: &out}, one, 1000)
		if got := out.String(); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%v for a routing: %q; want %q", one, got, want)
		}
	}
}
