package programs

import (
	"testing"

	"musubi/internal/check"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/access"
	"musubi/workload/internal/ideal"
	"musubi/workload/nccl"
	"musubi/workload/pairs"
	"musubi/workload/replay"
	"musubi/workload/traffic"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// Interfaces that cannot reach all of memory need copies otherwise.
func TestMessagesLieWhereTheInterfaceCanFetchThem(t *testing.T) {
	for _, test := range []struct {
		workload *workload.Workload
		settings map[string]string
	}{
		{pairs.PingPong, ideal.Set("bytes=1000", "mechanism=all", "copy=all")},
		{pairs.Stream, ideal.Set("bytes=1000", "mechanism=all", "copy=all")},
		{pairs.BOTF, ideal.Set("bytes=1000")},
		{traffic.Pattern, ideal.Set("bytes=1000")},
		{traffic.Pattern, ideal.Set("bytes=1000", "mechanism=botf")},
	} {
		world := ideal.World{Latency: units.Microsecond}
		if _, err := world.Measure(test.workload, test.settings, workload.Env{Ranks: 2, BOTF: 1000}); err != nil {
			t.Fatal(err)
		}
		// Results and the like are short.
		if world.Misplaced >= 1000 {
			t.Errorf("%s %v: %d bytes were sent from the wrong memory", test.workload.Name, test.settings, world.Misplaced)
		}
	}
}

func TestProgressEndsWhole(t *testing.T) {
	for _, w := range All() {
		if w == access.Intruder || w == nccl.Workload { // nothing checks accesses here, or can wait until a time
			continue
		}
		env, settings := workload.Env{Ranks: 8, BOTF: 64}, map[string]string{}
		if w == replay.Workload {
			settings["file"] = "../../examples/schedules/pipeline.goal"
			env.Ranks = w.Ranks(settings)
		}
		switch w.Name {
		case "serve":
			settings = ideal.Set("layers=4", "hidden=64", "ffn=96", "heads=8", "kv-heads=2", "vocab=32", "prompt=64", "prefill=4", "decode=4")
		case "stencil":
			settings = ideal.Set("grid=2x2x2", "cells=8")
		case "fft":
			settings = ideal.Set("grid=4x2", "points=16")
		case "incast":
			settings = ideal.Set("servers=6", "clients=2", "block=1KiB")
		case "train":
			settings = ideal.Set("layers=4", "hidden=64", "ffn=96", "heads=8", "kv-heads=2", "vocab=32", "sequence=64", "tensor=2", "data=2", "pipeline=2", "experts=2", "expert=2")
		}
		rows := ideal.Run(t, w, settings, env)
		if rows.Done() != 1 {
			t.Errorf("%s: %v done at its end", w.Name, rows.Done())
		}
	}
}
