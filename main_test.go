package musubi

import (
	"context"
	"errors"
	"flag"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"musubi/rma"
	"musubi/units"
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
