package ideal

import (
	"math"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
)

// passesMessages are the workloads on package mpi, which does not wait for the last messages that it
// sends.
var passesMessages = map[string]bool{"collective": true, "osu": true, "unexpected": true, "atomics": true}

// Measure prepares a workload and runs it on an ideal machine of 1 us and 1 ns
// per byte.
func Measure(load *workload.Workload, settings map[string]string, env workload.Env) (workload.Rows, error) {
	world := World{Latency: units.Microsecond, PerByte: units.Nanosecond}
	return world.Measure(load, settings, env)
}

// Measure prepares a workload and runs it.
func (w *World) Measure(load *workload.Workload, settings map[string]string, env workload.Env) (workload.Rows, error) {
	var rows workload.Rows
	plan, err := load.Prepare(settings, env)
	if err != nil {
		return rows, err
	}
	if err := w.Run(env.Ranks, func(p rma.Process) error { return plan.Program(p, &rows) }); err != nil {
		return rows, err
	}
	if passesMessages[load.Name] {
		return rows, nil // package mpi does not wait for the last messages that it sends
	}
	return rows, w.Settled()
}

// Set makes settings of "name=value" texts.
func Set(assignments ...string) map[string]string {
	settings := map[string]string{}
	for _, a := range assignments {
		name, value, _ := strings.Cut(a, "=")
		settings[name] = value
	}
	return settings
}

// Rows runs a workload on a world of 1 us and 1 ns per byte and returns its rows.
func Rows(t *testing.T, load *workload.Workload, settings map[string]string, env workload.Env) []workload.Row {
	t.Helper()
	rows := Run(t, load, settings, env)
	return rows.All()
}

// Run does, too, and returns the progress with them.
func Run(t *testing.T, load *workload.Workload, settings map[string]string, env workload.Env) workload.Rows {
	t.Helper()
	rows, err := Measure(load, settings, env)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Near fails the test if a figure is off by more than rounding.
func Near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Four ranks on each of the switches of a chain.
func Chain(ranks int) workload.Env {
	at := func(rank int) int { return rank / 4 }
	return workload.Env{
		Ranks: ranks, Payload: 1792, InFlight: 1, Seed: 1,
		SwitchOf:     at,
		PathSwitches: func(from, to int) int { return max(at(from)-at(to), at(to)-at(from)) + 1 },
	}
}

// AbleRows runs a workload where the network can do everything.
func AbleRows(t *testing.T, load *workload.Workload, settings map[string]string, ranks int) []workload.Row {
	t.Helper()
	world := World{Latency: units.Microsecond, PerByte: units.Nanosecond, Able: true}
	rows, err := world.Measure(load, settings, AbleEnv(ranks))
	if err != nil {
		t.Fatalf("%s of %d ranks, %v: %v", load.Name, ranks, settings, err)
	}
	return rows.All()
}

// AbleEnv is that of a world whose ranks are able.
func AbleEnv(ranks int) workload.Env {
	return workload.Env{Ranks: ranks, Seed: 1, Atomics: true, Multicasts: func(rma.MulticastMethod) bool { return true }}
}

// WindowsEnv is that of a world with windows for BOTF and a cache.
func WindowsEnv() workload.Env {
	return workload.Env{Ranks: 2, Payload: 496, BOTF: 496, Windows: 4, Cache: 2048}
}
