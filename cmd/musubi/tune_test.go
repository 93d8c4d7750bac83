package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/cli"
	"musubi/internal/check"
	"musubi/tuning"
)

// An interrupt of tune keeps what has been measured, and leaves a table that there was as it is.
func TestInterruptedTuneKeepsWhatItHas(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "loggp.tuning")
	check.Must(t, os.WriteFile(whole, []byte("as it was"), 0o644))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout bytes.Buffer
	stderr := &interrupting{at: "measured 2 ranks", interrupt: interrupt}
	args := "tune --on loggp -n 2,3,4 --operation broadcast,scan --bytes 8 -i 1 -x 0 --output "
	status := execute(ctx, append(strings.Fields(args), whole), &stdout, stderr)
	if status != cli.StatusInterrupted || !strings.Contains(stdout.String(), "in 2 of 2 cases") {
		t.Errorf("status %d, and it says %q; expected %d, and what was measured", status, stdout.String(), cli.StatusInterrupted)
	}
	if want := "wrote " + whole + ".partial, without --ranks 3,4; measure that to another file"; !strings.Contains(stderr.String(), want) {
		t.Errorf("it says %q; expected %q", stderr.String(), want)
	}
	table, err := tuning.Open(whole + ".partial")
	check.Must(t, err)
	if got := table.Fastest("scan", 2, 8); len(got) != 2 {
		t.Errorf("the table has algorithms %v of scan by 2 ranks; expected two", got)
	}
	if text, err := os.ReadFile(whole); err != nil || string(text) != "as it was" {
		t.Errorf("the whole table became %q (%v)", text, err)
	}
}
