package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"musubi/sim/machine"
	"musubi/workload/programs"
)

const fingerprintFile = "testdata/fingerprints"

// TestFingerprints runs the command lines of testdata/fingerprints and compares the hash of
// what each prints with the one that is recorded: what a change of structure must not change. Those
// that take a second run with -long.
// A change that is meant to move results records new ones with -update, and says why.
func TestFingerprints(t *testing.T) {
	skipSimulations(t)
	lines := fingerprintLines(t)
	got := make([]string, len(lines))
	t.Run("commands", func(t *testing.T) {
		for i, line := range lines {
			_, command, _ := strings.Cut(line, " ")
			if isLeftOut(command) {
				continue
			}
			t.Run(command, func(t *testing.T) {
				t.Parallel()
				got[i] = fingerprintOf(t, command) + " " + command
				if got[i] != line && !*update {
					t.Errorf("the result has another fingerprint than %s records:\ngot  %s\nwant %s", fingerprintFile, got[i], line)
				}
			})
		}
	})
	if *update && !t.Failed() {
		if err := os.WriteFile(fingerprintFile, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFingerprintsLeaveNothingOut: a machine, workload or routing that is new needs a line.
func TestFingerprintsLeaveNothingOut(t *testing.T) {
	var words []string
	for _, line := range fingerprintLines(t) {
		words = append(words, strings.Fields(line)...)
	}
	names := machine.Names()
	for _, w := range programs.All() {
		names = append(names, w.Name)
	}
	for _, name := range names {
		if !slices.Contains(words, name) {
			t.Errorf("%s: no line has %s; add a command line that uses it, and run the test with -update", fingerprintFile, name)
		}
	}
	if !slices.Contains(words, "all") { // of route
		t.Errorf("%s: no line has --routing all, which runs every algorithm", fingerprintFile)
	}
}

func fingerprintLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(fingerprintFile)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// fingerprintOf runs a command line and returns the hash of its JSON without measured times.
func fingerprintOf(t *testing.T, command string) string {
	t.Helper()
	text, errors, status := runJSON(t, command)
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, errors)
	}
	return hashOf(text)
}

func hashOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }
