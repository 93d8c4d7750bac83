package cli

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"
)

// Where there is no terminal lines come until the work ends, and none comes behind it.
func TestProgressInALog(t *testing.T) {
	r, w := io.Pipe()
	p := &progress{ended: make(chan struct{})}
	p.Draw("failures", 0.25)
	p.shown.Go(func() { p.showLines(Shared{Stderr: w}, 0, time.Millisecond) })
	lines := bufio.NewScanner(r)
	for _, want := range []string{"musubi: 1ms, failures: 25 %, about 0s left", "musubi: 2ms, failures: 25 %, about 0s left"} {
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("got  %s\nwant %s", lines.Text(), want)
		}
	}
	go func() {
		p.Finish()
		w.Close()
	}()
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), "musubi: ") {
			t.Errorf("%q", lines.Text())
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		what string
		done float64
		want string
	}{
		{"", 0, "20s"},
		{"updown", 0, "20s, updown"},
		{"simulated 3 us", 0.8, "20s, simulated 3 us: 80 %, about 5s left"},
		{"failures", 1, "20s, failures"},
	} {
		if got := progressLine(test.what, test.done, 20*time.Second); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
