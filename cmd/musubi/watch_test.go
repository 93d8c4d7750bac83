package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/cli"
)

// full is a file on a disk that has no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// A verdict that nobody gets is none.
func TestVerdictThatCannotBeWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	if status := execute(t.Context(), strings.Fields("route --topology ring:4 --routing updown --export general --output tables.csv"), &bytes.Buffer{}, os.Stderr); status != 0 {
		t.Fatal("no tables")
	}
	for _, form := range []string{"", " --json"} {
		var stderr bytes.Buffer
		status := execute(t.Context(), strings.Fields("watch --once --topology ring:4 --tables tables.csv"+form), full{}, &stderr)
		if status != cli.StatusUsage || !strings.Contains(stderr.String(), "no room") {
			t.Errorf("watch%s ends with status %d, %q; expected %d and the error", form, status, stderr.String(), cli.StatusUsage)
		}
	}
}
