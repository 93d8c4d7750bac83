package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/cli"
	"musubi/internal/check"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	update  = flag.Bool("update", false, "write the golden parts of the scripts anew")
	long    = flag.Bool("long", false, "start ranks on hosts by ssh, and take seconds for a command")
	nightly = flag.Bool("nightly", false, "run the tests that are too long for each change")
)

func TestMain(m *testing.M) {
	refuseToBeMusubi()
	check.CollectLess()
	testscript.Main(m, map[string]func(){"musubi": main})
}

// TestScripts runs testdata/script/*.txtar, which specify the command line. "call musubi" and
// "status N musubi" run a command in this process, see runHere; "exec musubi" starts a process.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

// TestLongScripts runs testdata/long/*.txtar, which take seconds.
func TestLongScripts(t *testing.T) {
	if !*long {
		t.Skip("with -long")
	}
	runScripts(t, "testdata/long")
}

func runScripts(t *testing.T, dir string) {
	t.Helper()
	dir, err := filepath.Abs(dir) // as runHere changes the working directory
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               endAtOnce,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"call":      checkCall,
			"status":    checkStatus,
			"oneline":   checkOneLine,
			"hidetimes": hideTimes,
			"json":      checkJSON,
			"keys":      checkKeys,
		},
	})
}

// skipSimulations skips a test that has nothing but simulations for the race detector.
func skipSimulations(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("simulations take minutes with the race detector; run this test without it")
	}
}

// condition is for [slow], which holds where simulations take minutes, see raceDetector, and for
// [nightly].
func condition(name string) (bool, error) {
	switch name {
	case "slow":
		return raceDetector, nil
	case "nightly":
		return *nightly, nil
	}
	return false, fmt.Errorf("unknown condition %q; expected slow or nightly", name)
}

// endAtOnce lets processes that are built with the race detector end without a second of
// waiting, and at the first race that it finds.
func endAtOnce(e *testscript.Env) error {
	e.Setenv("GORACE", "atexit_sleep_ms=0 halt_on_error=1")
	return nil
}

func TestInterruptedCommandsSaySo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	got := execute(ctx, []string{"route", "--topology", "torus:4x4"}, &stdout, &stderr)
	if got != cli.StatusInterrupted || stderr.String() != "musubi: interrupted\n" {
		t.Errorf("got status %d and %q; want %d and a line that says so", got, stderr.String(), cli.StatusInterrupted)
	}
}

// Only the command that is asked for is built, by the name under which it is found.
func TestCommandsHaveTheirNames(t *testing.T) {
	for _, c := range commands() {
		for _, args := range [][]string{{c.name}, nil} {
			if cmd, _, err := rootCommand(args).Find([]string{c.name}); err != nil || cmd.Name() != c.name {
				t.Errorf("%q is not found with arguments %q: %v, %v", c.name, args, cmd.Name(), err)
			}
		}
		const others = 2 // completion and help
		if got := len(rootCommand([]string{c.name}).Commands()); got != 1+others {
			t.Errorf("%d commands are built for %q; expected 1, and %d", got, c.name, others)
		}
	}
}

// status N musubi ARGS... and status N exec PROGRAM ARGS... run a command that must end with exit
// status N.
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	switch command, rest := args[1], args[2:]; {
	case command == "musubi":
		got = runHere(ts, rest)
	case command == "exec" && len(rest) > 0:
		var exit *exec.ExitError
		if err := ts.Exec(rest[0], rest[1:]...); errors.As(err, &exit) {
			got = exit.ExitCode()
		} else {
			ts.Check(err)
		}
	default:
		ts.Fatalf("status N %s; expected musubi, or exec and a program", command)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// oneline checks that the last command wrote nothing to standard output and one
// line to standard error.
func checkOneLine(ts *testscript.TestScript, neg bool, args []string) {
	stdout, stderr := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "musubi: ") {
		ts.Fatalf("stdout %q, stderr %q; want one line of stderr that begins with musubi:", stdout, stderr)
	}
}

var (
	secondsInTable = regexp.MustCompile(`(?m) +\d+\.\d{4}$`)
	secondsInJSON  = regexp.MustCompile(`seconds": [0-9.e-]+`)
)

// hidetimes FILE copies the last standard output to a file without the times
// that were measured.
func hideTimes(ts *testscript.TestScript, neg bool, args []string) {
	text := secondsInTable.ReplaceAllString(ts.ReadFile("stdout"), "  TIME")
	text = secondsInJSON.ReplaceAllString(text, `seconds": TIME`)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// json FILE PATH VALUE checks a value of a JSON file, such as
// "json stdout 0.hops.max 4".
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	var v any
	ts.Check(decodeJSON(ts.ReadFile(args[0]), &v))
	for key := range strings.SplitSeq(args[1], ".") {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[key]
			if !ok {
				ts.Fatalf("%s: no %q", args[1], key)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(at) {
				ts.Fatalf("%s: no element %q of %d", args[1], key, len(at))
			}
			v = at[i]
		default:
			ts.Fatalf("%s: %q of what is neither object nor array", args[1], key)
		}
	}
	got, err := json.Marshal(v)
	ts.Check(err)
	if text := strings.Trim(string(got), `"`); (text == args[2]) == neg {
		ts.Fatalf("%s is %s", args[1], text)
	}
}

// decodeJSON reads one JSON value that nothing may follow. Numbers stay as they
// are written.
func decodeJSON(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("more follows the JSON value")
	}
	return nil
}

// keys FILE KEY... checks the keys of a JSON object, or of all objects of an
// array, and their order.
func checkKeys(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	var objects []json.RawMessage
	if decodeJSON(text, &objects) != nil {
		objects = []json.RawMessage{json.RawMessage(text)}
	}
	want := strings.Join(args[1:], " ")
	for i, o := range objects {
		keys, err := keysOf(o)
		ts.Check(err)
		if got := strings.Join(keys, " "); got != want {
			ts.Fatalf("object %d has the keys %s; want %s", i, got, want)
		}
	}
}

func keysOf(object json.RawMessage) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		keys = append(keys, fmt.Sprint(key))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
