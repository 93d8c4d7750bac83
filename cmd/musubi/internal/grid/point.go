package grid

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/option"
	"musubi/sweep"
)

// Run runs a scenario of a grid: simulations in this process, and live ones by a process of
// their own, as their ranks execute its command line again.
func Run(ctx context.Context, s musubi.Scenario) (sweep.Outcome, error) {
	if s.Machine != musubi.Live {
		return sweep.Run(ctx, s)
	}
	program, err := os.Executable()
	if err != nil {
		return sweep.Outcome{}, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, commandLine(s)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		var compact bytes.Buffer
		err := json.Compact(&compact, stdout.Bytes())
		return sweep.Outcome{Result: compact.Bytes()}, err
	case errors.As(err, &exit) && exit.ExitCode() == cli.StatusUsage:
		return sweep.Outcome{Refused: strings.TrimPrefix(strings.TrimSpace(stderr.String()), "musubi: ")}, nil
	}
	return sweep.Outcome{}, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
}

// commandLine returns the arguments that run a scenario.
func commandLine(s musubi.Scenario) []string {
	args := []string{"run", s.Workload, "--json"}
	for _, o := range option.Of(&s) {
		if text := o.String(); text != "" && o.Name != "workload" {
			args = append(args, "--"+o.Name+"="+text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Set)) {
		args = append(args, "--set="+name+"="+s.Set[name])
	}
	return args
}
