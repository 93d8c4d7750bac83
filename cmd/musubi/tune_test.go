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

// A file that is renewed is measured by all commands at its head, of which later ones count, and tells what has changed.
func TestRenewedTunings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "loggp.tuning")
	head := "# musubi tune --on loggp --ranks 2,3 --bytes 8,64 --operation scan,exscan -i 1 -x 2\n" +
		"# musubi tune --on loggp --ranks 3 --bytes 8 --operation scan -i 3 -x 0 --tuning none\n"
	check.Must(t, os.WriteFile(file, []byte(head+"scan 3 linear 8=1 128=2\n"), 0o644))
	renew := func(want string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if status := execute(t.Context(), []string{"tune", "--quiet", "--renew", file}, &stdout, &stderr); status != 0 {
			t.Fatalf("status %d: %s", status, stderr.String())
		}
		if !strings.HasPrefix(stdout.String(), file+want) {
			t.Errorf("it says %q; expected %q", stdout.String(), file+want)
		}
	}
	renew(": 1 of 1 times have changed, at most by a factor of ")
	first, err := os.ReadFile(file)
	check.Must(t, err)
	if text := string(first); !strings.HasPrefix(text, head) || strings.Contains(text, "128=") || strings.Count(text, " 64=") != strings.Count(text, " 8=") {
		t.Errorf("the file became %s; expected all that its commands measure", text)
	}
	renew(": 0 of 16 times have changed; 0 are new, and 0 are no longer measured")
	last := filepath.Join(t.TempDir(), "last")
	args := strings.Fields("tune --quiet --on loggp --ranks 3 --bytes 8 --operation scan -i 3 -x 0 --tuning none --output " + last)
	if status := execute(t.Context(), args, new(bytes.Buffer), new(bytes.Buffer)); status != 0 {
		t.Fatalf("status %d", status)
	}
	whole, err := tuning.Open(file)
	check.Must(t, err)
	part, err := tuning.Open(last)
	check.Must(t, err)
	for _, p := range part.Points() {
		if time, _ := whole.Time(p.Operation, p.Algorithm, p.Ranks, p.Bytes); time != p.Time {
			t.Errorf("%+v: the file says %g; expected the time of its last command", p, time)
		}
	}
}

// What cannot be renewed is refused before anything is measured, and stays as it is.
func TestTuningsThatAreNotRenewed(t *testing.T) {
	for _, test := range []struct{ text, more, want string }{
		{"scan 3 linear 8=1\n", "", `has no line that begins with "# musubi tune"`},
		{"# musubi tune --on loggp --rank 2\nscan 3 linear 8=1\n", "", "unknown flag: --rank"},
		{"# musubi tune --on loggp --ranks 2,x\nscan 3 linear 8=1\n", "", `--ranks is "2,x"`},
		{"# musubi tune --on loggp --ranks 2\n", "", "has no lines of operation"},
		{"# musubi tune --on live --ranks 2\nprocessors 4096\nscan 2 linear 8=1\n", "", "is of a host with 4096 processors"},
		{"# musubi tune --on loggp --ranks 2\nscan 2 linear 8=1\n", "--bytes 8", "and --bytes; expected none of tune's flags"},
	} {
		file := filepath.Join(t.TempDir(), "a.tuning")
		check.Must(t, os.WriteFile(file, []byte(test.text), 0o644))
		var stderr bytes.Buffer
		status := execute(t.Context(), append(strings.Fields("tune --renew "+file), strings.Fields(test.more)...), new(bytes.Buffer), &stderr)
		if status != cli.StatusUsage || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%q: status %d, and it says %q; expected %d, and %q", test.text, status, stderr.String(), cli.StatusUsage, test.want)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != test.text {
			t.Errorf("%q became %q (%v)", test.text, text, err)
		}
	}
}
