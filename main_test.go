package musubi

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"musubi/rma"
	"musubi/units"

	gocmp "github.com/google/go-cmp/cmp"
)

// computeForEver ends only if the run is stopped from outside.
func computeForEver(p rma.Process) error {
	for {
		p.Compute(units.Microsecond)
	}
}

// What the command line of a program says, and the exit status.
func TestMainOfAProgram(t *testing.T) {
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	var ran atomic.Int64
	count := func(p rma.Process) error {
		ran.Add(1)
		return nil
	}
	for _, c := range []struct {
		args    string
		ctx     context.Context
		program func(rma.Process) error
		status  int
		ranks   int64
		stderr  string
	}{
		{"-on loggp -n 5", nil, count, 0, 5, ""},
		{"--on rhinet2 --topology mesh:2x2 --hosts 2", nil, count, 0, 8, ""},
		{"-on rhinet2 -n 4 -place 0,4,8,12 -routing updown -set switch.latency=200ns", nil, count, 0, 4, ""},
		{"-on loggp -n 2", nil, func(rma.Process) error { return errors.New("no luck") }, 1, 0, "program: rank 0: no luck\n"},
		{"-on loggp -n 3", nil, func(rma.Process) error { return errors.Join(errors.New("no luck"), errors.New("no sense")) }, 1, 0, "program: rank 0: no luck; no sense\n"},
		{"-on loggp -n 4", nil, func(rma.Process) error { panic("no way") }, 1, 0, "program: rank 0: panic: no way\n\ngoroutine "},
		{"-on rhinet3", nil, count, 2, 0, `unknown machine "rhinet3"`},
		{"-on loggp -n -3", nil, count, 2, 0, "-3 ranks; expected 1"},
		{"-on loggp -set L=1us", nil, count, 2, 0, "expected name=value of a parameter of the machine"},
		{"-on loggp -set loggp.L=soon", nil, count, 2, 0, "loggp.L"},
		{"-on live -topology ring:4", nil, count, 2, 0, "topology ring:4 is given, but live means"},
		{"-on rhinet2 -topology ring:4 -routing minimal", nil, count, 1, 0, "can deadlock"},
		{"-on rhinet2 -topology ring:4 -routing minimal -unsafe", nil, count, 0, 16, ""},
		{"-on loggp -timeout 5s", nil, count, 2, 0, "timeout 5s is given, but machine loggp is simulated"},
		{"-on live -timeout soon", nil, count, 2, 0, "expected a time such as 5s, or 0 for ever"},
		{"-often", nil, count, 2, 0, "flag provided but not defined"},
		{"-on loggp -n 1", interrupted, computeForEver, 3, 0, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			ran.Store(0)
			var stderr strings.Builder
			flags := flag.NewFlagSet("program", flag.ContinueOnError)
			flags.SetOutput(&stderr)
			ctx := c.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			if got := runMain(ctx, flags, strings.Fields(c.args), c.program, io.Discard, &stderr); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
			if ran.Load() != c.ranks {
				t.Errorf("%d ranks ran, want %d", ran.Load(), c.ranks)
			}
			if !strings.Contains(stderr.String(), c.stderr) || c.stderr == "" && stderr.Len() > 0 {
				t.Errorf("standard error %q, want %q", stderr.String(), c.stderr)
			}
		})
	}
}

// What a program tells of its run with the flags that all commands have.
func TestMainTellsTheResult(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record.json")
	run := func(args string) (stdout, stderr string) {
		t.Helper()
		var out, err strings.Builder
		flags := flag.NewFlagSet("program", flag.ContinueOnError)
		if got := runMain(t.Context(), flags, strings.Fields(args), pushAround, &out, &err); got != 0 {
			t.Fatalf("%s: exit status %d, %s", args, got, err.String())
		}
		return out.String(), err.String()
	}
	if stdout, stderr := run("-on ndr -n 2"); stdout+stderr != "" {
		t.Errorf("got %q and %q without a flag that asks for output", stdout, stderr)
	}
	stdout, _ := run("-on ndr -n 2 -vcs 3 -routing dl -json")
	var got struct {
		Workload   any
		Machine    string
		Ranks      int
		Routing    string
		Rows       []struct{ Metric string }
		Simulation struct {
			TimeUS float64 `json:"time_us"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Workload != nil || got.Machine != "ndr" || got.Ranks != 2 || got.Routing != "dl" || len(got.Rows) == 0 || got.Simulation.TimeUS <= 0 {
		t.Errorf("got %+v", got)
	}
	if stdout, _ := run("-on dimmnet2 -n 2 -json -breakdown"); !strings.Contains(stdout, `"metric": "stage"`) {
		t.Errorf("no stages in %s", stdout)
	}
	if _, stderr := run("-on ndr -n 2 -record " + record); stderr != "program: wrote "+record+"\n" {
		t.Errorf("standard error %q", stderr)
	}
	if _, stderr := run("-on ndr -n 2 -quiet -record " + record); stderr != "" {
		t.Errorf("standard error %q with -quiet", stderr)
	}
	if text, err := os.ReadFile(record); err != nil || !strings.Contains(string(text), `"processes"`) {
		t.Errorf("the record holds %q (%v)", text, err)
	}
}

// pushAround makes each rank write to the next one.
func pushAround(p rma.Process) error {
	memory := make([]byte, 8)
	segment := p.Expose(memory)
	if _, err := p.Push(rma.Address{Rank: (p.Rank() + 1) % p.Size(), Segment: segment}, []byte{0, 1, 2, 3, 4, 5, 6, 7}, rma.DMA); err != nil {
		return err
	}
	return p.WaitUntil(func() bool { return memory[7] == 7 })
}

// A program starts from the same scenario as the commands.
func TestMainStartsFromTheUsualScenario(t *testing.T) {
	flags := flag.NewFlagSet("program", flag.ContinueOnError)
	if status := runMain(t.Context(), flags, strings.Fields("--on loggp -n 2"), pushAround, io.Discard, io.Discard); status != 0 {
		t.Fatalf("status %d", status)
	}
	usual := Usual()
	for _, o := range usual.Options() {
		if f := flags.Lookup(o.Name); f != nil && o.Name != "on" && f.DefValue != o.String() {
			t.Errorf("%s starts as %q; want %q", o.Name, f.DefValue, o)
		}
	}
}

// Every option that has a help is a flag of a program, with its letter if it has one; those
// that the program has defined itself stay its own.
func TestMainHasTheFlagsOfAScenario(t *testing.T) {
	flags := flag.NewFlagSet("program", flag.ContinueOnError)
	root := flags.String("root", "/", "of the file system")
	var s Scenario
	define(flags, s.Options())
	for _, o := range s.Options() {
		if (flags.Lookup(o.Name) != nil) != (o.Help != "" || o.Name == "rings") {
			t.Errorf("option %s, help %q: flag is %v", o.Name, o.Help, flags.Lookup(o.Name))
		}
	}
	if err := flags.Parse(strings.Fields("-root /home -n 3 --unsafe -vcs=2 -set a.b=c -timeout 0")); err != nil {
		t.Fatal(err)
	}
	want := Scenario{Ranks: 3, Unsafe: true, VCs: 2, Set: set("a.b=c"), Timeout: -1}
	if diff := gocmp.Diff(want, s); diff != "" || *root != "/home" {
		t.Errorf("root %s, -want +got:\n%s", *root, diff)
	}
}
