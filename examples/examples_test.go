// Package examples has programs and files to begin with; its test runs the programs.
package examples

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var (
	long   = flag.Bool("long", false, "run the programs, which are nine to compile")
	update = flag.Bool("update", false, "record what the programs print")
)

const recorded = "testdata/printed.txtar"

// Each program says in its first comment how to run it, each line one way, and what it prints then is
// recorded: of simulated ranks all of it, as their times are always the same. With -long the programs are run.
func TestProgramsPrintWhatIsRecorded(t *testing.T) {
	printed, err := txtar.ParseFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	commands := commandsOfPrograms(t)
	if got := namesOf(printed); !slices.Equal(got, commands) && !*update {
		t.Fatalf("%s has %q; expected the commands of the programs, %q", recorded, got, commands)
	}
	if !*long && !*update {
		return
	}
	var now txtar.Archive
	for _, command := range commands {
		now.Files = append(now.Files, txtar.File{Name: command, Data: run(t, command)})
	}
	if *update {
		if err := os.WriteFile(recorded, txtar.Format(&now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, file := range now.Files {
		if want := printed.Files[i].Data; !bytes.Equal(file.Data, want) {
			t.Errorf("%s prints\n%swant\n%s", file.Name, file.Data, want)
		}
	}
}

// commandsOfPrograms returns the commands of all first comments.
func commandsOfPrograms(t *testing.T) (all []string) {
	t.Helper()
	programs, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^//\t(go run .*)$`)
	for _, program := range programs {
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		commands := line.FindAllSubmatch(text, -1)
		if commands == nil {
			t.Errorf("%s does not say how to run it", program)
		}
		for _, command := range commands {
			all = append(all, string(command[1]))
		}
	}
	return all
}

func namesOf(archive *txtar.Archive) (names []string) {
	for _, file := range archive.Files {
		names = append(names, file.Name)
	}
	return names
}

// varying is what processes print that differs each time, or on another host: what they measure, and how they
// share work and exchange it.
var varying = regexp.MustCompile(`after [0-9.]+[a-zµ]+|did [0-9]+ pieces|[A-Za-z]+ with [0-9]+ command queues`)

// run runs a command as in the first comment of a program and returns what it prints.
func run(t *testing.T, command string) []byte {
	t.Helper()
	words := strings.Fields(command)
	c := exec.Command(words[0], words[1:]...)
	c.Dir = ".."
	out, err := c.CombinedOutput() // the lines of processes are marked with their ranks, and go to stderr
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	if strings.Contains(command, " live ") {
		out = varying.ReplaceAll(out, []byte("..."))
	}
	return out
}
